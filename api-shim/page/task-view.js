// One task: where it stands and why, what there is to do, its outputs, its money, and what it went through.
import { makeActions } from "./actions.js";
import { makeAssets } from "./assets.js";
import { h, setText } from "./dom.js";
import { factsOf, makeFacts, moneyOf } from "./facts.js";
import { makeHistory } from "./history.js";
import { makePhase } from "./phase.js";
import { makeTimeline } from "./timeline-list.js";
import { timelineOf } from "./timeline.js";
import { hintFor, placeText, titleOf } from "./words.js";

/** @import { TaskView } from "../tasks/view.ts" */
/** @import { Api } from "./api.js" */
/** @import { Moment } from "./timeline.js" */
/** @import { Context, View } from "./view.js" */

/** How often it is told how long the task has been where it is. */
const TICK_MS = 5_000;

/**
 * @param {Context} context
 * @param {string} id
 * @returns {View}
 */
export function makeTaskView(context, id) {
  const { announce, api, store } = context;
  const head = makeHead();
  const actions = makeActions(context, id);
  const body = makeBody(api);
  const absent = h("p", { class: "empty" });
  const back = h("a", { href: "#/tasks" }, "← All tasks");
  const parts = [back, head.element, actions.element, absent, body.element];
  const element = h("section", { "aria-labelledby": "view-title" }, ...parts);
  const history = makeHistory(api, id, update);
  let phase = store.get(id)?.phase;

  function update() {
    const task = store.get(id);
    head.show(task, id);
    actions.show(task);
    body.element.hidden = task === undefined;
    setText(absent, task ? "" : store.missing() > 0 ? "Reading …" : ABSENT);
    if (task === undefined) return;
    body.show(task, timelineOf(task, history.events(), store.sights(id), new Date()));
    if (phase !== undefined && phase !== task.phase) announce(`${titleOf(task)} is ${task.phase}`);
    phase = task.phase;
    history.look(task);
  }
  update();
  const ticking = setInterval(update, TICK_MS);
  const close = () => {
    clearInterval(ticking);
    history.close();
  };
  const first = store.get(id);
  return { element, title: first ? titleOf(first) : id, update, close };
}

const ABSENT = "There is no task of this name in this namespace (any more).";

/** @param {Api} api */
function makeBody(api) {
  const assets = makeAssets(api);
  const timeline = makeTimeline();
  const money = makeFacts("Credits");
  const facts = makeFacts("Facts");
  const left = h("div", {}, assets.element, timeline.element);
  return {
    element: h("div", { class: "columns" }, left, h("div", {}, money.element, facts.element)),
    /** @type {(task: TaskView, moments: readonly Moment[]) => void} */
    show: (task, moments) => {
      assets.show(task);
      timeline.show(moments);
      money.show(moneyOf(task));
      facts.show(factsOf(task));
    },
  };
}

function makeHead() {
  const title = h("h1", { id: "view-title", tabindex: -1 });
  const phase = makePhase();
  const message = h("p", { class: "message" });
  const hint = h("p", { class: "hint" });
  return {
    element: h("div", { class: "head" }, h("div", { class: "title" }, title, phase.element), message, hint),
    /** @type {(task: TaskView | undefined, id: string) => void} */
    show: (task, id) => {
      setText(title, task ? titleOf(task) : id);
      phase.element.hidden = task === undefined;
      if (task) phase.show(task);
      setText(
        message,
        task
          ? [task.message ?? "the operator has not taken it up yet", placeText(task)].filter(Boolean).join(" · ")
          : "",
      );
      setText(hint, (task && hintFor(task)) ?? "");
      hint.hidden = hint.textContent === "";
    },
  };
}
