// How many event streams there are, in all and for each namespace, and that each ends with the process.
import type { FastifyReply } from "fastify";
import type { Following, StreamDeps } from "../events/stream.ts";
import { Problem } from "../problems.ts";

export interface Streams {
  /** Takes the answer over and writes to it until the stream ends. Throws Problem when there are too many already. */
  open(following: Following, reply: FastifyReply): void;
  count(): number;
  /** Ends them all. */
  stop(): void;
}

export interface StreamsDeps extends StreamDeps {
  readonly limits: { readonly all: number; readonly perNamespace: number };
}

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-accel-buffering": "no",
  connection: "close",
} as const;

export function makeStreams({ limits, ...deps }: StreamsDeps): Streams {
  const stopping = new AbortController();
  const byNamespace = new Map<string, number>();
  let all = 0;

  function count(namespace: string, by: number): void {
    const now = (byNamespace.get(namespace) ?? 0) + by;
    if (now > 0) byNamespace.set(namespace, now);
    else byNamespace.delete(namespace);
    all += by;
  }

  return {
    open: (following, reply) => {
      const { namespace } = following;
      if (all >= limits.all || (byNamespace.get(namespace) ?? 0) >= limits.perNamespace) {
        const detail = "cannot open another event stream: too many are open; close some, or read the task instead";
        throw new Problem("too-many-streams", { detail, retryAfterSeconds: 10 });
      }
      count(namespace, 1);
      reply.hijack();
      const { raw } = reply;
      raw.socket?.setTimeout(0); // heartbeats and the stall limit watch over it from here on
      raw.writeHead(200, { ...HEADERS, "x-request-id": reply.request.id });
      void following.write(deps, raw, stopping.signal).finally(() => count(namespace, -1));
    },
    count: () => all,
    stop: () => stopping.abort(new Error("the process is stopping")),
  };
}
