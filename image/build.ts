// `npm run image`: builds the image with whatever builds images here, and prints its digest, which the same files and the same base
// give again. `--twice` builds it a second time from nothing and fails when the digests differ.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bundle } from "./bundle.ts";
import { buildArguments, digestArguments, engineFor, type Engine, type Recipe } from "./engine.ts";

const ROOT = join(import.meta.dirname, "..");
const USAGE = `npm run image -- [--tag NAME] [--base IMAGE] [--engine docker|podman|buildah] [--push] [--twice]

Builds the image of all roles from the Dockerfile, and prints its digest.

  --tag NAME     default: generation-operator and the version of package.json
  --base IMAGE   an image with Node 24, npm and glibc; default: the Dockerfile's
  --engine NAME  default: the first of docker, podman and buildah that is there
  --push         pushes it afterwards
  --twice        builds it again from nothing, and fails when the digest is another one
`;
const WRONG_COMMAND_LINE = 2;

const options = {
  tag: { type: "string", default: defaultTag() },
  base: { type: "string", default: defaultBase() },
  engine: { type: "string" },
  push: { type: "boolean", default: false },
  twice: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

function defaultTag(): string {
  const { name, version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Record<string, string>;
  return `${name ?? ""}:${version ?? ""}`;
}

function defaultBase(): string {
  return /^ARG BASE=(\S+)$/m.exec(readFileSync(join(ROOT, "Dockerfile"), "utf8"))?.[1] ?? "";
}

/** Throws when the program fails; what it says goes to standard error. */
function run(engine: Engine, args: readonly string[]): string {
  const { error, status, stdout } = spawnSync(engine, args, {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
  });
  if (error) throw new Error(`cannot run ${engine}: ${error.message}`);
  if (status !== 0) throw new Error(`cannot build the image: ${engine} ${args[0] ?? ""} ended with ${String(status)}`);
  return stdout;
}

function build(engine: Engine, recipe: Recipe): string {
  run(engine, buildArguments(engine, recipe));
  const id = run(engine, digestArguments(engine, recipe.tag)).trim();
  return id.startsWith("sha256:") ? id : `sha256:${id}`;
}

async function main({ base, engine: wanted, push, tag, twice }: Wanted): Promise<void> {
  const engine = engineFor(wanted);
  const recipe = { base, tag, epoch: Number(process.env.SOURCE_DATE_EPOCH ?? 0), fresh: false };
  await bundle();
  const digest = build(engine, recipe);
  process.stdout.write(`${tag} ${digest}\n`);
  if (twice) {
    await bundle();
    const again = build(engine, { ...recipe, fresh: true });
    if (again !== digest) throw new Error(`cannot build the same image again: the second one is ${again}`);
    process.stdout.write("the same digest when it is built again from nothing\n");
  }
  if (push) run(engine, ["push", tag]);
}

type Wanted = { readonly engine?: string | undefined } & Readonly<Record<"base" | "tag", string>> &
  Readonly<Record<"push" | "twice", boolean>>;

try {
  const { values } = parseArgs({ options });
  if (values.help) process.stdout.write(USAGE);
  else await main(values);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : "cannot build the image"}\n`);
  process.exitCode = (error as { readonly code?: unknown }).code === undefined ? 1 : WRONG_COMMAND_LINE;
}
