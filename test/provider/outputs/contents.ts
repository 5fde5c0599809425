// A bounded memory of contents and their digests: making one costs milliseconds, and every query and fetch asks for it.
import { sha256Of, type Content } from "../media/content.ts";
import { contentOf, type Output } from "./output.ts";

const MAX_REMEMBERED = 200;

export interface Contents {
  of(jobId: string, output: Output): Content;
  sha256(jobId: string, output: Output): string;
}

interface Remembered {
  readonly content: Content;
  sha256?: string;
}

export function makeContents(): Contents {
  const remembered = new Map<string, Remembered>();

  const recall = (jobId: string, output: Output): Remembered => {
    const key = `${jobId}/${output.name}`;
    const known = remembered.get(key) ?? { content: contentOf(jobId, output) };
    remembered.delete(key); // and again at the end: the first key is the one unused for longest
    remembered.set(key, known);
    for (const [oldest] of remembered) {
      if (remembered.size <= MAX_REMEMBERED) break;
      remembered.delete(oldest);
    }
    return known;
  };

  return {
    of: (jobId, output) => recall(jobId, output).content,
    sha256: (jobId, output) => {
      const known = recall(jobId, output);
      return (known.sha256 ??= sha256Of(known.content));
    },
  };
}
