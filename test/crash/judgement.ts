// What must hold of one drained task, judged by the provider's record, the books and the object store.
import { brokenBooks, keysBelow, wrongAssets } from "../operator/verdict.ts";
import type { SeenTask } from "../operator/watcher.ts";
import type { RecordContents } from "../provider/admin/contents.ts";
import type { Behaviour } from "./behaviour.ts";
import { ATTEMPTS, keyOf } from "./bench.ts";
import type { Place } from "./bench.ts";
import { lateComplaints } from "./judge-late.ts";
import type { Laboratory } from "./laboratory.ts";

/** What is wrong, in words; empty when nothing is. */
export async function complaintsOf(
  laboratory: Laboratory,
  place: Place,
  behaviour: Behaviour,
  drained: SeenTask | undefined,
): Promise<readonly string[]> {
  const record = await laboratory.provider.record({ reference: keyOf(place) });
  const books = await brokenBooks(laboratory.installation);
  return [
    ...endComplaints(behaviour, drained),
    ...paidTwice(record),
    ...(drained ? await statusComplaints(laboratory, drained, record) : []),
    ...(await openAttempts(laboratory, place)),
    ...(await unlistedObjects(laboratory, place)),
    ...(behaviour.late ? await lateComplaints(laboratory, place, behaviour.late, record) : []),
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

async function openAttempts({ bench }: Laboratory, { name, namespace }: Place): Promise<readonly string[]> {
  const open = `select from ${ATTEMPTS} mine where mine.state <> 'ended'`;
  const { rowCount } = await bench.books.query(open, [namespace, name]);
  return (rowCount ?? 0) > 0 ? ["an attempt is still open"] : [];
}

/** Nothing lies in the task's place that the books do not list, and nothing is listed that does not lie there. */
async function unlistedObjects(
  { bench, environment }: Laboratory,
  { name, namespace }: Place,
): Promise<readonly string[]> {
  const values = [namespace, name];
  const { rows: tasks } = await bench.books.query<{ key: string }>(
    "select key from genop.tasks where namespace = $1 and name = $2",
    values,
  );
  const { rows: assets } = await bench.books.query<{ uri: string }>(
    `select uri from genop.assets asset join ${ATTEMPTS} mine on mine.id = asset.attempt_id`,
    values,
  );
  const stored = await Promise.all(tasks.map(({ key }) => keysBelow(environment, `assets/${key}/`)));
  const listed = new Set(assets.map(({ uri }) => decodeURIComponent(new URL(uri).pathname.slice(1))));
  const unlisted = stored.flat().filter((key) => !listed.has(key));
  return [
    ...(unlisted.length > 0 ? [`${String(unlisted.length)} objects in its place are not listed`] : []),
    ...(stored.flat().length - unlisted.length < listed.size ? ["an asset is listed that is not stored"] : []),
  ];
}
