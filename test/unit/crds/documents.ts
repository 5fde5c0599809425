// The files of crds/samples and crds/invalid, read for tests.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import type { Kind } from "../../../crds/definition.ts";
import { KINDS } from "../../../crds/kinds.ts";

const CRDS = join(import.meta.dirname, "../../../crds");

export interface KubernetesDocument {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec?: unknown;
  readonly data?: Readonly<Record<string, string>>;
}

export interface DocumentFile {
  readonly name: string;
  /** What the first line says after "# ". */
  readonly firstLine: string;
  readonly text: string;
  /** One; in crds/invalid two, when it is the change from the first to the second that is refused. */
  readonly documents: readonly [KubernetesDocument, KubernetesDocument?];
}

/** Every file of the folder, by name. */
export function documentFiles(folder: "samples" | "invalid"): readonly DocumentFile[] {
  return readdirSync(join(CRDS, folder)).map((name) => {
    const text = readFileSync(join(CRDS, folder, name), "utf8");
    const documents = parseAllDocuments(text).map((document) => document.toJS() as KubernetesDocument);
    const [first, second] = documents;
    if (!first) throw new Error(`cannot read crds/${folder}/${name}: it holds no document`);
    return { name, firstLine: /^# (.*)\n/.exec(text)?.[1] ?? "", text, documents: second ? [first, second] : [first] };
  });
}

/** The part of the message that an invalid file expects. */
export function expectedMessage({ name, firstLine }: DocumentFile): string {
  const message = /^expect: (.+)$/.exec(firstLine)?.[1];
  if (message === undefined) throw new Error(`cannot read crds/invalid/${name}: its first line is not "# expect: …"`);
  return message;
}

/** The kind of one of our own documents; undefined for those of Kubernetes. */
export function kindOf(document: KubernetesDocument): Kind | undefined {
  return KINDS.find(({ kind }) => kind === document.kind);
}
