// One case of the crash matrix from the order to the judgement.
import type { Behaviour } from "./behaviour.ts";
import { passagesOf } from "./behaviours.ts";
import { keyOf } from "./bench.ts";
import type { Place } from "./bench.ts";
import type { CrashCase } from "./cases.ts";
import { complaintsOf } from "./judgement.ts";
import type { Laboratory } from "./laboratory.ts";
import { orderFile, writeOrder } from "./order.ts";
import { PORT_CALLS } from "./port-calls.ts";

export interface CaseResult {
  /** Whether the process died there. */
  readonly reached: boolean;
  /** Empty when the case passes. */
  readonly complaints: readonly string[];
}

/** A limit, not a wait: the machine may be busy. */
const LIMIT_MS = 480_000;

/** Runs it in the namespace; `round` tells a repetition from the first run. Never rejects. */
export async function runCase(
  laboratory: Laboratory,
  namespace: string,
  row: CrashCase,
  round: number,
): Promise<CaseResult> {
  const place = { namespace, name: `case-${String(row.index)}-${String(round)}` };
  const key = keyOf(place);
  writeOrder(laboratory.ordersFolder, key, row.order);
  const complaints = await liveAndJudge(laboratory, place, row.behaviour);
  const reached = orderFile(laboratory.ordersFolder, key).wasCarriedOut();
  await laboratory.forget(place);
  const missed = row.reach === "surely" && !reached ? ["its point was never reached"] : [];
  return { reached, complaints: [...complaints, ...missed] };
}

/** The behaviour's life without any death: what `differs` claims of it is held to what it passes. */
export async function traceBehaviour(
  laboratory: Laboratory,
  namespace: string,
  behaviour: Behaviour,
  index: number,
): Promise<readonly string[]> {
  const place = { namespace, name: `trace-${String(index)}` };
  const key = keyOf(place);
  writeOrder(laboratory.ordersFolder, key, "trace");
  const complaints = await liveAndJudge(laboratory, place, behaviour);
  const passed = orderFile(laboratory.ordersFolder, key).passages();
  await laboratory.forget(place);
  const claims = PORT_CALLS.flatMap((call) => {
    const count = passed.filter((one) => one === call).length;
    const { least, most } = passagesOf(behaviour, call);
    const fits = count >= least && (most === 2 || count <= most);
    return fits
      ? []
      : [`${call} is said to be passed ${String(least)} to ${String(most)} times, and was ${String(count)}`];
  });
  return [...complaints, ...claims];
}

async function liveAndJudge(laboratory: Laboratory, place: Place, behaviour: Behaviour): Promise<readonly string[]> {
  try {
    const drained = await laboratory.live(place, behaviour, AbortSignal.timeout(LIMIT_MS));
    return await complaintsOf(laboratory, place, behaviour, drained);
  } catch (error) {
    return [error instanceof Error ? error.message : "it could not be run"];
  }
}
