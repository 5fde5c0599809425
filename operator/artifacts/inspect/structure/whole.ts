// The words that structure checks share: where bytes come from, and what a check may answer.
// A check decides from structure alone whether a file is whole; it decodes nothing and keeps nothing.

/** Random access to bytes that are already stored. A read past the end gives what there is. */
export interface ByteSource {
  readonly size: number;
  read(offset: number, length: number): Promise<Buffer>;
}

export type Wholeness =
  /** `proven`: the file itself tells where it ends, and it does end there. */
  | { readonly whole: true; readonly proven: boolean }
  /** `why` says what is wrong and where, in words that hold no content. */
  | { readonly whole: false; readonly why: string };

export const PROVEN: Wholeness = { whole: true, proven: true };
export const UNPROVEN: Wholeness = { whole: true, proven: false };

/** More parts than any honest file has: a walk stops here instead of letting a hostile file keep us busy. */
const MAX_PARTS = 1_000_000;

/** How much may follow the end of a file: encoders pad, and editors append metadata. */
export const MAX_TRAILER_BYTES = 64 * 1024;

/** The file says that it ends at `end`. */
export function endsAt(end: number, size: number): Wholeness {
  if (end > size) return broken(`it says it has ${end} bytes and has ${size}`);
  return size - end > MAX_TRAILER_BYTES ? broken(`more than ${MAX_TRAILER_BYTES} bytes follow its end`) : PROVEN;
}

export function broken(why: string): Wholeness {
  return { whole: false, why };
}

/** Counts the parts of a walk. */
export interface PartLimit {
  exceeded(): boolean;
}

export function makePartLimit(): PartLimit {
  let parts = 0;
  return { exceeded: () => ++parts > MAX_PARTS };
}

export const TOO_MANY_PARTS: Wholeness = broken(`it has more than ${MAX_PARTS} parts`);
