// One key, one task: over three replicas, at once, with answers that are lost, with another body, and after a deletion.
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { ask, WISH, type Answer } from "./client.ts";
import { limit, makeWorld, type RunningShim, type World } from "./fixture.ts";

let world: World;
let shims: readonly RunningShim[];
beforeAll(async () => {
  world = await makeWorld();
  shims = await Promise.all([world.start(), world.start(), world.start()]);
});
afterAll(() => world.close());

const token = (): string => world.tokens.tenant;
const replica = (index: number): RunningShim => {
  const shim = shims[index % shims.length];
  if (shim === undefined) throw new Error("no replica");
  return shim;
};
const create = (index: number, key: string, body: unknown = WISH): Promise<Answer> =>
  ask(replica(index).url, "POST", "/v1/tasks", { token: token(), key, body });

/** Sends the whole request and hangs up, at once or with the first byte of the answer. */
function createAndHangUp(index: number, key: string, when: "at once" | "at the answer"): Promise<void> {
  const body = JSON.stringify(WISH);
  const head = [
    "POST /v1/tasks HTTP/1.1",
    "host: shim",
    `authorization: Bearer ${token()}`,
    `idempotency-key: ${key}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return new Promise((resolve, reject) => {
    const socket = connect(replica(index).port, "127.0.0.1", () => {
      socket.write(`${head.join("\r\n")}\r\n\r\n${body}`, () => {
        if (when === "at once") socket.destroy();
      });
    });
    socket.once("data", () => socket.destroy());
    socket.once("close", () => resolve());
    socket.once("error", reject);
  });
}

async function objectsWithKey(key: string): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { metadata, spec } of world.tasks.list({ namespace: world.tenant }, { signal: limit() })) {
    if ((spec as { readonly idempotencyKey?: string }).idempotencyKey === key) names.push(metadata.name);
  }
  return names;
}

test("100 identical requests at once, a third of them without an answer, over three replicas, make one task", async () => {
  const key = "hundred";
  const answers: Answer[] = [];
  await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      if (index % 6 === 1) return createAndHangUp(index, key, "at once");
      if (index % 6 === 4) return createAndHangUp(index, key, "at the answer");
      answers.push(await create(index, key));
      return undefined;
    }),
  );
  const late = await Promise.all([0, 1, 2].map((index) => create(index, key)));

  const names = await objectsWithKey(key);
  expect(names).toHaveLength(1);
  expect(new Set([...answers, ...late].map(({ body, status }) => `${status} ${String(body.id)}`))).toEqual(
    new Set([`202 ${String(names[0])}`]),
  );
  expect(new Set([...answers, ...late].map(({ headers }) => headers.location))).toEqual(
    new Set([`/v1/tasks/${String(names[0])}`]),
  );
  expect(answers.filter(({ headers }) => headers["idempotent-replayed"] === undefined).length).toBeLessThanOrEqual(1);
  expect(late.map(({ headers }) => headers["idempotent-replayed"])).toEqual(["true", "true", "true"]);
});

test("the order of fields is no difference, and quotes around the key are none either", async () => {
  const first = await create(0, "order", { ...WISH, input: { prompt: "a", seed: 7 } });
  const { providerRef, model } = WISH;
  const second = await create(1, '"order"', { input: { seed: 7, prompt: "a" }, model, providerRef });
  expect([second.status, second.body.id]).toEqual([202, first.body.id]);
});

test("another body under the same key is refused by every replica, and nothing changes", async () => {
  await create(0, "reused");
  const others = await Promise.all([0, 1, 2].map((index) => create(index, "reused", { ...WISH, model: "sim-video" })));
  expect(others.map(({ body, status }) => [status, body.code])).toEqual(
    others.map(() => [422, "idempotency-key-reused"]),
  );
  expect(await objectsWithKey("reused")).toHaveLength(1);
});

test("two bodies that race for a key: one becomes the task, the other one is refused", async () => {
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, index) => create(index, "race", index % 2 === 0 ? WISH : { ...WISH, priority: 5 })),
  );
  expect(await objectsWithKey("race")).toHaveLength(1);
  const statuses = answers.map(({ status }) => status);
  expect([...new Set(statuses)].sort()).toEqual([202, 422]);
  const winners = new Set(answers.flatMap(({ status }, index) => (status === 202 ? [index % 2] : [])));
  expect(winners.size).toBe(1);
});

test("the same key in another namespace is another task", async () => {
  const mine = await create(0, "shared");
  const theirs = await ask(replica(1).url, "POST", "/v1/tasks", {
    token: world.tokens.stranger,
    key: "shared",
    body: { ...WISH, model: "sim-video" },
  });
  expect([mine.status, theirs.status]).toEqual([202, 202]);
  expect(theirs.body.namespace).toBe(world.stranger);
  expect(theirs.body.id).not.toBe(mine.body.id);
});

test("while the task is being deleted its key is taken, afterwards it makes a task again", async () => {
  const { body } = await create(0, "deleted");
  const key = `${world.tenant}/${String(body.id)}`;
  await world.tasks.patch(key, { metadata: { finalizers: ["genop.dev/settle"] } }, { signal: limit() });
  await ask(replica(0).url, "DELETE", `/v1/tasks/${String(body.id)}`, { token: token() });
  const during = await create(1, "deleted");
  expect([during.status, during.body.code, during.headers["retry-after"]]).toEqual([409, "being-deleted", "5"]);
  await world.tasks.patch(key, { metadata: { finalizers: null } }, { signal: limit() });
  const after = await create(2, "deleted");
  expect([after.status, after.body.id, after.headers["idempotent-replayed"]]).toEqual([202, body.id, undefined]);
});

test("an object of that name that was not made here is not taken for the task", async () => {
  const { body } = await create(0, "foreign");
  const key = `${world.tenant}/${String(body.id)}`;
  await world.tasks.patch(key, { metadata: { annotations: null } }, { signal: limit() });
  const answer = await create(1, "foreign");
  expect([answer.status, answer.body.code]).toEqual([409, "name-taken"]);
});
