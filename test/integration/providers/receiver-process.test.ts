// The webhook receiver as the process that it is, with its own login: what it takes, how it ends, and when it does not start.
import { randomUUID } from "node:crypto";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { unread } from "../../../operator/postgres/inbox.ts";
import { webhookAddress } from "../../../operator/receiver/address.ts";
import { startOperator, type OperatorProcess } from "../../operator/process.ts";
import { openDatabase, type TestDatabase } from "../postgres/database.ts";
import { NEVER, openDesk, type Desk } from "../postgres/desk.ts";

const KEY = "the key of this test, of more than thirty-two characters";
const MAIN = join(import.meta.dirname, "..", "..", "..", "operator", "receive.ts");
const limit = (): AbortSignal => AbortSignal.timeout(60_000);

let database: TestDatabase;
let desk: Desk;
beforeAll(async () => {
  database = await openDatabase();
  desk = await openDesk(database.pool());
  await desk.grant("studio", 1_000_000n);
});
afterAll(() => database.close());

function start(url: string, more: Readonly<Record<string, string>> = {}): OperatorProcess {
  const variables = {
    ...{ RECEIVER_DATABASE_URL: url, WEBHOOK_KEY: KEY },
    ...{ RECEIVER_HOST: "127.0.0.1", RECEIVER_PORT: "0", HTTP_HOST: "127.0.0.1", HTTP_PORT: "0", ...more },
  };
  return startOperator({ variables }, { main: MAIN });
}

async function listening(receiver: OperatorProcess): Promise<number> {
  const { port } = await receiver.logged(({ event }) => event === "receiver.listening", limit());
  return Number(port);
}

/** A message of which half was sent. */
async function begun(port: number, path: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.write(`POST ${path} HTTP/1.1\r\nHost: receiver\r\nWebhook-Id: msg\r\nContent-Length: 4\r\n\r\n{"`);
  return socket;
}

/** Resolves once no new connection is taken. */
async function refusedAt(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    const isTaken = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
    });
    socket.destroy();
    if (!isTaken) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function answered(socket: Socket): Promise<string> {
  let text = "";
  for await (const chunk of socket.setEncoding("utf8") as AsyncIterable<string>) {
    text += chunk;
    if (text.includes("\r\n\r\n")) break;
  }
  return text.split("\r\n")[0] ?? "";
}

test("I12: it takes webhooks, refuses strangers, and answers what is under way when it is told to stop", async () => {
  const receiver = start(database.receiverUrl);
  const port = await listening(receiver);
  const [first, second] = [await desk.sent(), await desk.sent()];
  const address = (id: string): string => webhookAddress(`http://127.0.0.1:${port}`, KEY, id);
  const sent = await fetch(address(first.id), { method: "POST", body: "{}", headers: { "webhook-id": "one" } });
  const forged = address(first.id).replace(/.$/, (last) => (last === "0" ? "1" : "0"));
  const stranger = await fetch(forged, { method: "POST", body: "{}" });
  expect([sent.status, stranger.status]).toEqual([202, 404]);

  const socket = await begun(port, new URL(address(second.id)).pathname);
  receiver.kill("SIGTERM");
  await refusedAt(port);
  socket.write('"}');
  expect(await answered(socket)).toBe("HTTP/1.1 202 Accepted");
  expect(await receiver.ended).toBe(0);
  const kept = await unread(desk.pool, { atMost: 10 }, NEVER);
  expect(kept.map(({ attemptId, body, headers }) => [attemptId, body.toString(), headers])).toEqual([
    [first.id, "{}", { "webhook-id": "one" }],
    [second.id, '{""}', { "webhook-id": "msg" }],
  ]);
}, 90_000);

test("it does not start with rights that the world must not have, nor without the one that it needs", async () => {
  const nobody = `nobody_${randomUUID().slice(0, 8)}`;
  await database.asSuperuser((client) => client.query(`create role ${nobody} login password 'p'`));
  const asNobody = Object.assign(new URL(database.receiverUrl), { username: nobody, password: "p" }).href;
  const refusals = [
    { url: database.loginUrl, says: /the role may use tables/ },
    { url: database.superuserUrl, says: /the role is a superuser/ },
    { url: asNobody, says: /the role may not hand webhooks in/ },
  ];
  try {
    await Promise.all(
      refusals.map(async ({ says, url }) => {
        const receiver = start(url);
        const failed = await receiver.logged(({ event }) => event === "part.failed", limit());
        expect(JSON.stringify(failed)).toMatch(says);
        expect(await receiver.ended).toBe(1);
      }),
    );
  } finally {
    await database.asSuperuser((client) => client.query(`drop role ${nobody}`));
  }
}, 90_000);

test("without its configuration it says what is missing and ends; without the database it waits, and takes nothing", async () => {
  const unset = start(database.receiverUrl, { WEBHOOK_KEY: "short" });
  const waiting = start("postgres://nobody@127.0.0.1:1/none");
  expect(await unset.ended).toBe(78);
  const told = await waiting.logged(({ event }) => event === "start.waiting", limit());
  expect(JSON.stringify(told)).toContain("cannot reach Postgres");
  await expect(Promise.race([listening(waiting), waiting.stop().then((code) => `ended with ${code}`)])).resolves.toBe(
    "ended with 0",
  );
}, 90_000);
