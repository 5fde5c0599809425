// The list of tasks: how many are where and why, and a page of them, live.
import { groupChips, makeChips, reasonChips } from "./chips.js";
import { h, makeRows, setAttribute, setText } from "./dom.js";
import { taskHash } from "./place.js";
import { makePhase } from "./phase.js";
import { list, PAGE_SIZE } from "./task-list.js";
import { setTime, timeElement } from "./time.js";
import { creditsText, placeText, titleOf } from "./words.js";

/** @import { TaskView } from "../tasks/view.ts" */
/** @import { Context, View } from "./view.js" */
/** @import { Filter, Listed } from "./task-list.js" */

/**
 * @param {Context} context
 * @returns {View}
 */
export function makeTasksView({ filter, store }) {
  /** @param {Partial<Filter>} change */
  function choose(change) {
    Object.assign(filter, { page: 0 }, change);
    update();
  }
  const groups = makeChips("By state", (group) =>
    choose({ group: /** @type {Filter["group"]} */ (group), reason: "" }),
  );
  const reasons = makeChips("By reason", (reason) => choose({ reason: filter.reason === reason ? "" : reason }));
  const rows = h("ol", { class: "tasks", "aria-label": "Tasks" });
  const showRows = makeRows(rows, makeRow);
  const empty = h("p", { class: "empty" });
  const pager = makePager((page) => choose({ page }));
  const element = h(
    "section",
    { "aria-labelledby": "view-title" },
    h(
      "div",
      { class: "title" },
      h("h1", { id: "view-title", tabindex: -1 }, "Tasks"),
      h("a", { class: "button primary", href: "#/new" }, "New task"),
    ),
    groups.element,
    reasons.element,
    makeTools(filter, choose),
    rows,
    empty,
    pager.element,
  );

  function update() {
    const listed = list(store.all(), filter);
    groups.show(groupChips(listed, filter));
    reasons.show(reasonChips(listed, filter));
    showRows(listed.shown.map((task) => [task.id, task]));
    setText(empty, emptyText(listed, store.size(), store.missing()));
    empty.hidden = listed.found > 0;
    pager.show(listed);
  }
  update();
  return { element, title: "Tasks", update };
}

/**
 * @param {Listed} listed
 * @param {number} size
 * @param {number} missing
 */
function emptyText({ found }, size, missing) {
  if (found > 0) return "";
  if (size === 0)
    return missing > 0 ? `Reading ${missing} tasks …` : "There is no task in this namespace yet. Make the first one.";
  return "No task is like this.";
}

/**
 * @param {Filter} filter
 * @param {(change: Partial<Filter>) => void} choose
 */
function makeTools(filter, choose) {
  const search = h("input", {
    ...{ type: "search", value: filter.text, placeholder: "Name, model, reason …", autocomplete: "off" },
    input: ({ target }) => choose({ text: /** @type {HTMLInputElement} */ (target).value }),
  });
  const order = h(
    "select",
    {
      change: ({ target }) =>
        choose({ order: /** @type {Filter["order"]} */ (/** @type {HTMLSelectElement} */ (target).value) }),
    },
    h("option", { value: "newest" }, "Newest first"),
    h("option", { value: "oldest" }, "Oldest first"),
    h("option", { value: "position" }, "First in line first"),
  );
  order.value = filter.order;
  return h("div", { class: "tools" }, h("label", {}, "Search ", search), h("label", {}, "Order ", order));
}

function makeRow() {
  const link = h("a", { class: "name" });
  const what = h("span", { class: "what" });
  const phase = makePhase();
  const why = h("span", { class: "why" });
  const place = h("span", { class: "place" });
  const credits = h("span", { class: "credits" });
  const age = timeElement();
  const element = h(
    "li",
    {},
    h("div", { class: "who" }, link, what),
    phase.element,
    why,
    h("div", { class: "tail" }, place, credits, age),
  );
  return {
    element,
    /** @param {TaskView} task */
    update: (task) => {
      setText(link, titleOf(task));
      setAttribute(link, "href", taskHash(task.namespace, task.id));
      setText(what, [task.provider, task.model].filter(Boolean).join(" · "));
      phase.show(task);
      setText(why, task.message ?? task.reason ?? "not taken up yet");
      setText(place, placeText(task));
      setText(credits, creditsText(task));
      setTime(age, task.createdAt);
    },
  };
}

/** @param {(page: number) => void} go */
function makePager(go) {
  let now = 0;
  const [text, previous, next] = [
    h("span"),
    h("button", { type: "button", click: () => go(now - 1) }, "Previous"),
    h("button", { type: "button", click: () => go(now + 1) }, "Next"),
  ];
  const element = h("nav", { class: "pager", "aria-label": "Pages" }, previous, text, next);
  return {
    element,
    /** @param {Listed} listed */
    show: ({ found, page, pages }) => {
      now = page;
      element.hidden = pages < 2;
      setText(text, `${page * PAGE_SIZE + 1}–${Math.min(found, (page + 1) * PAGE_SIZE)} of ${found}`);
      previous.disabled = page === 0;
      next.disabled = page === pages - 1;
    },
  };
}
