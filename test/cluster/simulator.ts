// What the image of the provider simulator is built of: one file, on Node alone. The product's image has no packages that it could use.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build as compile } from "esbuild";
import type { Recipe } from "./buildah.ts";

const MAIN = join(import.meta.dirname, "..", "provider", "main.ts");
const FILE = join(import.meta.dirname, "images", "provider.Dockerfile");

/** Hands the recipe over while its folder is there. */
export async function inSimulatorContext(use: (recipe: Recipe) => Promise<void>): Promise<void> {
  const context = mkdtempSync(join(tmpdir(), "genop-simulator-"));
  const outfile = join(context, "provider.mjs");
  try {
    await compile({ entryPoints: [MAIN], outfile, bundle: true, format: "esm", platform: "node", target: "node24" });
    await use({ file: FILE, context });
  } finally {
    rmSync(context, { recursive: true, force: true });
  }
}
