// The images of this tree: the product by its own Dockerfile, the provider simulator, and the product as it was before.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { bundle } from "../../image/bundle.ts";
import type { Say } from "../env/build.ts";
import { buildImage, exportImage } from "./buildah.ts";
import { ARCHIVE, ensureNode, ensureObjectStore, ensurePostgres, kept } from "./images.ts";
import { IMAGES, referenceOf } from "./names.ts";
import { PREVIOUS, ensurePrevious } from "./previous.ts";
import { inSimulatorContext } from "./simulator.ts";

const ROOT = join(import.meta.dirname, "..", "..");

/** Builds what a tree of our source says, and writes it into the archive. */
async function build(
  tree: string,
  base: string,
  { archive, name }: { readonly archive: string; readonly name: string },
): Promise<void> {
  const id = await buildImage({ file: join(tree, "Dockerfile"), context: tree, args: { BASE: base } });
  await exportImage(id, name, archive);
}

async function ensurePreviousImage(base: string, say: Say): Promise<string> {
  const tree = await ensurePrevious(say);
  const name = referenceOf(IMAGES.previous);
  const make = (into: string): Promise<void> => build(tree, base, { archive: join(into, ARCHIVE), name });
  return join(await kept({ label: `image-previous-${PREVIOUS.slice(0, 12)}`, pins: [], make }, say), ARCHIVE);
}

/** Archives of all images that tests with pods need, beside those of the cluster itself. */
export async function ensureImages(say: Say): Promise<readonly string[]> {
  const folder = join(ROOT, ".cache", "pods");
  mkdirSync(folder, { recursive: true });
  const archives = { product: join(folder, "product.tar"), provider: join(folder, "provider.tar") };
  const base = await ensureNode(say);
  await bundle();
  await build(ROOT, base, { archive: archives.product, name: referenceOf(IMAGES.product) });
  await inSimulatorContext(async (recipe) => {
    await exportImage(await buildImage({ ...recipe, args: { BASE: base } }), IMAGES.provider, archives.provider);
  });
  const others = [await ensurePreviousImage(base, say), await ensurePostgres(say), await ensureObjectStore(say)];
  return [archives.product, archives.provider, ...others];
}
