import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ROLES } from "../demo/cast.ts";
import { only, startEnvironment } from "../env/environment.ts";
import type { Environment } from "../env/environment.ts";
import { kubectl } from "../env/kubectl.ts";

const MAIN = join(import.meta.dirname, "..", "demo", "main.ts");
/** A demo of half a minute, its set-up, and a machine that is busy with other tests. */
const LIMIT_MS = 300_000;

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where a demo puts all that it puts anywhere. */
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "demo-test-"));
  chmodSync(folder, 0o755); // Postgres, which may be another user, has to reach its own folder in it
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function startDemo(args: readonly string[]): ChildProcess {
  const env = { ...process.env, TMPDIR: folder };
  return spawn(process.execPath, [MAIN, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
}

function ended(child: ChildProcess): Promise<Ended> {
  const texts = { stdout: "", stderr: "" };
  child.stdout?.on("data", (data: Buffer) => (texts.stdout += String(data)));
  child.stderr?.on("data", (data: Buffer) => (texts.stderr += String(data)));
  return new Promise((resolve, reject) => {
    child.once("error", reject).once("close", (code) => resolve({ code, ...texts }));
  });
}

/** Resolves when a line of its standard error says so, and rejects when it ends before. */
function heard(child: ChildProcess, words: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("exit", () => reject(new Error(`the demo ended without saying "${words}"`)));
    if (child.stderr) createInterface({ input: child.stderr }).on("line", (line) => line.includes(words) && resolve());
  });
}

const count = (phase: string): number => ROLES.filter(({ end }) => end.phase === phase).length;

/** What the cast announces, and not one of the figures that must be zero above zero. */
const EXPECTED = {
  tasks: ROLES.length,
  succeeded: count("Succeeded"),
  failed: count("Failed"),
  needsReview: count("NeedsReview"),
  jobsAccepted: ROLES.reduce((sum, { end }) => sum + end.jobs, 0),
  jobsPaidTwice: 0,
  jobsUnaccounted: 0,
  ledgerUnbalanced: 0,
  openHolds: 0,
  seconds: expect.any(Number),
};

test(
  "the demo ends by itself, as announced, with its figures alone on standard output",
  async () => {
    const { code, stderr, stdout } = await ended(startDemo(["--once", "--json"]));
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.trim().split("\n")).toHaveLength(1);
    expect(JSON.parse(stdout)).toEqual(EXPECTED);
    expect(stderr).toContain("SIGKILL to the operator");
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^generation-operator-demo-/)]); // the files to look at
  },
  LIMIT_MS,
);

test(
  "Ctrl-C in the middle ends everything and leaves nothing behind",
  async () => {
    const before = readdirSync(folder);
    const child = startDemo(["--json"]);
    const end = ended(child);
    await heard(child, "tasks were applied");
    child.kill("SIGINT");
    const { code, stdout } = await end;
    expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
    expect(readdirSync(folder)).toEqual(before);
  },
  LIMIT_MS,
);

describe("in a cluster that was there before", () => {
  let cluster: Environment;
  beforeAll(async () => {
    cluster = await startEnvironment(only("controlPlane"));
  }, LIMIT_MS);
  afterAll(() => cluster.stop());

  const objects = async (): Promise<readonly string[]> => {
    const kinds = "namespaces,crd,clusterroles,clusterrolebindings";
    return (await kubectl(cluster, ["get", kinds, "-o", "name"])).trim().split("\n");
  };

  test(
    "it plays the same, and leaves the cluster as it was",
    async () => {
      const before = await objects();
      const { code, stderr, stdout } = await ended(
        startDemo(["--once", "--json", "--kubeconfig", cluster.kubeconfigPath]),
      );
      expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
      expect(JSON.parse(stdout)).toEqual(EXPECTED);
      expect(stderr.indexOf("is going to make")).toBeLessThan(stderr.indexOf("tasks were applied"));
      expect(await objects()).toEqual(before);
    },
    LIMIT_MS,
  );

  test(
    "it refuses one that is in use, and touches nothing there",
    async () => {
      const crds = join(import.meta.dirname, "..", "..", "crds");
      const files = ["generationtasks.yaml", "generationproviders.yaml", "creditgrants.yaml"];
      await kubectl(cluster, ["apply", "--server-side", ...files.flatMap((file) => ["-f", join(crds, file)])]);
      await kubectl(cluster, ["wait", "--for=condition=Established", "crd/creditgrants.genop.dev"]);
      await kubectl(cluster, ["apply", "-f", join(crds, "samples", "provider-simulated.yaml")]);
      const before = await objects();
      const { code, stderr, stdout } = await ended(
        startDemo(["--once", "--json", "--kubeconfig", cluster.kubeconfigPath]),
      );
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr.trim()).toMatch(/^cannot play in this cluster: it has 1 objects of genop\.dev[^\n]*$/);
      expect(await objects()).toEqual(before);
    },
    LIMIT_MS,
  );
});

test.each([["--nope"], ["--kubeconfig"]])(
  "%s is refused in one sentence, and nothing is started",
  async (...args) => {
    const { code, stderr, stdout } = await ended(startDemo(args));
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^cannot [^\n]+\n$/);
  },
  LIMIT_MS,
);
