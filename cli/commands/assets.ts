// `assets`: what a task made, listed and brought. A file appears whole, verified and under its own name, or not at all.
import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { request } from "undici";
import type { AssetStatus } from "../../operator/task/resource.ts";
import { ApiError } from "../cluster/client.ts";
import { EXIT, Failure, type ExitCode } from "../failure.ts";
import { document, isForPrograms } from "../output/format.ts";
import { size } from "../output/quantities.ts";
import { columns } from "../output/table.ts";
import { printable } from "../output/terminal.ts";
import { because, type Session } from "../session.ts";
import { readTask } from "./tasks.ts";

export interface GetOptions {
  readonly directory: string;
  readonly force?: boolean;
}

export async function listAssets(session: Session, name: string): Promise<ExitCode> {
  const { format, terminal } = session;
  const { status } = await readTask(session, name, `list the assets of ${session.namespace}/${name}`);
  const assets = status.assets ?? [];
  if (isForPrograms(format)) terminal.write(document(assets, format));
  else if (format === "name") for (const asset of assets) terminal.write(printable(asset.name));
  else if (assets.length === 0) terminal.tell(`No assets found: the task is ${status.phase ?? "Pending"}.`);
  else for (const line of columns(rowsOf(assets, format === "wide"))) terminal.write(line);
  return EXIT.done;
}

function rowsOf(assets: readonly AssetStatus[], isWide: boolean): readonly (readonly string[])[] {
  const heading = ["NAME", "TYPE", "SIZE", ...(isWide ? ["SHA256", "URI"] : [])];
  const rows = assets.map(({ bytes, mediaType, name, sha256, uri }) =>
    [name, mediaType, size(bytes), ...(isWide ? [sha256, uri] : [])].map(printable),
  );
  return [heading, ...rows];
}

export async function getAssets(
  session: Session,
  { names, task }: { readonly task: string; readonly names: readonly string[] },
  { directory, force = false }: GetOptions,
): Promise<ExitCode> {
  const doing = `get the assets of ${session.namespace}/${task}`;
  const { status } = await readTask(session, task, doing);
  const all = status.assets ?? [];
  if (all.length === 0) throw new Failure(`cannot ${doing}: it has none; it is ${status.phase ?? "Pending"}`);
  const missing = names.find((name) => !all.some((asset) => asset.name === name));
  if (missing !== undefined) throw new Failure(`cannot ${doing}: it has none of the name ${printable(missing)}`);

  await mkdir(directory, { recursive: true }).catch(unsaved(directory));
  const wanted = names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
  for (const asset of wanted) await bring(session, { task, asset, force, path: join(directory, fileNameOf(asset)) });
  return EXIT.done;
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/jpeg": ".jpg",
  "audio/mpeg": ".mp3",
  "audio/x-wav": ".wav",
  "video/quicktime": ".mov",
};

/** A name that the cluster chose must not lead out of the folder, nor hide in it. */
function fileNameOf({ mediaType, name }: AssetStatus): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) throw new Failure("cannot save an asset: its name is no file name");
  const subtype = /^[a-z]+\/([a-z0-9]{2,8})$/.exec(mediaType)?.[1];
  const extension = EXTENSIONS[mediaType] ?? (subtype === undefined ? "" : `.${subtype}`);
  return name.endsWith(extension) ? name : `${name}${extension}`;
}

interface Bringing {
  readonly task: string;
  readonly asset: AssetStatus;
  readonly path: string;
  readonly force: boolean;
}

async function bring(session: Session, bringing: Bringing): Promise<void> {
  const { format, namespace, services, signal, terminal } = session;
  const { asset, force, path, task } = bringing;
  const there = await sha256In(path);
  if (there !== asset.sha256) {
    if (there !== undefined && !force)
      throw new Failure(`cannot save ${path}: another file is there; say --force to replace it`);
    const url = await services
      .assetUrl(namespace, task, asset.name, signal)
      .catch(because(`get ${asset.name} of ${namespace}/${task}`));
    await download(session, url, bringing);
  }
  if (isForPrograms(format)) terminal.write(document({ ...asset, path }, format));
  else terminal.write(path);
}

/** Of the file that is there; undefined when there is none. A film is not read into memory for it. */
async function sha256In(path: string): Promise<string | undefined> {
  const hash = createHash("sha256");
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
    return hash.digest("hex");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new Failure(`cannot save ${path}: the file that is there cannot be read (${codeOf(error)})`);
  }
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === "string" ? code : "unknown";
}

/** What the file system refuses, as a sentence. */
function unsaved(path: string): (error: unknown) => never {
  return (error) => {
    throw new Failure(`cannot save ${path}: the file system refused it (${codeOf(error)})`);
  };
}

const SILENT_MS = 60_000;

/** Beside its place first; it comes there when every byte was counted and hashed, and else leaves nothing behind. */
async function download({ signal, terminal }: Session, url: string, { asset, path }: Bringing): Promise<void> {
  const partial = `${path}.${randomBytes(4).toString("hex")}.partial`;
  const file = await open(partial, "wx").catch(unsaved(path));
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    for await (const chunk of chunksOf(url, asset.name, signal)) {
      bytes += chunk.length;
      if (bytes > asset.bytes) break;
      hash.update(chunk);
      await file.writeFile(chunk).catch(unsaved(path)); // all of it: `write` may take less
      terminal.show(bar(asset.name, bytes, asset.bytes));
    }
    await file.close();
    if (bytes !== asset.bytes || hash.digest("hex") !== asset.sha256) {
      throw new Failure(`cannot save ${path}: what came is not what the task made; its size or checksum differs`);
    }
    signal.throwIfAborted();
    await rename(partial, path).catch(unsaved(path));
  } finally {
    terminal.show("");
    await file.close().catch(() => undefined);
    await rm(partial, { force: true });
  }
}

async function* chunksOf(url: string, name: string, signal: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
  try {
    const { body, statusCode } = await request(url, { signal, headersTimeout: SILENT_MS, bodyTimeout: SILENT_MS });
    if (statusCode !== 200) throw new ApiError(statusCode, `the store answered ${statusCode}`);
    for await (const chunk of body) yield chunk as Buffer;
  } catch (error) {
    signal.throwIfAborted();
    // Never the error's own words: they may quote the address, which is a secret.
    const why = error instanceof ApiError ? error.message : "the store cannot be reached, or broke off";
    throw new Failure(`cannot get ${name}: ${why}`);
  }
}

const BAR = 24;

function bar(name: string, bytes: number, total: number): string {
  const share = total === 0 ? 1 : bytes / total;
  const full = Math.round(share * BAR);
  return `${name}  [${"=".repeat(full)}${" ".repeat(BAR - full)}] ${Math.floor(share * 100)} %  ${size(bytes)} of ${size(total)}`;
}
