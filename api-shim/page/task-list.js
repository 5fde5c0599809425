// Which tasks are shown, and in which order. Values in, values out.
import { groupOf, titleOf } from "./words.js";

/** @import { TaskView } from "../tasks/view.ts" */
/** @import { Group } from "./words.js" */

/**
 * @typedef {object} Filter
 * @property {Group | "all"} group
 * @property {string} reason "" for any.
 * @property {string} text "" for any.
 * @property {"newest" | "oldest" | "position"} order
 * @property {number} page From 0 on.
 */

/** @returns {Filter} */
export function everything() {
  return { group: "all", reason: "", text: "", order: "newest", page: 0 };
}

export const PAGE_SIZE = 50;

/**
 * @typedef {object} Listed
 * @property {readonly TaskView[]} shown Of the page.
 * @property {number} page The one that was asked for, or the last there is.
 * @property {number} pages
 * @property {number} found On all pages.
 * @property {ReadonlyMap<Group | "all", number>} groups How many in each.
 * @property {readonly { readonly reason: string; readonly count: number; readonly oldest: string }[]} reasons In the chosen group, most frequent first.
 */

/**
 * @param {readonly TaskView[]} tasks
 * @param {Filter} filter
 * @returns {Listed}
 */
export function list(tasks, filter) {
  /** @type {Map<Group | "all", number>} */
  const groups = new Map([["all", tasks.length]]);
  for (const task of tasks) groups.set(groupOf(task), (groups.get(groupOf(task)) ?? 0) + 1);
  const grouped = filter.group === "all" ? tasks : tasks.filter((task) => groupOf(task) === filter.group);
  const found = grouped
    .filter((task) => (filter.reason === "" || task.reason === filter.reason) && matches(task, filter.text))
    .sort(ORDERS[filter.order]);
  const pages = Math.max(1, Math.ceil(found.length / PAGE_SIZE));
  const page = Math.min(filter.page, pages - 1);
  return {
    shown: found.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE),
    ...{ page, pages, found: found.length, groups },
    reasons: reasonsOf(grouped),
  };
}

/**
 * @param {TaskView} task
 * @param {string} text
 */
function matches(task, text) {
  const wanted = text.trim().toLowerCase();
  const { id, message = "", model = "", provider = "", reason = "" } = task;
  return (
    wanted === "" || [id, titleOf(task), model, provider, reason, message].join("\n").toLowerCase().includes(wanted)
  );
}

/** @type {(one: TaskView, other: TaskView) => number} */
const byAge = (one, other) =>
  (one.createdAt ?? "").localeCompare(other.createdAt ?? "") || one.id.localeCompare(other.id);

/** @type {Readonly<Record<Filter["order"], (one: TaskView, other: TaskView) => number>>} */
const ORDERS = {
  newest: (one, other) => byAge(other, one),
  oldest: byAge,
  position: (one, other) => (one.queuePosition ?? Infinity) - (other.queuePosition ?? Infinity) || byAge(one, other),
};

/**
 * @param {readonly TaskView[]} tasks
 * @returns {Listed["reasons"]}
 */
function reasonsOf(tasks) {
  const byReason = Map.groupBy(tasks, ({ reason = "" }) => reason);
  byReason.delete("");
  return [...byReason]
    .map(([reason, some]) => ({
      ...{ reason, count: some.length },
      oldest: some.map(({ createdAt = "" }) => createdAt).reduce((one, other) => (one < other ? one : other)),
    }))
    .sort((one, other) => other.count - one.count || one.reason.localeCompare(other.reason));
}
