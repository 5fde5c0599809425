// A binary heap that finds its items by key: the first item, an insertion, a change and a removal cost O(log n).
// Does not know what its items are for.

export interface Heap<T> {
  size(): number;
  /** The first item in the given order. */
  first(): T | undefined;
  get(key: string): T | undefined;
  /** Adds the item, or replaces the one with the same key. */
  put(item: T): void;
  remove(key: string): T | undefined;
}

interface Keyed {
  readonly key: string;
}

interface Tree<T extends Keyed> {
  readonly before: (a: T, b: T) => boolean;
  readonly items: T[];
  readonly placeOf: Map<string, number>;
}

/** `before(a, b)` must be a strict order that does not change while an item is inside. */
export function makeHeap<T extends Keyed>(before: (a: T, b: T) => boolean): Heap<T> {
  const tree: Tree<T> = { before, items: [], placeOf: new Map() };
  return {
    size: () => tree.items.length,
    first: () => tree.items[0],
    get: (key) => {
      const at = tree.placeOf.get(key);
      return at === undefined ? undefined : tree.items[at];
    },
    put: (item) => {
      remove(tree, item.key);
      rise(tree, item, tree.items.length);
    },
    remove: (key) => remove(tree, key),
  };
}

function place<T extends Keyed>({ items, placeOf }: Tree<T>, item: T, at: number): void {
  items[at] = item;
  placeOf.set(item.key, at);
}

function rise<T extends Keyed>(tree: Tree<T>, item: T, from: number): void {
  let at = from;
  while (at > 0) {
    const parentAt = (at - 1) >> 1;
    const parent = tree.items[parentAt];
    if (parent === undefined || !tree.before(item, parent)) break;
    place(tree, parent, at);
    at = parentAt;
  }
  place(tree, item, at);
}

function sink<T extends Keyed>(tree: Tree<T>, item: T, from: number): void {
  let at = from;
  for (;;) {
    const childAt = firstChildAt(tree, at);
    const child = tree.items[childAt];
    if (child === undefined || !tree.before(child, item)) break;
    place(tree, child, at);
    at = childAt;
  }
  place(tree, item, at);
}

function firstChildAt<T extends Keyed>({ items, before }: Tree<T>, at: number): number {
  const leftAt = 2 * at + 1;
  const [left, right] = [items[leftAt], items[leftAt + 1]];
  return left !== undefined && right !== undefined && before(right, left) ? leftAt + 1 : leftAt;
}

function remove<T extends Keyed>(tree: Tree<T>, key: string): T | undefined {
  const { items, placeOf } = tree;
  const at = placeOf.get(key);
  const last = at === undefined ? undefined : items.pop();
  if (at === undefined || last === undefined) return undefined;
  placeOf.delete(key);
  if (last.key === key) return last;

  const removed = items[at];
  rise(tree, last, at); // the last item fills the gap
  sink(tree, last, placeOf.get(last.key) ?? at);
  return removed;
}
