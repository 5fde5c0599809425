// Where things lie in the bucket, and how outputs are named there. Every key can be told from the attempt alone,
// so that a repeated fetch ends at the same places, and what an attempt left can be found again.
import type { Output } from "../task/outcome.ts";

export interface Keys {
  /** All staging: `staging/`. */
  readonly staging: string;
  stagedBy(attemptId: string): string;
  staged(attemptId: string, index: number): string;
  publishedBy(taskKey: string, attemptId: string): string;
  published(taskKey: string, attemptId: string, name: string): string;
  /** The attempt that a key under `staging/` belongs to. */
  attemptOf(stagedKey: string): string | undefined;
  probe(id: string): string;
}

/** `prefix` is put before everything: "" or a path that ends in "/". */
export function makeKeys(prefix: string): Keys {
  const staging = `${prefix}staging/`;
  const stagedBy = (attemptId: string): string => `${staging}${attemptId}/`;
  const publishedBy = (taskKey: string, attemptId: string): string => `${prefix}assets/${taskKey}/${attemptId}/`;
  return {
    staging,
    stagedBy,
    staged: (attemptId, index) => `${stagedBy(attemptId)}${index}`,
    publishedBy,
    published: (taskKey, attemptId, name) => `${publishedBy(taskKey, attemptId)}${name}`,
    attemptOf: (key) => (key.startsWith(staging) ? key.slice(staging.length).split("/")[0] : undefined),
    probe: (id) => `${staging}self-test/${id}`,
  };
}

const MAX_NAME_LENGTH = 64;

/** A name per output, unique, safe in a key, a URL and a status: the provider's where it has one, else `output-0`, `output-1`, … */
export function nameOutputs(outputs: readonly Output[]): readonly string[] {
  const taken = new Set<string>();
  return outputs.map((output, index) => {
    const wished = sanitised(output.name ?? "");
    const name = wished === "" || taken.has(wished) ? freeName(index, taken) : wished;
    taken.add(name);
    return name;
  });
}

/** The provider may have given any name, ours too: tried until one is free, which is at the latest after all that are taken. */
function freeName(index: number, taken: ReadonlySet<string>): string {
  let name = `output-${index}`;
  for (let next = 1; taken.has(name); next += 1) name = `output-${index}-${next}`;
  return name;
}

function sanitised(name: string): string {
  return name
    .slice(0, 1024)
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[.-]+|[.-]+$/g, "")
    .slice(0, MAX_NAME_LENGTH);
}
