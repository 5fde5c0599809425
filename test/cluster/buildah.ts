// Builds images without a container engine that runs: buildah in a storage of its own, in the cache. Needs root.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { cacheRoot } from "../env/cache.ts";

const run = promisify(execFile);
const LIMIT_MS = 900_000;
const KEPT_CHARACTERS = 3_000;

/** The standard output. Throws with buildah's last words. */
export async function buildah(...args: readonly string[]): Promise<string> {
  const storage = join(cacheRoot(process.env), "images");
  const place = ["--root", join(storage, "storage"), "--runroot", join(storage, "run"), "--storage-driver", "overlay"];
  try {
    const { stdout } = await run("buildah", [...place, ...args], { timeout: LIMIT_MS, maxBuffer: 64 * 1024 * 1024 });
    return stdout.trim();
  } catch (error) {
    const words = String((error as { readonly stderr?: unknown }).stderr ?? error).slice(-KEPT_CHARACTERS);
    throw new Error(`cannot ${args[0] ?? "run"} with buildah: ${words}`, { cause: error });
  }
}

export interface Recipe {
  /** A Dockerfile. */
  readonly file: string;
  readonly context: string;
  readonly args?: Readonly<Record<string, string>>;
}

/** Builds an image; resolves to its id. Unchanged steps are taken from earlier builds. */
export async function buildImage({ args = {}, context, file }: Recipe): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "genop-image-"));
  const idFile = join(folder, "id");
  // In a chroot: a build needs neither runc nor a network of its own, only what this machine can reach.
  const how = ["--isolation", "chroot", "--layers", "--pull-never", "--iidfile", idFile, "--file", file];
  const given = Object.entries(args).flatMap(([name, value]) => ["--build-arg", `${name}=${value}`]);
  try {
    await buildah("bud", ...how, ...given, context);
    return readFileSync(idFile, "utf8").trim();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Moves an image, under a name, into an archive that containerd reads: each build would add to the storage otherwise. */
export async function exportImage(id: string, name: string, archive: string): Promise<void> {
  rmSync(archive, { force: true });
  await buildah("push", "--quiet", id, `docker-archive:${archive}:${name}`);
  await buildah("rmi", id);
}

/** Gives an image a name, without which it goes with the last one that is built on it. */
export async function keepImage(id: string, name: string): Promise<void> {
  await buildah("tag", id, name);
}

/** An image whose only layer is this folder or archive of files; resolves to its id. */
export async function imageOf(files: string, options: readonly string[]): Promise<string> {
  const container = await buildah("from", "scratch");
  try {
    await buildah("add", "--quiet", container, files, "/");
    await buildah("config", ...options, container);
    return await buildah("commit", "--quiet", container);
  } finally {
    await buildah("rm", container);
  }
}
