// The mark that says in which phase a task is, and how far.
import { h, setAttribute, setText } from "./dom.js";
import { groupOf } from "./words.js";

/** @import { TaskView } from "../tasks/view.ts" */

export function makePhase() {
  const text = h("span");
  const progress = h("progress", { max: 100, "aria-label": "Progress at the provider" });
  const element = h("span", { class: "phase" }, text, progress);
  return {
    element,
    /** @param {TaskView} task */
    show: (task) => {
      const isRunning = task.phase === "Polling" && task.progress !== undefined;
      setAttribute(element, "data-tone", groupOf(task));
      setText(text, task.phase);
      progress.hidden = !isRunning;
      if (isRunning) progress.value = task.progress ?? 0;
    },
  };
}
