// The shim's process at its edges: a wrong configuration, and the rights and routes that its parts agree upon.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { readConfig } from "../../../api-shim/config.ts";
import { renderShimRbac } from "../../../api-shim/rights.ts";
import { BODY_LIMITS } from "../../../api-shim/http/body.ts";
import { HTTP_LIMITS } from "../../../api-shim/http/limits.ts";
import { MAX_INPUT_BYTES, MAX_INPUT_DEPTH } from "../../../operator/task/task-parts.ts";

const MAIN = join(import.meta.dirname, "..", "..", "..", "api-shim", "main.ts");

test("a wrong configuration ends the start with 78 and one message that names every variable and no value", () => {
  const env = { PATH: process.env.PATH, REST_PORT: "99999", AWS_ACCESS_KEY_ID: "hunter2" };
  const { status, stderr } = spawnSync(process.execPath, [MAIN], { env, encoding: "utf8" });
  expect(status).toBe(78);
  expect(stderr).toMatch(/^cannot start: the configuration is wrong\n/);
  for (const name of ["REST_PORT", "S3_BUCKET"]) expect(stderr).toContain(`  ${name}: `);
  expect(stderr).not.toContain("hunter2");
});

test("a place without an API server is a wrong configuration too", () => {
  const env = { PATH: process.env.PATH, S3_BUCKET: "genop", KUBECONFIG: "/nowhere" };
  const { status, stderr } = spawnSync(process.execPath, [MAIN], { env, encoding: "utf8" });
  expect([status, stderr]).toEqual([78, "cannot read the kubeconfig: KUBECONFIG must name one readable YAML file\n"]);
});

describe("the configuration", () => {
  const needed = { S3_BUCKET: "genop" };
  test.each([
    { given: { AWS_ACCESS_KEY_ID: "k" }, says: "AWS_SECRET_ACCESS_KEY: must be set together" },
    { given: { MAX_CONNECTIONS: "100", MAX_STREAMS: "100" }, says: "MAX_STREAMS: must be less than MAX_CONNECTIONS" },
    { given: { HEARTBEAT_SECONDS: "10", STREAM_SECONDS: "10" }, says: "HEARTBEAT_SECONDS: must be less than" },
    { given: { OPERATOR_METRICS_URL: "ftp://x" }, says: "OPERATOR_METRICS_URL: " },
    { given: { S3_FORCE_PATH_STYLE: "yes" }, says: "S3_FORCE_PATH_STYLE: " },
  ])("$says", ({ given, says }) => {
    expect(() => readConfig({ ...needed, ...given })).toThrow(says);
  });

  test("an empty value is an unset one, and a list has commas", () => {
    const { KUBECONFIG, TOKEN_AUDIENCES } = readConfig({ ...needed, KUBECONFIG: "", TOKEN_AUDIENCES: "a, b," });
    expect([KUBECONFIG, TOKEN_AUDIENCES]).toEqual([undefined, ["a", "b"]]);
  });
});

test("the rights are one role and its binding, and nothing in the shim's own namespace", () => {
  const objects = renderShimRbac({ name: "rest", namespace: "home", serviceAccount: "rest" });
  expect(objects.map(({ kind, metadata }) => [kind, metadata.name, metadata.namespace])).toEqual([
    ["ClusterRole", "rest", undefined],
    ["ClusterRoleBinding", "rest", undefined],
  ]);
});

test("what lies around waits longer than what is inside: a connection longer than any answer", () => {
  const longest = (seconds: string): number =>
    readConfig({ S3_BUCKET: "genop", REQUEST_SECONDS: seconds }).REQUEST_SECONDS;
  expect(HTTP_LIMITS.idleMs).toBeGreaterThan(longest("60") * 1000 + 10_000);
  expect(() => longest("61")).toThrow("REQUEST_SECONDS: Too big");
  expect(HTTP_LIMITS.requestMs).toBeGreaterThan(HTTP_LIMITS.headersMs);
  expect(HTTP_LIMITS.idleMs).toBeGreaterThan(HTTP_LIMITS.keepAliveMs);
});

test("a body has room for the largest input that a task may have, however it is spelled", () => {
  expect(BODY_LIMITS.depth).toBeGreaterThan(MAX_INPUT_DEPTH + 1);
  expect(BODY_LIMITS.bytes).toBeGreaterThanOrEqual(2 * MAX_INPUT_BYTES);
});
