// Writes the CustomResourceDefinitions and the field tables of the README from the zod schemas.
// `--check` writes nothing and fails when a file is not current.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generatedFiles } from "./files.ts";

const FOLDER = import.meta.dirname;

function main(check: boolean): void {
  const stale = [...generatedFiles(readText)].filter(([name, text]) => readText(name) !== text);
  if (check && stale.length > 0) {
    console.error(`not current: ${stale.map(([name]) => `crds/${name}`).join(", ")}; run node crds/generate.ts`);
    process.exitCode = 1;
    return;
  }
  for (const [name, text] of stale) writeFileSync(join(FOLDER, name), text);
}

/** The file's text; empty when there is none yet. */
function readText(name: string): string {
  try {
    return readFileSync(join(FOLDER, name), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

main(process.argv.includes("--check"));
