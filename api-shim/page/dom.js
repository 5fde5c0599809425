// Elements made from values. Text only ever becomes text: there is no way here to hand over markup, and an address that is not
// http(s) or a place in this page is left out, so that whatever a task says can't become a part of the page.

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Readonly<Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>>} Attributes */

const ADDRESSES = new Set(["href", "src"]);

/**
 * An element. An attribute that is true is set, one that is false or absent is not; a function listens to the event of its name.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else setAttribute(element, name, value);
  }
  fill(element, ...children);
  return element;
}

/**
 * @param {Element} element
 * @param {string} name
 * @param {string | number | boolean | null | undefined} value
 */
export function setAttribute(element, name, value) {
  const text =
    value === true ? "" : value === false || value === null || value === undefined ? undefined : String(value);
  if (text === undefined || (ADDRESSES.has(name) && !isAddress(text))) element.removeAttribute(name);
  else if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

/** @param {string} text */
function isAddress(text) {
  return text.startsWith("#") || /^https?:\/\//i.test(text);
}

/**
 * Replaces what is in it.
 *
 * @param {Element} element
 * @param {...Child} children
 */
export function fill(element, ...children) {
  const nodes = children.filter((child) => child !== null && child !== undefined && child !== false);
  element.replaceChildren(...nodes.map((child) => (child instanceof Node ? child : String(child))));
}

/**
 * Touches nothing when the text is there already: what does not change is not laid out, and not read aloud, again.
 *
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * The element of the document that has this id. The document is ours: it is there.
 *
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`cannot find #${id} in the document`);
  return element;
}

/**
 * Rows of a list that are made once for each key and then only changed.
 *
 * @template T
 * @param {Element} list
 * @param {() => { readonly element: Element; update(item: T): void }} makeRow
 * @returns {(items: readonly (readonly [string, T])[]) => void}
 */
export function makeRows(list, makeRow) {
  /** @type {Map<string, ReturnType<typeof makeRow>>} */
  let rows = new Map();
  return (items) => {
    const next = new Map(items.map(([key]) => [key, rows.get(key) ?? makeRow()]));
    for (const [key, row] of rows) if (!next.has(key)) row.element.remove();
    rows = next;
    items.forEach(([key, item], index) => {
      const row = next.get(key);
      if (row === undefined) return;
      row.update(item);
      // Moved only when it must be: what has the focus keeps it.
      if (list.children[index] !== row.element) list.insertBefore(row.element, list.children[index] ?? null);
    });
  };
}
