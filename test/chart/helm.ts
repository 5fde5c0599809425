// Helm as a user runs it, built once from the pinned module in tools/, and what it renders as objects.
import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";
import type { KubeObject } from "../../operator/runtime/objects.ts";
import { compile, whyNoGo, type Say } from "../env/build.ts";
import { cacheKey, cacheRoot, makeOnce } from "../env/cache.ts";

const run = promisify(execFile);
const TOOLS = join(import.meta.dirname, "tools");
export const CHART = join(import.meta.dirname, "..", "..", "charts", "generation-operator");
const LIMIT_MS = 60_000;
/** The sets of values that the chart is tried with. */
export const VALUES_FILES: readonly string[] = readdirSync(join(CHART, "ci")).map((name) => join(CHART, "ci", name));

/** Where Helm is: HELM, or the cache, where it is built when it is not there yet (three minutes, once). */
export async function ensureHelm(say: Say): Promise<string> {
  if (process.env.HELM) return process.env.HELM;
  const folder = join(cacheRoot(process.env), cacheKey("chart-tools", [join(TOOLS, "go.mod"), join(TOOLS, "go.sum")]));
  const helm = join(folder, "helm");
  if (existsSync(helm)) return helm;
  const noGo = whyNoGo();
  if (noGo !== undefined) throw new Error(`cannot find Helm: ${noGo}; install Go, or name the program in HELM`);
  await makeOnce(folder, (into) => build(into, say), say);
  return helm;
}

function build(into: string, say: Say): Promise<void> {
  say("building Helm with Go (once; about three minutes on two cores)");
  return compile(TOOLS, ["-ldflags", "-s -w", "-o", join(into, "helm"), "helm.sh/helm/v4/cmd/helm"], "Helm", say);
}

/** What is given to `helm template`: values files, or single values as after --set-json. */
export interface Wanted {
  readonly files?: readonly string[];
  readonly values?: Readonly<Record<string, unknown>>;
  readonly namespace?: string;
}

export const RELEASE = "genop";
export const NAMESPACE = "genop-system";

const optionsOf = ({ files = [], values = {} }: Wanted): readonly string[] => [
  ...files.flatMap((file) => ["--values", file]),
  ...Object.entries(values).flatMap(([path, value]) => ["--set-json", `${path}=${JSON.stringify(value)}`]),
];

/** Helm's answer; rejects with its words when it refuses. */
export async function helm(args: readonly string[]): Promise<string> {
  const program = await ensureHelm((line) => void process.stderr.write(`${line}\n`));
  const { stdout } = await run(program, args, { timeout: LIMIT_MS, maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}

export interface Rendered extends KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly [field: string]: unknown;
}

export async function render(wanted: Wanted = {}): Promise<readonly Rendered[]> {
  return objectsIn(await helm(["template", ...installing(wanted)]));
}

/** What Helm tells the user after an installation. */
export async function notes(wanted: Wanted = {}): Promise<string> {
  const text = await helm(["install", "--dry-run=client", ...installing(wanted)]);
  const [, told] = text.split("\nNOTES:\n");
  if (told === undefined) throw new Error("cannot find the notes in what Helm said");
  return told;
}

const installing = (wanted: Wanted): readonly string[] => [
  ...[RELEASE, CHART, "--namespace", wanted.namespace ?? NAMESPACE],
  ...optionsOf(wanted),
];

/** The templates of the chart, without those that only define. */
export const TEMPLATES: readonly string[] = readdirSync(join(CHART, "templates")).filter((name) =>
  /^[a-z].*\.yaml$/.test(name),
);

/** Those of them that render something with these values. */
export async function templatesIn(wanted: Wanted): Promise<ReadonlySet<string>> {
  const text = await helm(["template", ...installing(wanted)]);
  return new Set([...text.matchAll(/^# Source: .*\/templates\/(.+)$/gm)].map(([, name = ""]) => name));
}

export function objectsIn(text: string): readonly Rendered[] {
  return parseAllDocuments(text)
    .map((document) => {
      if (document.errors[0]) throw document.errors[0];
      return document.toJS() as Rendered | null;
    })
    .filter((object) => object !== null);
}

/** Why Helm refuses these values. Rejects when it does not. */
export async function refusal(wanted: Wanted): Promise<string> {
  const answer = await render(wanted).then(
    () => undefined,
    (error: unknown) => String((error as { stderr?: unknown }).stderr ?? error),
  );
  if (answer === undefined) throw new Error("the chart was rendered; a refusal was expected");
  return answer;
}
