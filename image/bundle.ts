// Makes the program's folder of the image: each role in a file or two, what it reads beside it, the licences of the packages that are
// in there, and the list of them. The same sources and lock file give the same bytes. docs/adr/0042 says why it is bundled.
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build as compileWith, type Metafile, type Plugin } from "esbuild";
import { noticesOf, packagesOf, sbomOf, type LockFile } from "./packages.ts";

const ROOT = join(import.meta.dirname, "..");
const FOLDER = join(ROOT, "dist", "image");

/** Every program, by the path by which it is started. All lie one folder deep, and so do the pieces that they share. */
export const ROLES = [
  "operator/main",
  "operator/migrate",
  "operator/receive",
  "operator/evidence",
  "operator/verify",
  "operator/import-usage",
  "api-shim/main",
] as const;
const WORKER = { in: "operator/artifacts/inspect/worker.ts", out: "operator/inspect-worker" };
/** It looks for its WebAssembly beside itself. */
const UNBUNDLED = "mediainfo.js";
/** Packages ask whether they are there, and do without: here are those of developers, or none. */
const ABSENT = ["pg-native", "supports-color"];

/** What is read and not imported. */
const READ = ["package.json", "LICENSE", "crds/*.yaml", "operator/postgres/migrations/*.sql", "api-shim/page/*"];
const READ_OF_UNBUNDLED = ["package.json", "LICENSE*", "dist/esm/*.js", "dist/MediaInfoModule.wasm"];

export async function bundle(folder = FOLDER): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const metafile = await compile(folder);
  const unbundled = READ_OF_UNBUNDLED.map((pattern) => join("node_modules", UNBUNDLED, pattern));
  for (const path of [...READ, ...unbundled].flatMap((pattern) => globSync(pattern, { cwd: ROOT }))) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    cpSync(join(ROOT, path), join(folder, path));
  }
  cpSync(join(import.meta.dirname, "start.mjs"), join(folder, "start.mjs"));
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as LockFile;
  const packages = packagesOf(lock, [...inputsOf(metafile), `node_modules/${UNBUNDLED}/package.json`]);
  writeFileSync(join(folder, "NOTICES.txt"), noticesOf(packages, ROOT));
  writeFileSync(join(folder, "sbom.cdx.json"), `${JSON.stringify(sbomOf(lock, packages), undefined, 1)}\n`);
}

async function compile(outdir: string): Promise<Metafile> {
  const { metafile } = await compileWith({
    absWorkingDir: ROOT,
    entryPoints: [...ROLES.map((role) => ({ in: `${role}.ts`, out: role })), WORKER],
    outdir,
    chunkNames: "parts/[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    // Names of classes are part of what is told of a fault, and whoever reads a stack should find the line.
    keepNames: true,
    legalComments: "none", // all of them are in NOTICES.txt
    metafile: true,
    logLevel: "warning",
    external: [UNBUNDLED, ...ABSENT],
    plugins: [placing],
    banner: { js: 'import{createRequire as requireOf}from"node:module";const require=requireOf(import.meta.url);' },
  });
  return metafile;
}

/** The sources that something of is in the image. */
function inputsOf({ outputs }: Metafile): readonly string[] {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
}

/** A source that asks where it is gets the answer that it would have had: what it reads is there. */
const placing: Plugin = {
  name: "placing",
  setup: (build) => {
    build.onLoad({ filter: /\/(operator|api-shim)\/.*\.ts$/ }, ({ path }) => {
      const contents = placed(readFileSync(path, "utf8"), dirname(relative(ROOT, path)));
      if (/\bimport\.meta\.(?!dirname\b|url\b)/.test(contents)) throw new Error(`cannot place ${path}`);
      return { contents, loader: "ts" };
    });
  },
};

function placed(source: string, folder: string): string {
  return source
    .replaceAll('new URL("./worker.ts", import.meta.url)', `new URL("../${WORKER.out}.js", import.meta.url)`)
    .replaceAll("import.meta.dirname", `(import.meta.dirname + "/../${folder}")`);
}
