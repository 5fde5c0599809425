// The tasks of the namespace as last told, and what this page saw each of them go through. Knows no network and no document.

/** @import { TaskView } from "../tasks/view.ts" */
/** @import { ServerEvent } from "./sse.js" */

/**
 * @typedef {object} Sight
 * @property {string} at
 * @property {TaskView["phase"]} phase
 * @property {string} reason
 * @property {string} message
 * @property {number} attempt
 */

/** Of one task; older ones are forgotten. */
const MAX_SIGHTS = 50;

/** @typedef {ReturnType<typeof makeStore>} Store */

/** @param {() => Date} now */
export function makeStore(now) {
  /** @type {Map<string, TaskView>} */
  const tasks = new Map();
  /** @type {Map<string, readonly Sight[]>} */
  const sights = new Map();
  /** @type {Set<string>} */
  let announced = new Set();
  /** @type {Set<() => void>} */
  const listeners = new Set();
  const changed = () => listeners.forEach((listener) => listener());

  /** @param {TaskView} task */
  function put(task) {
    const { attempt = 0, message = "", phase, reason = "" } = task;
    const before = sights.get(task.id) ?? [];
    const last = before.at(-1);
    tasks.set(task.id, task);
    announced.delete(task.id);
    if (last?.phase === phase && last.reason === reason && last.attempt === attempt) return;
    const sight = { at: now().toISOString(), phase, reason, message, attempt };
    sights.set(task.id, [...before, sight].slice(-MAX_SIGHTS));
  }
  /** @param {string} id */
  function drop(id) {
    tasks.delete(id);
    sights.delete(id);
    announced.delete(id);
  }

  return {
    /**
     * One event of the namespace's stream.
     *
     * @param {ServerEvent} event
     */
    apply: ({ data, event }) => {
      const told = /** @type {unknown} */ (JSON.parse(data));
      if (event === "task") put(/** @type {TaskView} */ (told));
      else if (event === "deleted") drop(/** @type {{ readonly id: string }} */ (told).id);
      else if (event === "tasks") {
        const ids = new Set(/** @type {{ readonly ids: readonly string[] }} */ (told).ids);
        for (const id of tasks.keys()) if (!ids.has(id)) drop(id);
        announced = new Set([...ids].filter((id) => !tasks.has(id)));
      }
      changed();
    },
    /** What an answer told before the stream does. @param {TaskView} task */
    put: (task) => {
      if (!isNewer(task.version, tasks.get(task.id)?.version ?? "")) return; // the stream was faster
      put(task);
      changed();
    },
    get: (/** @type {string} */ id) => tasks.get(id),
    all: () => [...tasks.values()],
    size: () => tasks.size,
    /** How many are there, and not told yet. */
    missing: () => announced.size,
    sights: (/** @type {string} */ id) => sights.get(id) ?? [],
    /** Returns how to stop. @param {() => void} listener */
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/**
 * Versions are whole numbers that may be too long for one.
 *
 * @param {string} one
 * @param {string} other
 */
function isNewer(one, other) {
  return one.length === other.length ? one > other : one.length > other.length;
}
