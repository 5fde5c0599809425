// What every command is given: the cluster, where in it, how to say things, and when to stop.
import type { ApiError, Cluster } from "./cluster/client.ts";
import type { Services } from "./cluster/services.ts";
import { Failure } from "./failure.ts";
import type { Format } from "./output/format.ts";
import type { Terminal } from "./output/terminal.ts";

export interface Session {
  readonly cluster: Cluster;
  readonly services: Services;
  readonly namespace: string;
  readonly format: Format;
  readonly terminal: Terminal;
  /** Ctrl-C, or SIGTERM. */
  readonly signal: AbortSignal;
  readonly now: () => Date;
}

/** What a command says when the API server refuses. Anything else is passed on. */
export function because(doing: string): (error: unknown) => never {
  return (error) => {
    if (isApiError(error)) throw new Failure(`cannot ${doing}: ${error.message}`);
    throw error;
  };
}

function isApiError(error: unknown): error is ApiError {
  return error instanceof Error && error.name === "ApiError";
}
