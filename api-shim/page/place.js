// Where the page is, as its address says: a hash, so that each place can be linked to and no server hears of it.

/**
 * @typedef {{ readonly view: "account" | "new" | "providers" | "tasks" } | { readonly view: "task", readonly namespace: string, readonly id: string }} Place
 */

const VIEWS = /** @type {const} */ (["account", "new", "providers", "tasks"]);

/**
 * Any other hash is the list of tasks.
 *
 * @param {string} hash
 * @returns {Place}
 */
export function placeOf(hash) {
  const [view, namespace, id] = hash.replace(/^#\/?/, "").split("/").map(decoded);
  if (view === "tasks" && namespace && id) return { view: "task", namespace, id };
  return { view: VIEWS.find((one) => one === view) ?? "tasks" };
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}

/**
 * @param {string} namespace
 * @param {string} id
 */
export function taskHash(namespace, id) {
  return `#/tasks/${encodeURIComponent(namespace)}/${encodeURIComponent(id)}`;
}
