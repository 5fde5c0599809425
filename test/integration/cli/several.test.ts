// Several tasks in one command, and what is refused before anything is made.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openCounter, type Counter } from "./counter.ts";

let counter: Counter;
let folder: string;
beforeAll(async () => {
  [counter, folder] = await Promise.all([openCounter(), mkdtemp(join(tmpdir(), "genop-cli-"))]);
});
afterAll(async () => {
  await counter.close();
  await rm(folder, { recursive: true, force: true });
});

async function specOf(name: string): Promise<unknown> {
  const { tasks, tenant } = counter.world;
  return (await tasks.get(`${tenant}/${name}`, { signal: AbortSignal.timeout(25_000) }))?.spec;
}

test("a file says everything: words beside it are refused, an empty document is none, and all are made before any is waited for", async () => {
  const file = join(folder, "several.yaml");
  const one = (name: string): string =>
    `apiVersion: genop.dev/v1alpha1\nkind: GenerationTask\nmetadata: { name: ${name} }\nspec: { providerRef: { name: simulated }, model: m, input: {} }\n---\n`;
  await writeFile(file, one("several-1") + one("several-2"));
  const beside = await counter.genop(["submit", "named", "-f", file, "--max-credits", "1"]);
  expect([beside.code, beside.err]).toEqual([1, expect.stringContaining("-f FILE says everything")]);
  expect(await specOf("several-1")).toBeUndefined();
  const waited = await counter.genop(["submit", "-f", file, "--wait", "--timeout", "1s", "-o", "name"]);
  expect([waited.code, waited.out]).toEqual([
    124,
    "generationtask.genop.dev/several-1\ngenerationtask.genop.dev/several-2\n",
  ]);
});

test("what can't be meant is refused before anything is made", async () => {
  const words = ["submit", "never", "--provider", "simulated", "--model", "m", "--wait", "--timeout", "5x"];
  const { code, err } = await counter.genop(words);
  expect([code, err]).toEqual([1, expect.stringContaining("it must be a duration")]);
  expect(await specOf("never")).toBeUndefined();
});

test("of several, one that can't be cancelled keeps none of the others", async () => {
  const { code, err } = await counter.genop(["cancel", "nobody", "several-1", "several-2"]);
  expect([code, err]).toEqual([1, expect.stringContaining("cannot cancel")]);
  for (const name of ["several-1", "several-2"]) expect(await specOf(name)).toMatchObject({ cancelRequested: true });
});

test.each(["list", "credits"])("%s says why when the kubeconfig's plugin gives no credential", async (command) => {
  const kubeconfig = join(folder, "plugin.yaml");
  await writeFile(
    kubeconfig,
    `apiVersion: v1
kind: Config
clusters: [{ name: c, cluster: { server: "https://127.0.0.1:1" } }]
users: [{ name: u, user: { exec: { apiVersion: client.authentication.k8s.io/v1, command: "false", interactiveMode: Never } } }]
contexts: [{ name: x, context: { cluster: c, user: u } }]
current-context: x
`,
  );
  const { code, err } = await counter.genop([command, "--kubeconfig", kubeconfig]);
  expect([code, err]).toEqual([
    1,
    expect.stringContaining("cannot authenticate: the exec plugin of the kubeconfig ended with 1"),
  ]);
});
