// What a view is, and what it is given.
import { h } from "./dom.js";

/** @import { Api } from "./api.js" */
/** @import { Store } from "./store.js" */
/** @import { Filter } from "./task-list.js" */
/** @import { Refusal } from "./api.js" */

/**
 * @typedef {object} Context
 * @property {Api} api
 * @property {Store} store
 * @property {Filter} filter Of the list; kept while other views are shown.
 * @property {(text: string) => void} announce Told to who does not see the page.
 */

/**
 * @typedef {object} View
 * @property {HTMLElement} element With a heading #view-title that takes the focus.
 * @property {string} title
 * @property {() => void} [update] The tasks changed.
 * @property {() => void} [close]
 */

const REFRESH_MS = 10_000;

/**
 * Runs it now and every ten seconds while the page is seen, one at a time. Returns how to stop.
 *
 * @param {() => Promise<void>} run
 */
export function refreshing(run) {
  let isRunning = false;
  const turn = () => {
    if (isRunning || document.hidden) return;
    isRunning = true;
    void run().finally(() => (isRunning = false));
  };
  turn();
  const timer = setInterval(turn, REFRESH_MS);
  document.addEventListener("visibilitychange", turn);
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", turn);
  };
}

/**
 * What was refused, and what to do about it.
 *
 * @param {unknown} refusal
 */
export function problemElement(refusal) {
  return h("p", { class: "problem", role: "alert" }, refusalText(refusal));
}

/** @param {unknown} refusal */
export function refusalText(refusal) {
  const { code, message, status } = /** @type {Partial<Refusal>} */ (refusal);
  const way = WAYS[code ?? ""] ?? (status === undefined ? "Reload the page." : "");
  return `${sentence(message ?? "something went wrong")} ${way}`.trim();
}

/** @type {Readonly<Record<string, string>>} */
const WAYS = {
  unauthenticated: "Get a new token with `kubectl create token`, and sign in again.",
  forbidden: "The guide has the Role that is needed.",
  "no-answer":
    "What is shown is asked for again by itself; what you sent is not: send it again, under the same name it is made once.",
  "books-unavailable": "Nothing was started. Send it again in a moment.",
  "backlog-full": "Nothing was started. Send it again later.",
};

/** @param {string} text */
function sentence(text) {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? "" : "."}`;
}
