// `wait`: until a task is in a phase, or can't come to it any more. Each ending has an exit code of its own.
import { isFinal, type Phase } from "../../operator/task/phase.ts";
import { SeenTask, TASKS, kubectlName } from "../cluster/kinds.ts";
import { listObjects, watchObjects, type Change } from "../cluster/objects.ts";
import { ApiError } from "../cluster/client.ts";
import { EXIT, Failure, type ExitCode } from "../failure.ts";
import { duration, parseDuration } from "../output/quantities.ts";
import { printable } from "../output/terminal.ts";
import { because, type Session } from "../session.ts";

export interface WaitOptions {
  readonly for: Phase;
  readonly timeout: string;
}

const LONGEST_MS = 2_000_000_000; // what a timer can hold: 23 days
const AGAIN_MS = 1_000;

export async function waitForTask(session: Session, name: string, options: WaitOptions): Promise<ExitCode> {
  const doing = `wait for ${session.namespace}/${name}`;
  const timeoutMs = parseDuration(options.timeout);
  if (timeoutMs === undefined)
    throw new Failure(`cannot ${doing}: --timeout must be a duration such as 30s, 5m or 1h30m`);
  const late = AbortSignal.timeout(Math.min(timeoutMs, LONGEST_MS));
  const told = { phase: "Pending" };
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
  }
}

interface Goal {
  readonly name: string;
  readonly phase: Phase;
  readonly doing: string;
  /** What was last seen. */
  readonly told: { phase: string };
}

/** An API server that is away for a while is waited for, once it has told that there is such a task. */
async function reached(session: Session, goal: Goal): Promise<ExitCode> {
  const refused = because(goal.doing);
  let verdict = await watchOnce(session, goal).catch(refused);
  while (verdict === undefined) {
    await pause(session.signal);
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
  if (first === undefined) throw new Failure(`cannot ${goal.doing}: there is no such task`);
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
  if (error instanceof Failure) return false;
  return !(error instanceof ApiError) || error.status === 0 || error.status === 429 || error.status >= 500;
}

function judgeChange(session: Session, goal: Goal, { object, type }: Change): ExitCode | undefined {
  if (type === "DELETED") throw new Failure(`cannot ${goal.doing}: it was deleted`, EXIT.endedOtherwise);
  return judge(session, goal, object);
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, AGAIN_MS);
    signal.addEventListener("abort", stop, { once: true });
  });
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
