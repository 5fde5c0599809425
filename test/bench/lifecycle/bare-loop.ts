// The baseline: a program that makes the calls which one task after the other needs, in their order, and thinks nothing. It knows
// that all goes well. Its SQL is the operator's own statements in as many transactions; API server, provider and object
// store are called by plain clients.
import { attachTo } from "../../env/attach.ts";
import { makeBooks } from "../../../operator/postgres/books.ts";
import { acquireEpoch } from "../../../operator/postgres/fence.ts";
import { makePool } from "../../../operator/postgres/pool.ts";
import { forEachIndex, makeApi } from "../api.ts";
import { makeCourier } from "./courier.ts";
import { keyOf, makeDesk, type WireTask } from "./desk.ts";
import { makeJobs } from "./jobs.ts";
import { TASKS_PATH } from "./stage.ts";

async function main(): Promise<void> {
  const { AT_ONCE, CONNECTIONS, DATABASE_URL = "", ENVIRONMENT = "" } = process.env;
  const environment = attachTo(ENVIRONMENT);
  const api = makeApi(environment);
  const pool = makePool({ url: DATABASE_URL, applicationName: "bare-loop", maxConnections: Number(CONNECTIONS) });
  const epoch = await acquireEpoch(pool, "bare-loop");
  const desk = makeDesk(
    api,
    makeBooks(pool, () => epoch),
  );
  const jobs = makeJobs(environment.provider);
  const courier = makeCourier(environment.s3);
  const { items } = (await api.call("GET", TASKS_PATH)) as { readonly items: readonly WireTask[] };

  await forEachIndex(items.length, Number(AT_ONCE), async (index) => {
    const task = items[index];
    if (!task) return;
    await desk.pin(task);
    const intended = await desk.begin(task);
    const input = await desk.input(task);
    const sent = await desk.markSent(intended);
    const jobId = await jobs.submit(sent.id, input);
    const accepted = await desk.markAccepted(task, sent, jobId);
    await jobs.query(jobId);
    const ready = await desk.markReady(task, accepted);
    const output = await jobs.query(jobId);
    const bytes = await jobs.fetch(output.url);
    const asset = await courier.keep({ attemptId: ready.id, taskKey: keyOf(task), name: output.name }, bytes);
    await desk.end(task, ready, asset);
  });
  await Promise.all([api.close(), pool.end(), jobs.close()]);
  courier.close();
}

// Whoever started it may be gone, however it went. Else it stays until it is told to end: its end is no part of its work.
process.stdin.once("close", () => process.exit(1)).resume();
process.once("SIGTERM", () => process.exit(0));
await main();
