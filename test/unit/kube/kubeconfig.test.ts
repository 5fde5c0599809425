import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { loadKubeConfig } from "../../../operator/kube/kubeconfig.ts";

const GOOD = `
apiVersion: v1
kind: Config
clusters: [{ name: test, cluster: { server: "https://127.0.0.1:1" } }]
users: [{ name: test, user: { token: hush } }]
contexts: [{ name: test, context: { cluster: test, user: test } }]
current-context: test
`;

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

describe("finding the API server", () => {
  let folder: string;
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "kubeconfig-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test("a kubeconfig that is named is used", () => {
    expect(loadKubeConfig(file("good", GOOD)).getCurrentCluster()?.server).toBe("https://127.0.0.1:1");
  });

  test.each([
    {
      when: "names no file",
      path: () => join(folder, "none"),
      says: /^cannot read the kubeconfig: KUBECONFIG must name/,
    },
    { when: "is no YAML", path: () => file("bad", "a: [token: hush"), says: /^cannot read the kubeconfig/ },
    {
      when: "has no current context",
      path: () => file("empty", GOOD.replace("current-context: test", "")),
      says: /no current context/,
    },
    { when: "is not set, outside of a pod", path: () => undefined, says: /set KUBECONFIG, or run in a pod/ },
  ])("when it $when, the message says what to do and quotes nothing", ({ path, says }) => {
    const load = (): unknown => loadKubeConfig(path(), join(folder, "no-token"));
    expect(load).toThrow(says);
    expect(inspect(thrownBy(load), { depth: 5 })).not.toContain("hush");
  });
});
