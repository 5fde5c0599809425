// What one task went through, from all that is known here: its own times, the events that the operator left in the cluster, and
// what this page saw. Nothing is guessed: what nobody told is not in it.
import { isFinal } from "./words.js";

/** @import { Happening } from "../routes/history.ts" */
/** @import { TaskView } from "../tasks/view.ts" */
/** @import { Sight } from "./store.js" */

/**
 * @typedef {object} Moment
 * @property {string} at
 * @property {string} what
 * @property {string} note "" for none.
 * @property {"alarm" | "end" | "now" | "plain" | "seen"} tone `seen`: only this page knows it.
 * @property {number} [untilNextMs] How long it stayed so.
 */

/** Phases whose coming the operator tells as an event. */
const TOLD = new Set(["SubmitUnknown", "Succeeded", "Failed", "Cancelled", "Rejected", "NeedsReview"]);

/**
 * Oldest first; where it stands now, if it has not ended, comes last.
 *
 * @param {TaskView} task
 * @param {readonly Happening[]} events
 * @param {readonly Sight[]} sights
 * @param {Date} now
 * @returns {readonly Moment[]}
 */
export function timelineOf(task, events, sights, now) {
  const past = [...own(task, events), ...events.map(momentOf), ...seen(sights, events)];
  past.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
  const moments = isFinal(task.phase) ? past : [...past, momentNow(task, now)];
  return moments.map((one, index) => {
    const next = moments[index + 1];
    return next === undefined ? one : { ...one, untilNextMs: Date.parse(next.at) - Date.parse(one.at) };
  });
}

/**
 * @param {TaskView} task
 * @param {Date} now
 * @returns {Moment}
 */
function momentNow({ message = "", nextActionTime, phase, queuePosition, reason }, now) {
  const place = queuePosition === undefined ? "" : `number ${queuePosition} in line`;
  const next = nextActionTime === undefined ? "" : `looks again at ${nextActionTime.slice(11, 19)} UTC`;
  return {
    ...{ at: now.toISOString(), tone: "now" },
    what: reason === undefined || reason === phase ? phase : `${phase}: ${reason}`,
    note: [message, place, next].filter(Boolean).join("; "),
  };
}

/**
 * @param {TaskView} task
 * @param {readonly Happening[]} events
 * @returns {readonly Moment[]}
 */
function own(
  { attempt, completionTime, createdAt, message = "", phase, provider = "", startTime, submittedTime },
  events,
) {
  const isEndTold = events.some(({ reason }) => reason === phase);
  return [
    ...moment(createdAt, "Asked for", "the cluster has the task"),
    ...moment(startTime, "Taken up", "the operator began with it"),
    ...moment(submittedTime, `Attempt ${attempt ?? 1} sent`, provider === "" ? "" : `to ${provider}`),
    ...(isFinal(phase) && !isEndTold ? moment(completionTime, phase, message, "end") : []),
  ];
}

/**
 * @param {string | undefined} at
 * @param {string} what
 * @param {string} note
 * @param {Moment["tone"]} [tone]
 * @returns {readonly Moment[]}
 */
function moment(at, what, note, tone = "plain") {
  return at === undefined ? [] : [{ at, what, note, tone }];
}

const ENDS = new Set(["Succeeded", "Failed", "Cancelled", "Rejected"]);

/**
 * @param {Happening} event
 * @returns {Moment}
 */
function momentOf({ count, firstTime, lastTime, note, reason, type }) {
  const times = count > 1 ? ` (${count} times until ${lastTime.slice(11, 19)} UTC)` : "";
  const tone = type === "Warning" ? "alarm" : ENDS.has(reason) ? "end" : "plain";
  return { at: firstTime, what: reason, note: `${note}${times}`, tone };
}

/**
 * Each change that came while the page was open; the first sight is none. What the operator told as an event is not told twice.
 *
 * @param {readonly Sight[]} sights
 * @param {readonly Happening[]} events
 * @returns {readonly Moment[]}
 */
function seen(sights, events) {
  const told = new Set(events.map(({ reason }) => reason));
  return sights
    .slice(1)
    .filter(({ phase }) => !(TOLD.has(phase) && told.has(phase)))
    .map(({ at, message, phase, reason }) => ({
      ...{ at, tone: /** @type {const} */ ("seen") },
      what: reason === "" || reason === phase ? phase : `${phase}: ${reason}`,
      note: message,
    }));
}
