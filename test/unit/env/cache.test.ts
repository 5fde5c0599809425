// Programs appear in the cache whole or not at all, and are made once.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { cacheKey, cacheRoot, makeOnce } from "../../env/cache.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "cache-test-"));
});

afterEach(() => rmSync(root, { recursive: true }));

const quiet = () => undefined;
const write = (text: string) => (into: string) => writeFile(join(into, "program"), text);

/** A process id that was used and is free again. */
function deadPid(): number {
  return spawnSync(process.execPath, ["-e", ""]).pid;
}

test("what two ask for at once is made once", async () => {
  const folder = join(root, "thing");
  let made = 0;
  const make = async (into: string) => {
    made += 1;
    await write("x")(into);
  };

  await Promise.all([makeOnce(folder, make, quiet), makeOnce(folder, make, quiet)]);

  expect(made).toBe(1);
  expect(readdirSync(root)).toEqual(["thing"]);
});

test("a failure leaves neither the folder nor the lock, and the next one tries again", async () => {
  const folder = join(root, "thing");
  await expect(makeOnce(folder, () => Promise.reject(new Error("no compiler")), quiet)).rejects.toThrow("no compiler");
  expect(readdirSync(root)).toEqual([]);

  await makeOnce(folder, write("second"), quiet);

  expect(readFileSync(join(folder, "program"), "utf8")).toBe("second");
});

test("the lock and the leftovers of a killed process are cleared away", async () => {
  const folder = join(root, "thing");
  const pid = deadPid();
  writeFileSync(`${folder}.lock`, String(pid));
  mkdirSync(join(root, `.thing.making.${pid}.abc`));

  await makeOnce(folder, write("x"), quiet);

  expect(readdirSync(root)).toEqual(["thing"]);
});

test("what is there already is not made again", async () => {
  const folder = join(root, "thing");
  await makeOnce(folder, write("first"), quiet);
  await makeOnce(folder, write("second"), quiet);
  expect(readFileSync(join(folder, "program"), "utf8")).toBe("first");
});

test("the folder's name changes with what is pinned", () => {
  const file = join(root, "go.sum");
  writeFileSync(file, "one");
  const before = cacheKey("thing-v1", [file]);
  writeFileSync(file, "two");
  expect(cacheKey("thing-v1", [file])).not.toBe(before);
  expect(before).toMatch(new RegExp(`^thing-v1-${process.platform}-${process.arch}-[0-9a-f]{12}$`));
});

test("the cache follows XDG_CACHE_HOME", () => {
  expect(cacheRoot({ XDG_CACHE_HOME: "/x" })).toBe("/x/generation-operator");
  expect(cacheRoot({})).toMatch(/\/\.cache\/generation-operator$/);
});
