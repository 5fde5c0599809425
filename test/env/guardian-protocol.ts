// What is said between the guardian of an environment and those who use it: one question and one answer per connection,
// each a line of JSON.
import { join } from "node:path";

/** A command for the guardian. */
export interface Command {
  readonly name: string;
  readonly command: readonly [file: string, ...args: string[]];
  /** Variables beside those of the guardian. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly logFile: string;
  /** Asks the process to end in good order. */
  readonly stopSignal: NodeJS.Signals;
  /** Ends the process at once when the whole environment goes. */
  readonly quitSignal: NodeJS.Signals;
}

export type Question =
  | { readonly type: "start"; readonly command: Command }
  | { readonly type: "signal"; readonly name: string; readonly signal: NodeJS.Signals }
  /** Answered when the process has ended. */
  | { readonly type: "exit"; readonly name: string }
  | { readonly type: "status"; readonly name: string };

export interface Answer {
  readonly pid?: number | undefined;
  /** How the process ended: "status 1" or "signal SIGKILL". */
  readonly how?: string;
  readonly error?: string;
}

/** The guardian's first line on its standard output. */
export interface Hello {
  readonly folder: string;
  /** The first port of the block that is ours while the guardian lives; see ports.ts. */
  readonly portBlock: number;
}

/** The socket of the guardian of the environment in this folder. */
export function socketIn(folder: string): string {
  return join(folder, "guardian.sock");
}
