// Brings one output into staging, whole: its length agrees with everything that was said about it.
import type { Framing } from "./answer.ts";
import type { Ending } from "./ending.ts";
import { interrupted, unusable } from "./ending.ts";
import { pour } from "./pour.ts";
import type { PourOrder, Poured } from "./pour.ts";
import type { Source } from "./source.ts";
import type { StoredObject } from "./store/objects.ts";
import type { Upload } from "./store/upload.ts";

export interface Staged extends Omit<Poured, "outcome"> {
  readonly outcome: "staged";
  readonly object: StoredObject;
  /** False: nobody but the file itself can tell that it is whole. */
  readonly isLengthKnown: boolean;
}

/** Closes the source and ends the upload, whatever happens. */
export async function stage(source: Source, upload: Upload, order: PourOrder): Promise<Staged | Ending> {
  let isFinished = false;
  try {
    const mismatch = announced(source.framing, order);
    if (mismatch) return mismatch;
    const poured = await pour(source, upload, order);
    if (poured.outcome !== "poured") return poured;
    const length = await judgeLength(source, poured.bytes, order);
    if (length.outcome !== "length") return length;
    const object = await upload.finish();
    isFinished = true;
    return { ...poured, outcome: "staged", object, isLengthKnown: length.isKnown };
  } finally {
    // The source first: an upload must not wait for a sender that has fallen silent.
    source.close();
    if (!isFinished) await upload.abandon();
  }
}

/** What can be refused before a byte is read. */
function announced(framing: Framing, { name, output, maxBytes }: PourOrder): Ending | undefined {
  if (framing.by !== "length") return undefined;
  if (framing.bytes > maxBytes) return unusable(name, `it is larger than ${maxBytes} bytes`);
  // One that is too short is read all the same: it may be a page that says what is wrong, and then more is known.
  return framing.bytes > (output.bytes ?? maxBytes) ? compare(framing.bytes, output.bytes, name) : undefined;
}

type Length = { readonly outcome: "length"; readonly isKnown: boolean } | Ending;

async function judgeLength(source: Source, bytes: number, { name, output }: PourOrder): Promise<Length> {
  const mismatch = compare(bytes, output.bytes, name);
  if (mismatch) return mismatch;
  if (output.bytes !== undefined || source.framing.by !== "close") return { outcome: "length", isKnown: true };
  // A close-delimited body that was cut looks like one that has ended: ask again how long it is.
  const length = await source.askLength();
  if (length !== undefined && length !== bytes) return interrupted("short");
  return { outcome: "length", isKnown: length !== undefined };
}

/** Fewer bytes than the provider said may be a cut transfer; more are another file. */
function compare(bytes: number, said: number | undefined, name: string): Ending | undefined {
  if (said === undefined || bytes === said) return undefined;
  if (bytes < said) return interrupted("short");
  return unusable(name, `it has more bytes than the ${said} that the provider announced`);
}
