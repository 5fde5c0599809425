import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { PHASES } from "../../operator/task/resource.ts";
import { ROOT, blocksOf, listed, readText, rowsWith } from "./markdown.ts";

const PAGE = readText("docs/architecture.md");

const Rules = z.looseObject({
  default: z.looseObject({
    forbidden: z.array(
      z.looseObject({
        name: z.string(),
        to: z.looseObject({
          pathNot: z.union([z.string(), z.array(z.string())]).optional(),
          dependencyTypesNot: z.array(z.string()).optional(),
        }),
      }),
    ),
  }),
});

interface Layer {
  readonly name: string;
  readonly may: readonly string[];
  readonly node: boolean;
}

async function layersInRules(): Promise<readonly Layer[]> {
  const rules = Rules.parse(await import(join(ROOT, ".dependency-cruiser.mjs")));
  const layers = rules.default.forbidden.filter(({ name }) => /^(operator\/|api-shim$|cli$)/.test(name));
  return layers.map(({ name, to }) => ({
    name,
    may: [to.pathNot ?? []]
      .flat()
      .map(nameOf)
      .filter((one) => one !== name)
      .sort(),
    node: to.dependencyTypesNot?.includes("core") ?? false,
  }));
}

/** `^node_modules/mediainfo\.js/` as `mediainfo.js`. */
function nameOf(pattern: string): string {
  return pattern.replace(/^\^/, "").replace("node_modules/", "").replaceAll("\\", "").replace(/\/$/, "");
}

function layersInPage(): readonly Layer[] {
  return rowsWith(PAGE, ["layer", "may import"]).map((row) => ({
    name: listed(row.layer)[0] ?? "",
    may: [...listed(row["may import"])].sort(),
    node: /\bNode\b/.test(row["may import"] ?? ""),
  }));
}

describe("docs/architecture.md", () => {
  test("has the layers of .dependency-cruiser.mjs, with what each may import", async () => {
    expect(layersInPage()).toEqual(await layersInRules());
  });

  test("has every phase in its picture, and no other", () => {
    const [picture] = blocksOf(PAGE).filter(({ language }) => language === "mermaid");
    const states = [...(picture?.text ?? "").matchAll(/^ *(\S+) --> (\S+?)(?::|$)/gm)].flatMap(
      ([, from = "", to = ""]) => [from, to],
    );
    expect([...new Set(states)].filter((state) => state !== "[*]").sort()).toEqual([...PHASES].sort());
  });

  test("names invariants I1 to I12, each once", () => {
    const named = [...PAGE.matchAll(/^\| I([0-9]+) /gm)].map(([, number]) => Number(number));
    expect(named).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
  });

  test.each(rowsWith(PAGE, ["concept", "file"]))("finds $concept where it says", ({ file }) => {
    const files = listed(file);
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  test("is short enough to be read", () => {
    expect(PAGE.split("\n").length).toBeLessThanOrEqual(201);
    expect(readText("README.md").split("\n").length).toBeLessThanOrEqual(151);
  });
});
