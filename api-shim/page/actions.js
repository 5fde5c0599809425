// What can be done with a task: hold it, let it go on, and, after a question, cancel it.
import { h } from "./dom.js";
import { problemElement } from "./view.js";
import { isFinal } from "./words.js";

/** @import { TaskView } from "../tasks/view.ts" */
/** @import { Context } from "./view.js" */

/**
 * @param {Context} context
 * @param {string} id
 */
export function makeActions({ announce, api, store }, id) {
  const problem = h("div");
  /** @param {"cancel" | "resume" | "suspend"} change */
  async function run(change) {
    problem.replaceChildren();
    try {
      store.put(await api.change(id, change));
      announce(`${change}: written down`);
    } catch (error) {
      problem.replaceChildren(problemElement(error));
    }
  }
  const hold = h("button", { type: "button", click: () => void run("suspend") }, "Hold");
  const resume = h("button", { type: "button", click: () => void run("resume") }, "Let it go on");
  const question = makeQuestion(() => void run("cancel"));
  const cancel = h("button", { type: "button", class: "danger", click: () => question.showModal() }, "Cancel …");
  const element = h("div", { class: "actions" }, hold, resume, cancel, problem, question);
  return {
    element,
    /** @param {TaskView | undefined} task */
    show: (task) => {
      const isOpen = task !== undefined && !isFinal(task.phase);
      element.hidden = !isOpen;
      hold.hidden = task?.suspend !== false || task.phase !== "Pending";
      resume.hidden = task?.suspend !== true;
      cancel.hidden = task?.cancelRequested !== false;
      if (!isOpen && question.open) question.close();
    },
  };
}

/** @param {() => void} yes */
function makeQuestion(yes) {
  const dialog = h(
    "dialog",
    { "aria-labelledby": "question" },
    h("h2", { id: "question" }, "Cancel this task?"),
    h(
      "p",
      {},
      "Before the submit this costs nothing. Afterwards the provider is asked to stop, and what it bills until then is paid. It can't be undone.",
    ),
    h(
      "div",
      { class: "actions" },
      h("button", { type: "button", click: () => dialog.close() }, "Keep it"),
      h("button", { type: "button", class: "danger", click: confirmed }, "Cancel the task"),
    ),
  );
  function confirmed() {
    dialog.close();
    yes();
  }
  return dialog;
}
