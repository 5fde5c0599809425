// Remembers that a provider refuses us, for its condition CredentialsValid. Decides nothing.

export interface LockedOut {
  /** `status-401`, `status-402`, … */
  readonly code: string;
  readonly since: Date;
}

/** Reading needs a valid credential; submitting also a balance and the right to spend it. */
export type CallKind = "submit" | "read";

export interface Lockout {
  refused(kind: CallKind, code: string): void;
  /** A call of this kind went through. */
  welcomed(kind: CallKind): void;
  /** Another credential is in place: nothing is known of it yet. */
  forget(): void;
  current(): LockedOut | undefined;
}

export function makeLockout(now: () => Date): Lockout {
  let last: (LockedOut & { readonly kind: CallKind }) | undefined;
  return {
    refused: (kind, code) => {
      if (last?.code !== code) last = { kind, code, since: now() };
    },
    welcomed: (kind) => {
      const isDisproved = kind === "submit" || last?.kind === kind || last?.code === "status-401";
      if (isDisproved) last = undefined;
    },
    forget: () => {
      last = undefined;
    },
    current: () => last && { code: last.code, since: last.since },
  };
}
