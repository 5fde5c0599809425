// How a command ends badly: a sentence for people and an exit code for scripts. Everything else that is thrown is a fault of ours.

/** 0 is success, 1 any failure, as kubectl has it. */
export const EXIT = { done: 0, failed: 1, endedOtherwise: 2, timedOut: 124, interrupted: 130 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** `message` is whole: "cannot <do what>: <why>". */
export class Failure extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = EXIT.failed) {
    super(message);
    this.name = "Failure";
    this.exitCode = exitCode;
  }
}
