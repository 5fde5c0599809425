// The images that do not change with our code, made once and kept in the cache: those of the cluster itself, and what stands in for images
// that are elsewhere pulled from a registry.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ensureBinaries } from "../env/binaries.ts";
import { OBJECT_STORE } from "../env/binary-search.ts";
import type { Say } from "../env/build.ts";
import { cacheKey, cacheRoot, makeOnce } from "../env/cache.ts";
import { buildImage, exportImage, imageOf, keepImage } from "./buildah.ts";
import { IMAGES } from "./names.ts";
import { PAUSE_IMAGE } from "./node.ts";
import type { NodePrograms } from "./programs.ts";

export const RECIPES = join(import.meta.dirname, "images");
const DEBIAN = "bookworm";
export const ARCHIVE = "image.tar";

export interface Kept {
  readonly label: string;
  readonly pins: readonly string[];
  /** Makes what is kept in the folder. */
  readonly make: (into: string) => Promise<void>;
}

/** The folder of what is made once for these pins. */
export async function kept({ label, make, pins }: Kept, say: Say): Promise<string> {
  const folder = join(cacheRoot(process.env), cacheKey(label, pins));
  await makeOnce(folder, make, say);
  return folder;
}

/** An image with one program in it and nothing else. */
async function ofProgram(program: string, name: string, say: Say): Promise<string> {
  const make = async (into: string): Promise<void> => {
    const files = join(into, "files");
    mkdirSync(files);
    const word = program.slice(dirname(program).length + 1);
    cpSync(program, join(files, word), { dereference: true });
    const id = await imageOf(files, ["--entrypoint", JSON.stringify([`/${word}`]), "--user", "65532:65532"]);
    await exportImage(id, name, join(into, ARCHIVE));
    rmSync(files, { recursive: true });
  };
  const label = `image-${name.replaceAll(/\W+/g, "-")}-${dirname(program).slice(-12)}`;
  return join(await kept({ label, pins: [], make }, say), ARCHIVE);
}

/** Of the cluster itself. */
export async function ensureSystemImages(programs: NodePrograms, say: Say): Promise<readonly string[]> {
  return [
    await ofProgram(programs.pause, PAUSE_IMAGE, say),
    await ofProgram(programs.coredns, "localhost/coredns:1", say),
  ];
}

interface Base extends Omit<Kept, "make"> {
  readonly name: string;
  /** Resolves to the id of the image; the folder is its own until then. */
  readonly make: (into: string) => Promise<string>;
}

/** The id of an image that others are built on, made once. */
async function ensureBase({ label, make, name, pins }: Base, say: Say): Promise<string> {
  const keep = async (into: string): Promise<void> => {
    const id = await make(into);
    await keepImage(id, name);
    writeFileSync(join(into, "id"), id);
  };
  return readFileSync(join(await kept({ label, pins, make: keep }, say), "id"), "utf8");
}

/** Debian as debootstrap makes it; the id of the image. */
function ensureDebian(say: Say): Promise<string> {
  const make = async (into: string): Promise<string> => {
    say("making a base image with debootstrap (once; about a minute)");
    const files = join(into, "files");
    execFileSync("debootstrap", ["--variant=minbase", "--include=ca-certificates", DEBIAN, files], { stdio: "ignore" });
    for (const waste of ["var/cache/apt/archives", "var/lib/apt/lists"]) {
      rmSync(join(files, waste), { recursive: true, force: true });
      mkdirSync(join(files, waste, "partial"), { recursive: true });
    }
    const id = await imageOf(files, ["--cmd", "/bin/sh"]);
    rmSync(files, { recursive: true });
    return id;
  };
  return ensureBase({ label: `image-debian-${DEBIAN}`, name: "localhost/debian:base", pins: [], make }, say);
}

/** Debian with Node and npm, as the image of that name on a registry has them: what our Dockerfile builds on. The id of the image. */
export async function ensureNode(say: Say): Promise<string> {
  const debian = await ensureDebian(say);
  const npm = join(execFileSync("npm", ["root", "--global"], { encoding: "utf8" }).trim(), "npm");
  const make = async (into: string): Promise<string> => {
    const context = join(into, "context");
    mkdirSync(context);
    cpSync(process.execPath, join(context, "node"), { dereference: true });
    cpSync(npm, join(context, "npm"), { recursive: true, dereference: true });
    // Whom this machine trusts: a mirror of npm's registry may have a certificate of its own.
    cpSync("/etc/ssl/certs/ca-certificates.crt", join(context, "ca-certificates.crt"));
    const file = join(RECIPES, "node.Dockerfile");
    const id = await buildImage({ file, context, args: { BASE: debian } });
    rmSync(context, { recursive: true });
    return id;
  };
  const pins = [join(RECIPES, "node.Dockerfile"), join(npm, "package.json")];
  return ensureBase({ label: `image-node-${process.version}`, name: "localhost/node:base", pins, make }, say);
}

/** An archive. */
export async function ensurePostgres(say: Say): Promise<string> {
  const debian = await ensureDebian(say);
  const make = async (into: string): Promise<void> => {
    say("making an image of Debian's Postgres (once; about half a minute)");
    const id = await buildImage({
      file: join(RECIPES, "postgres.Dockerfile"),
      context: RECIPES,
      args: { BASE: debian },
    });
    await exportImage(id, IMAGES.postgres, join(into, ARCHIVE));
  };
  const pins = ["postgres.Dockerfile", "postgres-entrypoint.sh"].map((file) => join(RECIPES, file));
  return join(await kept({ label: "image-postgres", pins, make }, say), ARCHIVE);
}

/** An archive. */
export async function ensureObjectStore(say: Say): Promise<string> {
  const binaries = await ensureBinaries(process.env, { controlPlane: false, objectStore: true }, say);
  const program = binaries[OBJECT_STORE];
  if (program === undefined) throw new Error("cannot make an image of the object store: its program was not found");
  return ofProgram(program, IMAGES.objectStore, say);
}
