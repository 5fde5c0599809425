// One request on its way through the provider: what was read of it, and where it stands in the record.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Operation } from "../record/requests.ts";

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: number;
  readonly operation: Operation;
  readonly url: URL;
  /** What the path names: the job, or the output token and name. */
  readonly names: readonly string[];
  /** Of this very listener, as the client wrote it: URLs of outputs begin with it. */
  readonly origin: string;
}
