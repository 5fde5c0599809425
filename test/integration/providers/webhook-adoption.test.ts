// From the simulated provider's webhook to the books: the receiver, the inbox, its reading, and the provider's own confirmation.
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { handIn } from "../../../operator/postgres/inbox.ts";
import { makePool } from "../../../operator/postgres/pool.ts";
import { makeProviders } from "../../../operator/providers/registry.ts";
import { webhookAddress } from "../../../operator/receiver/address.ts";
import { startReceiver } from "../../../operator/receiver/server.ts";
import { readInbox } from "../../../operator/wiring/inbox.ts";
import { HTTP, SPEC } from "../../unit/providers/spec.ts";
import { openDatabase } from "../postgres/database.ts";
import { openDesk, wish as bookWish } from "../postgres/desk.ts";
import { startSimulated, wish } from "./simulated.ts";

const never = new AbortController().signal;
const KEY = "the key of this test, of more than thirty-two characters";
const SECRET = `whsec_${Buffer.from("simulated-webhook-secret-32-byte").toString("base64")}`;
const WEBHOOK = {
  jobID: "webhook.body.data.id",
  signature: { scheme: "StandardWebhooks", secretRef: { name: "simulated", key: "webhook" } },
};
const SUBMIT = {
  ...HTTP.submit,
  body: '{"model": task.model, "input": task.input, "ref": attempt.id, "webhook": attempt.webhookURL}',
};

async function open() {
  const database = await openDatabase();
  const desk = await openDesk(database.pool());
  await desk.grant("studio", 1_000_000n);
  const receiverPool = makePool({ url: database.receiverUrl, applicationName: "receiver", maxConnections: 4 });
  const receiver = await startReceiver(
    { port: 0, host: "127.0.0.1" },
    {
      key: KEY,
      store: (message) => handIn(receiverPool, message),
      count: () => undefined,
      nowMs: () => performance.now(),
    },
  );
  const simulated = await startSimulated();
  const registry = makeProviders({
    namespaceLabels: () => ({}),
    concurrency: () => ({ submit: undefined, query: undefined }),
    webhookUrl: (id) => webhookAddress(`http://127.0.0.1:${receiver.port}`, KEY, id),
  });
  const { provider } = simulated;
  const http = { ...HTTP, query: { ...HTTP.query, ref: "response.body.ref" }, submit: SUBMIT, webhook: WEBHOOK };
  const spec = { ...SPEC, baseURL: `${provider.url}/v1`, http, capabilities: { webhookAdoption: true } };
  registry.put("acme", spec, provider.token, SECRET);
  const client = registry.client("acme");
  if (!client) throw new Error(JSON.stringify(registry.problems("acme")));
  const woken: string[] = [];
  const verdicts: string[] = [];
  const inbox = {
    pool: desk.pool,
    fence: () => desk.epoch,
    hear: (...values: Parameters<typeof registry.hear>) => registry.hear(...values),
    tasks: { enqueue: (key: string) => woken.push(key) },
    isOurs: () => true,
    log: () => undefined,
    metrics: { count: (_: unknown, labels: object) => verdicts.push((labels as { verdict: string }).verdict) },
  };
  const close = async (): Promise<void> => {
    await simulated.remove();
    await receiver.close();
    await registry.close();
    await receiverPool.end();
    await database.close();
  };
  return { desk, provider, client, inbox, woken, verdicts, close };
}

let world: Awaited<ReturnType<typeof open>>;
beforeEach(async () => {
  world = await open();
});
afterEach(() => world.close());

test("a lost answer's job is named by its webhook, among forgeries, and confirmed by a query before it is adopted", async () => {
  const { client, desk, inbox, provider, verdicts, woken } = world;
  const beginning = bookWish();
  const sent = await desk.sent(beginning);
  const faults = ["forged-job", "forged-signature", "duplicate"];
  const { request } = wish({ submit: ["close-after"], queueMs: 0, durationMs: 600_000, webhook: { faults } });
  expect(await client.submit({ ...request, attemptId: sent.id }, never)).toMatchObject({ outcome: "ambiguous" });

  const arrived: number[] = [];
  await provider.admin.waitFor((event) => {
    if (event.type === "webhook.sent" && event.status === 202) arrived.push(1);
    return arrived.length === 4;
  }, AbortSignal.timeout(20_000));
  await readInbox(inbox, never);
  // The provider's own signature stands on the forged job; the duplicate is one message; the forged signature is found out.
  expect([...verdicts].sort()).toEqual(["forged", "heard", "heard"]);
  expect(woken).toEqual([`studio/${beginning.name}`, `studio/${beginning.name}`]);

  const first = await desk.books.load(beginning.key, never);
  expect(first).toMatchObject({ attempt: { state: "sent" }, claim: { by: "webhook" } });
  const confirm = async (): Promise<unknown> => {
    const { claim } = await desk.books.load(beginning.key, never);
    if (!claim) throw new Error("no claim");
    const outcome = await client.query({ ...sent, jobId: claim.jobId }, never);
    if (outcome.outcome === "missing") {
      await desk.books.noteClaim(sent, { jobId: claim.jobId, refused: true, nextAfterMs: 0 });
      return confirm();
    }
    return { ...outcome, jobId: claim.jobId };
  };
  const { jobs } = await provider.admin.record({});
  expect(await confirm()).toMatchObject({ outcome: "job", ref: sent.id, jobId: jobs[0]?.id });
});
