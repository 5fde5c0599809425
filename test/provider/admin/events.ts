// GET /events: what happened after a sequence number, and then all that happens, one JSON object a line, until the client goes.
import type { ServerResponse } from "node:http";
import type { Events } from "../record/events.ts";

const PAGE = 500;

export function streamEvents(events: Events, response: ServerResponse, after: number): void {
  let seq = after;
  let full = false;

  const pump = (): void => {
    while (!full) {
      const page = events.after(seq, PAGE);
      if (page.length === 0) return;
      seq = page.at(-1)?.seq ?? seq;
      full = !response.write(page.map((event) => `${JSON.stringify(event)}\n`).join(""));
    }
  };
  const resume = (): void => {
    full = false;
    pump();
  };

  response.writeHead(200, { "content-type": "application/x-ndjson" });
  response.flushHeaders();
  response.on("drain", resume);
  response.on("close", events.follow(pump));
  pump();
}
