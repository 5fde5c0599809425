// What must hold of one drained task, judged by the provider's record, the books and the object store.
import { makePool } from "../../operator/postgres/pool.ts";
import { brokenBooks, wrongAssets } from "../operator/verdict.ts";
import type { SeenTask } from "../operator/watcher.ts";
import type { RecordContents } from "../provider/admin/contents.ts";
import type { Behaviour } from "./behaviours.ts";
import type { Laboratory } from "./laboratory.ts";

/** What is wrong, in words; empty when nothing is. */
export async function complaintsOf(
  laboratory: Laboratory,
  key: string,
  behaviour: Behaviour,
  drained: SeenTask | undefined,
): Promise<readonly string[]> {
  const { installation } = laboratory;
  const record = await laboratory.provider.record({ reference: key });
  const books = await brokenBooks(installation);
  return [
    ...endComplaints(behaviour, drained),
    ...paidTwice(record),
    ...(drained ? await statusComplaints(laboratory, drained, record) : []),
    ...(await openAttempts(installation.databaseUrl, key)),
    ...Object.entries(books).map(([report, rows]) => `the books: ${report} has ${String(rows)} rows`),
  ];
}

function endComplaints({ ends }: Behaviour, drained: SeenTask | undefined): readonly string[] {
  const { phase = "gone", reason = "no reason" } = drained?.status ?? {};
  return ends.includes(phase) ? [] : [`it ended as ${phase}, ${reason}`];
}

function paidTwice({ billed, jobs }: RecordContents): readonly string[] {
  return [
    ...(jobs.length > 1 ? [`${String(jobs.length)} jobs were made`] : []),
    ...(billed.length > 1 ? [`it was paid ${String(billed.length)} times`] : []),
  ];
}

async function statusComplaints(
  laboratory: Laboratory,
  drained: SeenTask,
  record: RecordContents,
): Promise<readonly string[]> {
  const { released, reserved, settled } = drained.status?.credits ?? {};
  const adds = microOf(reserved) === microOf(settled) + microOf(released);
  return [
    ...(adds ? [] : [`credits do not add up: ${JSON.stringify(drained.status?.credits)}`]),
    ...(drained.status?.phase === "Succeeded" ? await successComplaints(laboratory, drained, record) : []),
  ];
}

/** A success has one job, its assets whole, and is charged what was billed. */
async function successComplaints(
  { environment, provider }: Laboratory,
  drained: SeenTask,
  { billed, jobs }: RecordContents,
): Promise<readonly string[]> {
  const { assets = [], credits } = drained.status ?? {};
  const isCharged = microOf(credits?.settled) === microOf(billed[0]?.amount);
  return [
    ...(jobs.length === 1 && assets.length > 0 ? [] : ["it succeeded without a job or an asset"]),
    ...(isCharged ? [] : ["it was not charged what was billed"]),
    ...(await wrongAssets(environment, provider, [drained])),
  ];
}

function microOf(text: string | undefined): number {
  return Math.round(Number(text ?? "0") * 1_000_000);
}

async function openAttempts(databaseUrl: string, key: string): Promise<readonly string[]> {
  const pool = makePool({ url: databaseUrl, applicationName: "crash", maxConnections: 1 });
  try {
    const [namespace, name] = key.split("/");
    const { rowCount } = await pool.query(
      `select from genop.attempts a join genop.tasks t on t.key = a.task_key
        where t.namespace = $1 and t.name = $2 and a.state <> 'ended'`,
      [namespace, name],
    );
    return (rowCount ?? 0) > 0 ? ["an attempt is still open"] : [];
  } finally {
    await pool.end();
  }
}
