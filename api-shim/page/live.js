// One stream of events for the whole page: opened again whenever it ends, from where it was, until the server says that this
// reader may not.
import { Refusal } from "./api.js";
import { makeEventParser } from "./sse.js";

/** @import { Api } from "./api.js" */
/** @import { ServerEvent } from "./sse.js" */

/**
 * @typedef {{ readonly state: "connecting" | "live" } | { readonly state: "lost"; readonly untilMs: number } | { readonly state: "refused"; readonly refusal: Refusal }} Connection
 */

const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;
/** A stream that lived shorter did not end in good order. */
const LONG_ENOUGH_MS = 5_000;
/** Before the server has said how often it beats. */
const FIRST_QUIET_MS = 60_000;
const MISSED_BEATS = 3;
/** Statuses that trying again does not change. */
const FINAL = new Set([400, 401, 403, 404]);

/**
 * Follows until stopped or refused. Returns how to stop.
 *
 * @param {Api} api
 * @param {(event: ServerEvent) => void} onEvent
 * @param {(connection: Connection) => void} onConnection
 * @returns {() => void}
 */
export function follow(api, onEvent, onConnection) {
  const stop = new AbortController();
  let lastEventId = "";
  let waitMs = FIRST_WAIT_MS;

  /** @param {ServerEvent} event */
  function take(event) {
    onEvent(event);
    lastEventId = event.id ?? lastEventId;
    waitMs = FIRST_WAIT_MS;
  }
  async function run() {
    while (!stop.signal.aborted) {
      onConnection({ state: "connecting" });
      const told = { take, opened: () => onConnection({ state: "live" }) };
      const sinceMs = performance.now();
      const refusal = await readOnce(api, lastEventId, told, stop.signal);
      if (stop.signal.aborted) return;
      if (refusal !== undefined && FINAL.has(refusal.status)) {
        onConnection({ state: "refused", refusal });
        return;
      }
      // A stream ends now and then, so that the server asks anew who reads it: nothing is lost by that, and nobody is told.
      const isOrderly = refusal === undefined && performance.now() - sinceMs > LONG_ENOUGH_MS;
      if (isOrderly) await pause(Math.random() * FIRST_WAIT_MS, stop.signal);
      else await waitFor(refusal);
    }
  }
  /** @param {Refusal | undefined} refusal */
  async function waitFor(refusal) {
    const thisWaitMs = Math.max(waitMs * (0.75 + Math.random() / 2), refusal?.retryAfterMs ?? 0);
    waitMs = Math.min(waitMs * 2, MAX_WAIT_MS);
    onConnection({ state: "lost", untilMs: Date.now() + thisWaitMs });
    await pause(thisWaitMs, stop.signal);
  }

  void run();
  return () => stop.abort();
}

/**
 * One connection from its beginning to its end. Resolves with what the server refused, or undefined when it just ended.
 *
 * @param {Api} api
 * @param {string} lastEventId
 * @param {{ readonly take: (event: ServerEvent) => void; readonly opened: () => void }} told
 * @param {AbortSignal} stop
 * @returns {Promise<Refusal | undefined>}
 */
async function readOnce(api, lastEventId, { opened, take }, stop) {
  const quiet = makeQuietLimit();
  try {
    const answer = await api.events(lastEventId, AbortSignal.any([stop, quiet.signal]));
    if (answer.body === null) return undefined;
    const parse = makeEventParser((event) => {
      if (event.event === "tasks") {
        quiet.allow(event.data);
        opened();
      }
      take(event);
    });
    const decoder = new TextDecoder();
    const reader = answer.body.getReader();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      quiet.heard();
      parse(decoder.decode(piece.value, { stream: true }));
    }
    return undefined;
  } catch (error) {
    return error instanceof Refusal ? error : undefined; // a connection that broke is one that ended
  } finally {
    quiet.end();
  }
}

/** A connection that is dead without saying so: nothing was heard for as long as several beats take. */
function makeQuietLimit() {
  const limit = new AbortController();
  let quietMs = FIRST_QUIET_MS;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => limit.abort(), quietMs);
  };
  heard();
  return {
    signal: limit.signal,
    heard,
    end: () => clearTimeout(timer),
    /** @param {string} data Of the first event. */
    allow: (data) => {
      const told = /** @type {unknown} */ (JSON.parse(data));
      const { heartbeatSeconds } = /** @type {{ readonly heartbeatSeconds: number }} */ (told);
      quietMs = Math.max(heartbeatSeconds * 1000 * MISSED_BEATS, 5_000);
      heard();
    },
  };
}

/**
 * Ends early when the network comes back.
 *
 * @param {number} ms
 * @param {AbortSignal} stop
 * @returns {Promise<void>}
 */
function pause(ms, stop) {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      stop.removeEventListener("abort", over);
      removeEventListener("online", over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    stop.addEventListener("abort", over);
    addEventListener("online", over);
  });
}
