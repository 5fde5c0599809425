// Times for people: how long ago or how soon, exact on request, and ticking by itself without moving anything beside it.
import { h, setAttribute, setText } from "./dom.js";

const UNITS = /** @type {const} */ ([
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
]);

/**
 * "8 s", "3 min", "2 h", "5 d": the largest unit that fits, rounded down.
 *
 * @param {number} ms
 */
export function durationText(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [unit, size] = UNITS.find(([, least]) => seconds >= least) ?? ["s", 1];
  return `${Math.floor(seconds / size)} ${unit}`;
}

/**
 * "8 s ago", or "in 8 s".
 *
 * @param {number} timeMs
 * @param {number} nowMs
 */
export function relativeText(timeMs, nowMs) {
  return timeMs > nowMs ? `in ${durationText(timeMs - nowMs)}` : `${durationText(nowMs - timeMs)} ago`;
}

/**
 * An element that shows this time; empty without one.
 *
 * @param {string} [time]
 */
export function timeElement(time) {
  const element = h("time", { class: "relative" });
  setTime(element, time);
  return element;
}

/**
 * @param {HTMLTimeElement} element
 * @param {string | undefined} time
 */
export function setTime(element, time) {
  setAttribute(element, "datetime", time);
  setAttribute(element, "title", time === undefined ? undefined : exactText(time));
  tick(element, Date.now());
}

/** @param {string} time */
export function exactText(time) {
  return new Date(time).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}

/**
 * @param {HTMLTimeElement} element
 * @param {number} nowMs
 */
function tick(element, nowMs) {
  const timeMs = Date.parse(element.dateTime);
  setText(element, Number.isNaN(timeMs) ? "" : relativeText(timeMs, nowMs));
}

/** Once a second, while somebody can see it. */
export function startTicking() {
  setInterval(() => {
    if (document.hidden) return;
    const nowMs = Date.now();
    for (const element of document.querySelectorAll("time.relative")) {
      if (element instanceof HTMLTimeElement) tick(element, nowMs);
    }
  }, 1_000);
}
