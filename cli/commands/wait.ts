// `wait`: until a task is in a phase, or can't come to it any more. Each ending has an exit code of its own.
import { sleep, systemClock } from "../../operator/runtime/clock.ts";
import { KubeError } from "../../operator/runtime/errors.ts";
import { isFinal, type Phase } from "../../operator/task/phase.ts";
import { SeenTask, TASKS, kubectlName } from "../cluster/kinds.ts";
import { listObjects, watchObjects, type Change } from "../cluster/objects.ts";
import { ApiError } from "../cluster/client.ts";
import { EXIT, Failure, type ExitCode } from "../failure.ts";
import { duration } from "../output/quantities.ts";
import { printable } from "../output/terminal.ts";
import { because, type Session } from "../session.ts";

export interface WaitOptions {
  readonly for: Phase;
  /** In milliseconds. */
  readonly timeout: number;
}

const LONGEST_MS = 2_000_000_000; // what a timer can hold: 23 days
const AGAIN_MS = 1_000;

export async function waitForTask(session: Session, name: string, options: WaitOptions): Promise<ExitCode> {
  const doing = `wait for ${session.namespace}/${name}`;
  const timeoutMs = options.timeout;
  const late = AbortSignal.timeout(Math.min(timeoutMs, LONGEST_MS));
  const told = { phase: "Pending", isThere: false };
  try {
    return await reached(
      { ...session, signal: AbortSignal.any([session.signal, late]) },
      { name, doing, told, phase: options.for },
    );
  } catch (error) {
    session.signal.throwIfAborted();
    if (!late.aborted) throw error;
    throw new Failure(
      `cannot ${doing} any longer: it is still ${told.phase} after ${duration(timeoutMs)}`,
      EXIT.timedOut,
    );
  } finally {
    session.terminal.show("");
  }
}

interface Goal {
  readonly name: string;
  readonly phase: Phase;
  readonly doing: string;
  /** What was last seen. */
  readonly told: { phase: string; isThere: boolean };
}

/** An API server that is away for a while is waited for, once it has told that there is such a task. */
async function reached(session: Session, goal: Goal): Promise<ExitCode> {
  const refused = because(goal.doing);
  let verdict = await watchOnce(session, goal).catch(refused);
  while (verdict === undefined) {
    await sleep(systemClock, AGAIN_MS, session.signal);
    verdict = await watchOnce(session, goal).catch((error: unknown) => {
      session.signal.throwIfAborted();
      return isPassing(error) ? undefined : refused(error);
    });
  }
  return verdict;
}

/** Undefined: the watch ended, as it does now and then, or broke; look anew. */
async function watchOnce(session: Session, goal: Goal): Promise<ExitCode | undefined> {
  const { cluster, namespace, signal } = session;
  const selection = { namespace, fieldSelector: `metadata.name=${goal.name}` };
  const { items, resourceVersion } = await listObjects(cluster, TASKS, selection, signal);
  const [first] = items;
  if (first === undefined && goal.told.isThere) throw deleted(goal);
  if (first === undefined) throw new Failure(`cannot ${goal.doing}: there is no such task`);
  goal.told.isThere = true;
  const verdict = judge(session, goal, first);
  if (verdict !== undefined) return verdict;
  try {
    const watched = { ...selection, resourceVersion };
    for await (const change of watchObjects(cluster, TASKS, watched, signal)) {
      if (change.type === "ERROR") break;
      const now = judgeChange(session, goal, change);
      if (now !== undefined) return now;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!isPassing(error)) throw error;
  }
  return undefined;
}

/** The connection broke, or the server is overloaded or just starting: nothing was learned. */
function isPassing(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 0 || error.status === 429 || error.status >= 500;
  return isBroken(error);
}

/** A stream that broke off, by the runtime's or the system's word for it. */
function isBroken(error: unknown): boolean {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return error instanceof KubeError || typeof code === "string";
}

function judgeChange(session: Session, goal: Goal, { object, type }: Change): ExitCode | undefined {
  if (type === "DELETED") throw deleted(goal);
  return judge(session, goal, object);
}

function deleted({ doing }: Goal): Failure {
  return new Failure(`cannot ${doing}: it was deleted`, EXIT.endedOtherwise);
}

function judge(
  { format, terminal }: Session,
  { name, phase: goal, told }: Goal,
  object: unknown,
): ExitCode | undefined {
  const { status } = SeenTask.parse(object);
  const phase = status.phase ?? "Pending";
  if (phase !== told.phase) terminal.show(`${name}: ${phase}`);
  told.phase = phase;
  if (phase !== goal && !isOver(phase)) return undefined;
  terminal.show("");
  if (phase === goal) {
    const full = kubectlName(TASKS, name);
    terminal.write(format === "name" ? full : `${full} ${phase}`);
    return EXIT.done;
  }
  const why = status.message === undefined ? "" : `: ${printable(status.message)}`;
  throw new Failure(`cannot wait for ${goal} of ${name}: it is ${phase}${why}`, EXIT.endedOtherwise);
}

/** A review has no end by itself. */
function isOver(phase: Phase): boolean {
  return isFinal(phase) || phase === "NeedsReview";
}
