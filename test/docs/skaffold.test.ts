// skaffold.yaml against the fields of skaffold/v4beta13 that it may use: a typo would be found by who has Skaffold alone. And what it
// names is there.
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { parse } from "yaml";
import { z } from "zod";
import { bare, readText, ROOT, rowsWith } from "./markdown.ts";

const values = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

/** As the published JSON schema has them: all strict, so that an unknown field is refused. */
const Skaffold = z.strictObject({
  apiVersion: z.literal("skaffold/v4beta13"),
  kind: z.literal("Config"),
  metadata: z.strictObject({ name: z.string() }),
  build: z.strictObject({
    tagPolicy: z.strictObject({ inputDigest: z.strictObject({}) }),
    artifacts: z.array(
      z.strictObject({
        image: z.string(),
        custom: z.strictObject({
          buildCommand: z.string(),
          dependencies: z.strictObject({ paths: z.array(z.string()), ignore: z.array(z.string()).optional() }),
        }),
      }),
    ),
  }),
  deploy: z.strictObject({
    helm: z.strictObject({
      releases: z.array(
        z.strictObject({
          ...{ name: z.string(), namespace: z.string(), createNamespace: z.boolean(), chartPath: z.string() },
          ...{ wait: z.boolean(), setValues: values, setValueTemplates: z.record(z.string(), z.string()) },
        }),
      ),
    }),
  }),
  portForward: z.array(
    z.strictObject({
      ...{ resourceType: z.string(), resourceName: z.string(), namespace: z.string() },
      ...{ port: z.union([z.string(), z.number()]), localPort: z.number() },
    }),
  ),
});

const skaffold = Skaffold.parse(parse(readText("skaffold.yaml")));
const [artifact] = skaffold.build.artifacts;
const [release] = skaffold.deploy.helm.releases;

test("it is rebuilt for every source that goes into the image, and each of them is there", () => {
  const paths = artifact?.custom.dependencies.paths ?? [];
  expect(paths.filter((path) => globSync(path, { cwd: ROOT }).length === 0)).toEqual([]);
  const [, read = ""] = /^const READ = (\[.+\]);$/m.exec(readText("image/bundle.ts")) ?? [];
  const sources = [
    ...(JSON.parse(read) as string[]),
    "operator/main.ts",
    "api-shim/main.ts",
    "Dockerfile",
    "image/start.mjs",
  ];
  const isSeen = (source: string): boolean => paths.some((path) => source === path || source.startsWith(`${path}/`));
  expect(sources.filter((source) => !isSeen(source))).toEqual(["LICENSE"]);
});

test("it builds by a command that there is", () => {
  const { scripts } = JSON.parse(readText("package.json")) as { readonly scripts: Readonly<Record<string, string>> };
  const [, script = ""] = /^npm run --silent (\S+) -- --tag "\$IMAGE"/.exec(artifact?.custom.buildCommand ?? "") ?? [];
  expect(scripts[script]).toBe("node image/build.ts");
});

test("it sets values that the chart has, and tells it of the image that was built", () => {
  expect(existsSync(join(ROOT, release?.chartPath ?? "", "Chart.yaml"))).toBe(true);
  const known = rowsWith(readText("docs/reference/values.md"), ["value", "type", "default", "meaning"]);
  const names = known.map(({ value }) => bare(value));
  const set = Object.keys({ ...release?.setValues, ...release?.setValueTemplates });
  expect(set.filter((name) => !names.includes(name))).toEqual([]);
  const named = artifact?.image.replaceAll(/[-/]/g, "_") ?? "";
  expect(release?.setValueTemplates).toEqual({
    "image.repository": `{{.IMAGE_REPO_${named}}}`,
    "image.tag": `{{.IMAGE_TAG_${named}}}`,
  });
});
