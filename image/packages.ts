// The packages of the image, from the lock file alone: which they are, the list of them as CycloneDX, and their licences' texts.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Entry {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  /** `sha512-` and the digest in base64. */
  readonly integrity?: string;
  readonly dev?: boolean;
}

export interface LockFile {
  readonly packages: Readonly<Record<string, Entry>>;
}

export interface Package extends Entry {
  /** Such as `node_modules/ws`. */
  readonly path: string;
  readonly name: string;
}

const LICENCE = /^(licen[cs]e|notice|copying)/i;

/** Those that at least one of these files belongs to, in order. Throws for one that only developers are to have. */
export function packagesOf({ packages }: LockFile, files: readonly string[]): readonly Package[] {
  const paths = new Set(files.flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []));
  return [...paths].sort().map((path) => {
    const entry = packages[path];
    if (!entry) throw new Error(`cannot list ${path}: the lock file does not have it`);
    if (entry.dev === true) throw new Error(`cannot put ${path} into the image: it is for developers`);
    return { ...entry, path, name: path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length) };
  });
}

/** Without a random number, and with the time that SOURCE_DATE_EPOCH would name by default: what is in it decides it. */
export function sbomOf({ packages: all }: LockFile, packages: readonly Package[]): object {
  const own = all[""] ?? {};
  const component = { ...componentOf({ ...own, name: own.name ?? "", path: "" }), type: "application" };
  const components = packages.map(componentOf);
  const metadata = { timestamp: new Date(0).toISOString(), component };
  const content = { metadata, components };
  const digest = createHash("sha256").update(JSON.stringify(content)).digest("hex");
  const head = { bomFormat: "CycloneDX", specVersion: "1.5", serialNumber: `urn:uuid:${uuidOf(digest)}`, version: 1 };
  return { ...head, ...content };
}

function componentOf({ integrity, license, name, path, version = "" }: Package): object {
  const [, content] = /^sha512-(.+)$/.exec(integrity ?? "") ?? [];
  return {
    "bom-ref": path === "" ? name : path,
    ...{ type: "library", name, version, purl: `pkg:npm/${name.replace(/^@/, "%40")}@${version}` },
    ...(license !== undefined && {
      licenses: [/ (OR|AND) /.test(license) ? { expression: license } : { license: { id: license } }],
    }),
    ...(content !== undefined && {
      hashes: [{ alg: "SHA-512", content: Buffer.from(content, "base64").toString("hex") }],
    }),
  };
}

function uuidOf(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}

/** What their licences ask to be passed on. */
export function noticesOf(packages: readonly Package[], root: string): string {
  return packages
    .map(({ license = "no licence is named", name, path, version = "" }) => {
      const folder = join(root, path);
      const files = readdirSync(folder).filter((file) => LICENCE.test(file));
      const texts = files.sort().map((file) => readFileSync(join(folder, file), "utf8").trim());
      return [`${name} ${version} (${license})`, ...texts].join("\n\n");
    })
    .join(`\n\n${"-".repeat(80)}\n\n`);
}
