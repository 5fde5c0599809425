// Every call to the API server: over the one shared pool, with a deadline, its answer within limits, its faults as
// KubeErrors. Repeats only what cannot have been executed or only reads. Knows paths, not kinds.
import type { KubeConfig } from "@kubernetes/client-node";
import { readJson, readLines, type Call } from "./answers.ts";
import { asError, sleep, systemClock, type Clock, type Random } from "./clock.ts";
import { makeConnection, type Connection } from "./connection.ts";
import { makeDeadline, type Deadline } from "./deadline.ts";
import { KubeError, TerminalError, TermOver } from "./errors.ts";
import { silent, type Log } from "./log.ts";
import { callOf, makeSender, type KubeRequest, type RestMetrics, type Send } from "./sender.ts";

export interface CallOptions {
  readonly signal: AbortSignal;
  /** For the whole call with its repetitions. Default 30 000. */
  readonly timeoutMs?: number;
  /**
   * Asked before each try is given to the connection; false: it throws TermOver. For who may act only for a time: after the process
   * stood still, what was read meanwhile is worked on before any timer fires.
   */
  readonly mayWrite?: (() => boolean) | undefined;
}

export interface StreamOptions {
  readonly signal: AbortSignal;
  /** The longest silence, bookmarks included. Default 70 000: the server sends a bookmark a minute. */
  readonly idleMs?: number;
}

export interface Transport {
  /** The parsed answer; undefined when it is empty. Throws KubeError, TermOver, TerminalError for a body that is no JSON, or the signal's reason when the caller gave up. */
  request(request: KubeRequest, options: CallOptions): Promise<unknown>;
  /** The parsed lines of a watch, until the server ends it. Throws like `request`, with reason "Stalled" on silence. */
  stream(request: KubeRequest, options: StreamOptions): AsyncIterable<unknown>;
  /** Cuts everything. */
  close(): Promise<void>;
}

export interface TransportDeps {
  readonly kubeConfig: KubeConfig;
  readonly userAgent?: string;
  readonly metrics?: RestMetrics;
  readonly log?: Log;
  readonly clock?: Clock;
  readonly random?: Random;
  /** For servers without HTTP/2. Watches hold one each, so it must exceed their number. Default 64. */
  readonly maxConnections?: number;
}

const TIMEOUT_MS = 30_000;
const IDLE_MS = 70_000;
const MAX_TRIES = 5;
const DEFAULT_WAIT_MS = 250;

/** Built from the configuration's current context; reads its files again and again. */
export function makeTransport(deps: TransportDeps): Transport {
  const { kubeConfig, metrics, log = silent, clock = systemClock, random = Math.random } = deps;
  const connection = makeConnection({ kubeConfig, clock, log, maxConnections: deps.maxConnections ?? 64 });
  const send = makeSender({ connection, clock, metrics, userAgent: deps.userAgent ?? "kubernetes-runtime" });
  const parts = { connection, send, clock, random };
  return {
    request: (request, options) => repeatedly(parts, request, options),
    stream: (request, options) => stream(parts, request, options),
    close: () => connection.close(),
  };
}

interface Parts {
  readonly connection: Connection;
  readonly send: Send;
  readonly clock: Clock;
  readonly random: Random;
}

async function repeatedly(parts: Parts, request: KubeRequest, options: CallOptions): Promise<unknown> {
  const { clock, random } = parts;
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const endsMs = clock.monotonicMs() + timeoutMs;
  const late = (): Error => new KubeError({ ...callOf(request), status: 0, reason: "Timeout" });
  const deadline = makeDeadline(clock, options.signal, timeoutMs, late);
  try {
    for (let tries = 1; ; tries++) {
      const result = await once(parts, request, { deadline, mayWrite: options.mayWrite });
      if ("value" in result) return result.value;

      const { error } = result;
      const waitMs = tries < MAX_TRIES ? waitBeforeRepeat(error, { method: request.method, tries, random }) : undefined;
      const isInTime = waitMs !== undefined && clock.monotonicMs() + waitMs < endsMs;
      if (!isInTime || deadline.signal.aborted) throw error;
      await sleep(clock, waitMs, deadline.signal);
    }
  } finally {
    deadline.clear();
  }
}

type Result = { readonly value: unknown } | { readonly error: Error };

interface Try extends Pick<CallOptions, "mayWrite"> {
  readonly deadline: Deadline;
}

async function once(
  { send, connection, clock }: Parts,
  request: KubeRequest,
  { deadline, mayWrite }: Try,
): Promise<Result> {
  const call = callOf(request);
  const startedMs = clock.monotonicMs();
  try {
    return { value: await readJson(await send(request, deadline.signal, mayWrite), call) };
  } catch (error) {
    if (deadline.expired()) connection.suspect(startedMs);
    return { error: faultOf(error, deadline.signal, call) };
  }
}

async function* stream(
  { send, connection, clock }: Parts,
  request: KubeRequest,
  options: StreamOptions,
): AsyncGenerator<unknown, void, undefined> {
  const call = callOf(request);
  const stalled = (): Error => new KubeError({ ...call, status: 0, reason: "Stalled" });
  const deadline = makeDeadline(clock, options.signal, options.idleMs ?? IDLE_MS, stalled);
  let heardMs = clock.monotonicMs();

  async function* noting(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of chunks) {
      connection.heard();
      heardMs = clock.monotonicMs();
      deadline.extend();
      yield chunk;
    }
  }

  try {
    const body = await send(request, deadline.signal);
    heardMs = clock.monotonicMs();
    yield* readLines(noting(body), call);
  } catch (error) {
    if (deadline.expired()) connection.suspect(heardMs);
    throw faultOf(error, deadline.signal, call);
  } finally {
    deadline.clear();
  }
}

// What the caller sees: his own reason, the deadline's, the server's fault, or "no answer".
function faultOf(error: unknown, signal: AbortSignal, call: Call): Error {
  if (signal.aborted) return asError(signal.reason);
  if (error instanceof KubeError || error instanceof TerminalError || error instanceof TermOver) return error;
  return new KubeError({ ...call, status: 0, reason: "Unreachable" }, error);
}

interface Tried {
  readonly method: string;
  readonly tries: number;
  readonly random: Random;
}

// 429 and 401 were not executed. Anything else is repeated only when it reads.
function waitBeforeRepeat(error: Error, { method, tries, random }: Tried): number | undefined {
  if (!(error instanceof KubeError)) return undefined;
  if (error.status === 401) return tries === 1 ? 0 : undefined;

  const isRead = method === "GET" && (error.status === 503 || error.reason === "Unreachable");
  if (error.status !== 429 && !isRead) return undefined;
  const backoffMs = DEFAULT_WAIT_MS * 2 ** (tries - 1) * random();
  const askedMs = error.retryAfterMs;
  return askedMs === undefined ? backoffMs : askedMs + 0.1 * askedMs * random();
}
