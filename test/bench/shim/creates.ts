// New tasks by REST, as many at once: how many a second, and how long each answer takes. A run has a process of its own, and
// begins with no task.
import { Pool } from "undici";
import { WISH } from "../../integration/api-shim/client.ts";
import { forEachIndex } from "../api.ts";
import { percentileOf } from "../figures.ts";
import type { Face } from "./faces.ts";
import { TASKS_PATH, type OpenGround } from "./ground.ts";

export interface CreateRun {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMs: number;
  readonly residentMb: number;
}

/** Requests under way. */
export const AT_ONCE = 16;
/** Before what is counted: the code is compiled, the connections stand, the caller is known. */
const WARM_UP = 500;

export async function measureCreates(
  ground: OpenGround,
  start: (ground: OpenGround) => Promise<Face>,
  creates: number,
): Promise<CreateRun> {
  const face = await start(ground);
  const pool = new Pool(face.url, { connections: AT_ONCE, pipelining: 1 });
  try {
    const post = poster(pool, ground.token);
    await forEachIndex(WARM_UP, AT_ONCE, (index) => post(`warm-${index}`));
    const before = face.usage();
    const startedMs = performance.now();
    const tookMs: number[] = [];
    await forEachIndex(creates, AT_ONCE, async (index) => void tookMs.push(await post(`order-${index}`)));
    const seconds = (performance.now() - startedMs) / 1000;
    const after = face.usage();
    await readBack(ground, WARM_UP + creates);
    return {
      perSecond: creates / seconds,
      p50Ms: percentileOf(tookMs, 0.5),
      p99Ms: percentileOf(tookMs, 0.99),
      cpuMs: ((after.cpuSeconds - before.cpuSeconds) * 1000) / creates,
      residentMb: after.residentMb,
    };
  } finally {
    await pool.destroy();
    await face.stop();
    await ground.clear();
  }
}

/** Posts one wish; how long it took until the whole answer was there. */
function poster(pool: Pool, token: string): (key: string) => Promise<number> {
  const body = JSON.stringify(WISH);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return async (key) => {
    const startedMs = performance.now();
    const answer = await pool.request({
      ...{ method: "POST", path: "/v1/tasks", body },
      headers: { ...headers, "idempotency-key": key },
    });
    const text = await answer.body.text();
    if (answer.statusCode === 202) return performance.now() - startedMs;
    throw new Error(`cannot compare: a create was answered ${answer.statusCode}: ${text.slice(0, 200)}`);
  };
}

/** An answer is worth nothing without the object. */
async function readBack({ api }: OpenGround, expected: number): Promise<void> {
  const { items } = (await api.call("GET", TASKS_PATH)) as { readonly items: readonly unknown[] };
  if (items.length !== expected)
    throw new Error(`cannot compare: ${items.length} tasks are there, and ${expected} were accepted`);
}
