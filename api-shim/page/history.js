// The operator's events of one task: read when the task has changed, and once more soon after, since an event is written a moment
// after what it tells of.

/** @import { Happening } from "../routes/history.ts" */
/** @import { TaskView } from "../tasks/view.ts" */
/** @import { Api } from "./api.js" */

const LATE_MS = 3_000;

/**
 * @param {Api} api
 * @param {string} id
 * @param {() => void} changed
 */
export function makeHistory(api, id, changed) {
  /** @type {readonly Happening[]} */
  let events = [];
  let known = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let late;
  async function read() {
    events = await api.history(id).catch(() => events); // the task itself is shown all the same
    changed();
  }
  return {
    events: () => events,
    /** @param {TaskView} task */
    look: ({ attempt, completionTime, phase, reason }) => {
      const state = JSON.stringify([phase, reason, attempt, completionTime]);
      if (state === known) return;
      known = state;
      clearTimeout(late);
      late = setTimeout(() => void read(), LATE_MS);
      void read();
    },
    close: () => clearTimeout(late),
  };
}
