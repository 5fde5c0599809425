// Event streams on which nothing is said: what each costs in memory, and how long one event takes to all of them.
import { WISH } from "../../integration/api-shim/client.ts";
import { forEachIndex, MERGE_PATCH } from "../api.ts";
import { medianOf } from "../figures.ts";
import { startShim, type Face } from "./faces.ts";
import { TASKS_PATH, type OpenGround } from "./ground.ts";
import { listen, type Listener } from "./listener.ts";

export interface StreamRun {
  /** Resident memory that came with the streams, for each of them. */
  readonly kbPerStream: number;
  /** From the write at the API server being sent to the first, and to the last stream that had the event. */
  readonly firstMs: number;
  readonly lastMs: number;
  readonly worstMs: number;
}

const OPENED_AT_ONCE = 50;
/** Percent, of two digits each: none is the beginning of another. */
const EVENTS = { first: 10, last: 29 };
/** Opened and closed before memory is read: the code is compiled, and the heap has its size. */
const WARM_UP = 200;
/** All have beaten once: then they have been idle for some seconds. */
const HEARTBEAT_SECONDS = "5";
const BEAT = ": still here";
const TASK = "watched";

export async function measureStreams(ground: OpenGround, streams: number): Promise<StreamRun> {
  await ground.api.call("POST", TASKS_PATH, {
    ...{ apiVersion: "genop.dev/v1alpha1", kind: "GenerationTask", metadata: { name: TASK }, spec: WISH },
  });
  const face = await startShim(ground, { HEARTBEAT_SECONDS });
  const open: Listener[] = [];
  try {
    const warm = await openAll(face, ground.token, WARM_UP);
    await Promise.all(warm.map((one) => one.hears(BEAT)));
    for (const one of warm) one.close();
    const before = face.usage().residentMb;
    open.push(...(await openAll(face, ground.token, streams)));
    await Promise.all(open.map((one) => one.hears(BEAT)));
    const kbPerStream = ((face.usage().residentMb - before) * 1024) / streams;
    return { kbPerStream, ...(await tell(ground, open)) };
  } finally {
    for (const one of open) one.close();
    await face.stop();
    await ground.clear();
  }
}

/** Each is of the whole namespace, as the page has it. */
async function openAll({ url }: Face, token: string, count: number): Promise<readonly Listener[]> {
  const open: Listener[] = [];
  await forEachIndex(count, OPENED_AT_ONCE, async () => void open.push(await listen(`${url}/v1/events`, token)));
  return open;
}

/** One after the other; the next one when all have the one before. */
async function tell({ api }: OpenGround, open: readonly Listener[]): Promise<Omit<StreamRun, "kbPerStream">> {
  const [firsts, lasts]: [number[], number[]] = [[], []];
  for (let progress = EVENTS.first; progress <= EVENTS.last; progress += 1) {
    const heard = open.map((one) => one.hears(`"progress":${progress}`));
    const startedMs = performance.now();
    const status = { phase: "Polling", progress, reason: "JobRunning" };
    await api.call("PATCH", `${TASKS_PATH}/${TASK}/status`, { status }, { contentType: MERGE_PATCH });
    const times = (await Promise.all(heard)).map((atMs) => atMs - startedMs);
    firsts.push(Math.min(...times));
    lasts.push(Math.max(...times));
  }
  return { firstMs: medianOf(firsts), lastMs: medianOf(lasts), worstMs: Math.max(...lasts) };
}
