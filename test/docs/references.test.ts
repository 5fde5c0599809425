// What documents refer to exists: files, anchors, commands, samples. And they name no machine's own paths.
import { existsSync, globSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { DOCUMENTS, ROOT, anchorsOf, blocksOf, linksOf, readText, wordsOf } from "./markdown.ts";

/** Folders and files of the root by which a word in backticks is known to be a path. */
const PATH = /^(operator|test|crds|docs|\.ci)\/[A-Za-z0-9_./*-]*$|^[A-Za-z.-]+\.(md|json|js|mjs)$/;
/** Packages that are called like files. */
const PACKAGES: ReadonlySet<string> = new Set(["mediainfo.js", "ipaddr.js"]);

const isExternal = (target: string): boolean => /^[a-z]+:/.test(target);

describe.each(DOCUMENTS)("%s", (document) => {
  const text = readText(document);

  test("links to files and headings that exist", () => {
    const broken = linksOf(text).filter((target) => !isExternal(target) && !leadsSomewhere(document, target));
    expect(broken).toEqual([]);
  });

  test("names files that exist", () => {
    const paths = wordsOf(text).filter((word) => PATH.test(word) && !PACKAGES.has(word));
    expect(paths.filter((path) => !exists(document, path))).toEqual([]);
  });

  test("names commands that package.json has", () => {
    const commands = [...text.matchAll(/\bnpm (?:run (?:-s |--silent )?([a-z][a-z0-9:-]*)|(test|start)\b)/g)];
    const known = Object.keys(Package.parse(JSON.parse(readText("package.json"))).scripts);
    expect(commands.map(([, script, short]) => script ?? short).filter((name) => !known.includes(name ?? ""))).toEqual(
      [],
    );
  });

  test("names no path of somebody's machine", () => {
    expect(text).not.toMatch(/(?<![\w.:/-])\/(home|root|Users|mnt|work|tmp)\//);
  });
});

const Package = z.object({ scripts: z.record(z.string(), z.string()) });

function leadsSomewhere(document: string, target: string): boolean {
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? document : join(dirname(document), path);
  if (!existsSync(join(ROOT, file))) return false;
  return anchor === undefined || anchorsOf(readText(file)).includes(anchor);
}

/** From the root, or from the document's own folder. A star stands for at least one file. */
function exists(document: string, path: string): boolean {
  const isThere = (pattern: string): boolean =>
    pattern.includes("*") ? globSync(pattern, { cwd: ROOT }).length > 0 : existsSync(join(ROOT, pattern));
  // A migration that is still to be written.
  if (path.includes("NNNN")) return true;
  return isThere(path) || isThere(join(dirname(document), path));
}

test("every command of package.json that the README calls sacred is there, with its preparation", () => {
  const { scripts } = Package.parse(JSON.parse(readText("package.json")));
  const [block] = blocksOf(readText("README.md")).filter(({ text }) => text.includes("npm run demo"));
  const named = [...(block?.text ?? "").matchAll(/^npm (?:run )?([a-z]+)/gm)].map(([, name = ""]) => name);
  expect(named).toEqual(["demo", "test", "bench", "env"]);
  for (const name of named) expect(scripts[name]).toMatch(/^node \.ci\/prepare\.mjs && /);
});
