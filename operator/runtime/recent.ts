// A map that keeps what was used last: adding beyond its limit forgets the least recently used.

export interface Recent<T> {
  get(key: string): T | undefined;
  set(key: string, value: T): void;
  delete(key: string): void;
  entries(): IterableIterator<[string, T]>;
}

export function makeRecent<T>(maxKeys: number): Recent<T> {
  const values = new Map<string, T>();

  function set(key: string, value: T): void {
    values.delete(key);
    values.set(key, value);
    const [oldest] = values.size > maxKeys ? values.keys() : [];
    if (oldest !== undefined) values.delete(oldest);
  }

  return {
    get: (key) => {
      const value = values.get(key);
      if (value !== undefined) set(key, value);
      return value;
    },
    set,
    delete: (key) => void values.delete(key),
    entries: () => values.entries(),
  };
}
