// Listening for notifications, on a connection that breaks at the worst moment.
import { EventEmitter } from "node:events";
import { expect, test } from "@jest/globals";
import type { Pool } from "pg";
import { listen } from "../../../operator/postgres/inbox.ts";

/** As pg does it: the break is told by an event first, and by the statement under way a moment later. */
function breakingPool(released: boolean[]): Pool {
  const lost = new Error("Connection terminated unexpectedly");
  const client = Object.assign(new EventEmitter(), {
    query: async () => {
      client.emit("error", lost);
      await new Promise((resolve) => process.nextTick(resolve));
      throw lost;
    },
    release: (destroyed: boolean) => void released.push(destroyed),
  });
  return { connect: () => Promise.resolve(client) } as unknown as Pool;
}

test("a connection that breaks under the statement is one fault, told to the caller and to nobody else", async () => {
  const released: boolean[] = [];
  const listening = listen(breakingPool(released), "genop_inbox", () => undefined, new AbortController().signal);
  await expect(listening).rejects.toThrow("cannot reach Postgres");
  // By now Node has ended the process for a rejection that nobody has heard.
  await new Promise(setImmediate);
  expect(released).toEqual([true]);
});
