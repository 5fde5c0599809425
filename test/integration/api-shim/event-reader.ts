// Reads a stream of server-sent events, for tests: events are waited for, never slept for.
import { request } from "undici";
import { limit } from "./fixture.ts";

export interface StreamEvent {
  readonly id: string;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface EventReader {
  readonly status: number;
  readonly text: () => string;
  /** The first event, past ones included, for which the predicate holds. Rejects when the stream ends without one. */
  until(predicate: (event: StreamEvent) => boolean): Promise<StreamEvent>;
  /** Resolves when this text has come. */
  said(part: string): Promise<void>;
  /** Resolves with all events when the server ended the stream. */
  readonly ended: Promise<readonly StreamEvent[]>;
  close(): void;
}

export async function readEvents(url: string, token: string, lastEventId?: string): Promise<EventReader> {
  const abort = new AbortController();
  const answer = await request(url, {
    signal: AbortSignal.any([abort.signal, limit()]),
    headers: { authorization: `Bearer ${token}`, ...(lastEventId !== undefined && { "last-event-id": lastEventId }) },
  });
  const events: StreamEvent[] = [];
  const listeners = new Set<() => void>();
  let text = "";
  const ended = (async () => {
    for await (const chunk of answer.body) {
      text += String(chunk);
      const whole = text.split("\n\n").slice(0, -1);
      events.splice(0, events.length, ...whole.flatMap(eventOf));
      for (const listener of listeners) listener();
    }
    return events;
  })();
  ended.catch(() => undefined); // closed by the test
  return {
    status: answer.statusCode,
    text: () => text,
    ended,
    until: (predicate) =>
      Promise.race([
        new Promise<StreamEvent>((resolve) => {
          const look = (): void => {
            const found = events.find(predicate);
            if (found) resolve(found);
          };
          listeners.add(look);
          look();
        }),
        ended.then((all) => {
          const found = all.find(predicate);
          if (found) return found;
          throw new Error(`the stream ended with ${JSON.stringify(all)}`);
        }),
      ]),
    said: (part) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (text.includes(part)) resolve();
        };
        listeners.add(look);
        look();
      }),
    close: () => abort.abort(new Error("closed")),
  };
}

function eventOf(block: string): readonly StreamEvent[] {
  const fields = new Map(
    block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
  );
  const event = fields.get("event");
  if (event === undefined) return [];
  return [{ id: fields.get("id") ?? "", event, data: JSON.parse(fields.get("data") ?? "{}") as StreamEvent["data"] }];
}
