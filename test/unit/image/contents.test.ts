// What goes into the image, as far as it can be told without building it: the packages, their list, the recipe.
import { describe, expect, test } from "@jest/globals";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROLES } from "../../../image/bundle.ts";
import { buildArguments, digestArguments, ENGINES, engineFor } from "../../../image/engine.ts";
import { packagesOf, sbomOf, type LockFile } from "../../../image/packages.ts";
import { readText, ROOT } from "../../docs/markdown.ts";

const lock = JSON.parse(readText("package-lock.json")) as LockFile;
const DOCKERFILE = readText("Dockerfile");
const [, lastStage = ""] = DOCKERFILE.split("FROM scratch");

describe("the packages of the image", () => {
  test("are those of the lock file that a piece of is bundled, each once, and none of developers", () => {
    const files = ["node_modules/pg/lib/index.js", "node_modules/pg/lib/pool.js", "operator/main.ts"];
    expect(packagesOf(lock, files).map(({ name }) => name)).toEqual(["pg"]);
    expect(() => packagesOf(lock, ["node_modules/jest/bin/jest.js"])).toThrow("it is for developers");
    expect(() => packagesOf(lock, ["node_modules/not-there/index.js"])).toThrow("the lock file does not have it");
  });

  test("are found where they lie inside of each other", () => {
    const nested = Object.keys(lock.packages).filter((path) => /node_modules\/.*\/node_modules\//.test(path));
    const [path = ""] = nested.filter((one) => lock.packages[one]?.dev !== true);
    expect(packagesOf(lock, [`${path}/index.js`])).toMatchObject([{ path, name: path.split("node_modules/").at(-1) }]);
  });

  test("are listed with version, address, licence and the hash of the lock file, the same text each time", () => {
    const list = sbomOf(lock, packagesOf(lock, ["node_modules/@aws-sdk/client-s3/dist-cjs/index.js"]));
    expect(list).toMatchObject({
      bomFormat: "CycloneDX",
      specVersion: "1.5",
      metadata: { component: { type: "application", name: "generation-operator" } },
      components: [
        {
          name: "@aws-sdk/client-s3",
          purl: expect.stringMatching(/^pkg:npm\/%40aws-sdk\/client-s3@\d+\.\d+\.\d+$/),
          licenses: [{ license: { id: "Apache-2.0" } }],
          hashes: [{ alg: "SHA-512", content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
        },
      ],
    });
    const again = sbomOf(lock, packagesOf(lock, ["node_modules/@aws-sdk/client-s3/package.json"]));
    expect(JSON.stringify(again)).toBe(JSON.stringify(list));
    const other = sbomOf(lock, packagesOf(lock, ["node_modules/pg/lib/index.js"])) as { readonly serialNumber: string };
    expect(other.serialNumber).not.toBe((list as { readonly serialNumber: string }).serialNumber);
  });
});

describe("the Dockerfile", () => {
  test("ends with nobody, on nothing, without a shell, and with Node as its first process", () => {
    expect(lastStage).not.toMatch(/^RUN /m);
    expect(lastStage).toMatch(/^USER 65532:65532$/m);
    expect(lastStage).toMatch(/^ENTRYPOINT \["\/usr\/local\/bin\/node", "\/app\/start.mjs"\]$/m);
  });

  test("tells of every role, and of nothing else", () => {
    const told = DOCKERFILE.slice(0, DOCKERFILE.indexOf("ARG BASE")).match(/\b(operator|api-shim)\/[a-z-]+\.ts/g) ?? [];
    expect([...new Set(told)].sort()).toEqual(ROLES.map((role) => `${role}.ts`).sort());
    expect(ROLES.filter((role) => !existsSync(join(ROOT, `${role}.ts`)))).toEqual([]);
  });

  test("is given just what it copies", () => {
    const copied = [...DOCKERFILE.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = ""]) =>
      paths.split(" "),
    );
    const [all, ...given] = readText(".dockerignore").trim().split("\n");
    expect(all).toBe("*");
    expect(copied.filter((path) => !given.some((one) => path.startsWith(one.slice(1))))).toEqual([]);
    expect(given.filter((one) => !copied.some((path) => path.startsWith(one.slice(1))))).toEqual([]);
  });

  test("carries the version of package.json", () => {
    const { version } = JSON.parse(readText("package.json")) as { readonly version: string };
    expect(lastStage).toContain(`org.opencontainers.image.version="${version}"`);
  });
});

describe("who builds", () => {
  test("is the first that is there, or the one that is named", () => {
    expect(engineFor(undefined, (program) => program !== "docker")).toBe("podman");
    expect(engineFor("buildah", () => true)).toBe("buildah");
    expect(() => engineFor("buildah", () => false)).toThrow("cannot build an image: install buildah");
    expect(() => engineFor(undefined, () => false)).toThrow("install docker, podman, buildah");
    expect(() => engineFor("make", () => true)).toThrow("it is none of docker, podman, buildah");
  });

  test.each(ENGINES)("%s is told the base, the time of every file, and to begin anew when asked", (engine) => {
    const recipe = { base: "localhost/node:24", tag: "genop:t", epoch: 7, fresh: true };
    const args = buildArguments(engine, recipe).join(" ");
    for (const part of ["BASE=localhost/node:24", "genop:t", "--no-cache"]) expect(args).toContain(part);
    expect(args).toMatch(/--timestamp 7|SOURCE_DATE_EPOCH=7 .*rewrite-timestamp=true/);
    expect(buildArguments(engine, { ...recipe, fresh: false })).not.toContain("--no-cache");
    expect(digestArguments(engine, "genop:t").at(-1)).toBe("genop:t");
  });
});
