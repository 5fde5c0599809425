// JSON that is kept by the hundred thousand, small: what many texts have in common is kept once, and each keeps only its own words.
// Nothing is lost, and nothing is known of what the texts say.

export interface Packed {
  /** The text without its own words; one string for all that are alike. */
  readonly template: string;
  /** The words, in order, each behind a mark; an empty one is the one before again. */
  readonly words: string;
}

/** Words that begin with a digit, of three characters or more: times, amounts, sizes. */
const OWN_WORD = /\d[\w:.-]{2,}/g;
// None of them is in a text: JSON.stringify escapes control characters.
const GAP = "\u0000";
const WORD = "\u0001";
const NAMES = ["\u0002", "\u0003"] as const;
const SHORTEST_NAME = 3;
/** Beyond, the table begins anew. A template that has left it lives on with what was packed by it. */
const MAX_TEMPLATES = 4_096;

/** What else tells one text from the others, at most two: kept elsewhere, and the same when it is unpacked. */
export type Names = readonly (string | undefined)[];

/** Packs what JSON can hold. */
export type Packer = (value: unknown, names: Names) => Packed;

/** One for a kind of text. */
export function makePacker(): Packer {
  const intern = makeIntern<string>(MAX_TEMPLATES);
  return (value, names) => {
    let text = JSON.stringify(value);
    NAMES.forEach((mark, index) => {
      const name = names[index] ?? "";
      if (name.length >= SHORTEST_NAME) text = text.replaceAll(name, mark);
    });
    // Joined with a first, empty one: a word alone would be a slice, which keeps the whole text in memory.
    const words = [""];
    let last = "";
    const template = text.replace(OWN_WORD, (word) => {
      words.push(word === last ? "" : word);
      last = word;
      return GAP;
    });
    return { template: intern(template, () => template), words: words.join(WORD) };
  };
}

/** The value that was packed with these names, made anew at each call. */
export function unpack({ template, words }: Packed, names: Names): unknown {
  const own = words.split(WORD);
  let [at, last] = [1, ""];
  let text = template.replaceAll(GAP, () => {
    const word = own[at++] ?? "";
    if (word !== "") last = word;
    return last;
  });
  NAMES.forEach((mark, index) => {
    text = text.replaceAll(mark, () => names[index] ?? "");
  });
  return JSON.parse(text);
}

/** The same value for the same key, made at its first use, and again when so many others have come since. */
export type Intern<T> = (key: string, make: () => T) => T;

export function makeIntern<T>(maxKeys: number): Intern<T> {
  const values = new Map<string, T>();
  return (key, make) => {
    const known = values.get(key);
    if (known !== undefined) return known;
    if (values.size >= maxKeys) values.clear();
    const value = make();
    values.set(key, value);
    return value;
  };
}
