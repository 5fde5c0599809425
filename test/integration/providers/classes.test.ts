// What each class of provider gives to hold on to when an answer is lost, against the simulated provider as a process.
import { afterEach, expect, test } from "@jest/globals";
import type { AttemptId } from "../../../operator/task/brand.ts";
import { HTTP, sentAttempt } from "../../unit/providers/spec.ts";
import { startSimulated, wish, type Simulated } from "./simulated.ts";

const never = new AbortController().signal;
const RUNNING = { durationMs: 600_000 };

let simulated: Simulated | undefined;
afterEach(async () => {
  await simulated?.remove();
  simulated = undefined;
});

async function start(
  http: Readonly<Record<string, unknown>>,
  capabilities: Readonly<Record<string, unknown>> = {},
): Promise<Simulated> {
  simulated = await startSimulated({ http: { ...HTTP, ...http }, capabilities });
  return simulated;
}

const PAGED = {
  path: '"/jobs?limit=2"',
  items: "response.body.items",
  jobID: "item.id",
  ref: 'item.ref == null ? "" : item.ref',
  next: 'response.body.next_cursor == null ? "" : "/jobs?limit=2&cursor=" + response.body.next_cursor',
};

/** Ours first, so that it is last in a list that begins with the newest. */
async function submitted({ client }: Simulated, others: number): Promise<AttemptId> {
  const { request } = wish(RUNNING);
  await client.submit(request, never);
  for (let nth = 0; nth < others; nth++) await client.submit(wish(RUNNING).request, never);
  return request.attemptId;
}

test("a list is read page by page to its end, before it is said that a job is not in it", async () => {
  const running = await start({ list: PAGED });
  const id = await submitted(running, 5);
  const search = (attempt: AttemptId): Promise<unknown> =>
    running.client.search("list", sentAttempt({ id: attempt }), never);
  expect(await search(id)).toMatchObject({ outcome: "found" });
  expect(await search("00000000-0000-4000-8000-000000000099" as AttemptId)).toEqual({ outcome: "missed" });
});

test("a list longer than its bound proves nothing", async () => {
  const running = await start({ list: { ...PAGED, maxPages: 2 } });
  const id = await submitted(running, 5);
  expect(await running.client.search("list", sentAttempt({ id }), never)).toEqual({
    outcome: "unanswered",
    code: "list-too-long",
    retryAfterMs: undefined,
  });
  const { requests } = await running.provider.admin.record({ operation: "list" });
  expect(requests).toHaveLength(2);
});

test("a page that fails leaves the whole list unread", async () => {
  const running = await start({ list: { ...PAGED, next: '"/jobs?limit=nonsense"' } });
  const id = await submitted(running, 0);
  const other = "00000000-0000-4000-8000-000000000099" as AttemptId;
  expect(await running.client.search("list", sentAttempt({ id }), never)).toMatchObject({ outcome: "found" });
  expect(await running.client.search("list", sentAttempt({ id: other }), never)).toMatchObject({
    outcome: "unanswered",
    code: "status-422",
  });
});

test("by likeness one candidate is told apart from two that look the same", async () => {
  const { path, items, jobID } = PAGED;
  const match = "item.model == task.model && item.input.reference == task.input.reference";
  const running = await start({ list: { path, items, jobID, next: PAGED.next, match } }, { correlate: "Heuristic" });
  const { request } = wish(RUNNING);
  await running.client.submit(wish(RUNNING).request, never);
  await running.client.submit(request, never);
  const attempt = sentAttempt({ id: "00000000-0000-4000-8000-000000000099" as AttemptId, model: request.model });
  const search = (): Promise<unknown> => running.client.search("list", attempt, never, request.input);
  expect(await search()).toMatchObject({ outcome: "found" });

  await running.client.submit({ ...request, attemptId: attempt.id }, never);
  expect(await search()).toEqual({ outcome: "several", count: 2 });
});

test.each([
  { when: "made a job", fault: "close-after", then: { outcome: "reused", jobId: undefined }, jobs: 1 },
  { when: "came to nothing", fault: "reset-before", then: expect.objectContaining({ outcome: "accepted" }), jobs: 1 },
])("a provider that rejects a used key tells by a replay that the first submit $when", async (row) => {
  const running = await start({
    idempotencyHeader: "Idempotency-Key",
    submit: { ...HTTP.submit, reused: 'response.body.error.code == "idempotency_key_reuse"' },
  });
  await running.provider.admin.config({ idempotency: "reject-on-reuse" });
  const { request, reference } = wish({ ...RUNNING, submit: [row.fault] });
  expect(await running.client.submit(request, never)).toMatchObject({ outcome: "ambiguous" });
  expect(await running.client.replay(request, never)).toEqual(row.then);
  const { jobs } = await running.provider.admin.record({ reference });
  expect(jobs).toHaveLength(row.jobs);
});
