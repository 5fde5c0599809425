import { describe, expect, test } from "@jest/globals";
import { plainRequest, type Address } from "../../../operator/providers/request.ts";

const address: Address = {
  baseUrl: "https://api.example/v1/",
  headers: { "X-Version": "1" },
  idempotencyHeader: undefined,
  webhookUrl: () => "",
};

describe("a path", () => {
  test.each([
    { path: "/jobs/1", url: "https://api.example/v1/jobs/1" },
    { path: "/jobs?a=b&c=../d", url: "https://api.example/v1/jobs?a=b&c=../d" },
    { path: "/jobs/..%2Fadmin", url: "https://api.example/v1/jobs/..%2Fadmin" },
    { path: "/models/a.b/c..d", url: "https://api.example/v1/models/a.b/c..d" },
    { path: "//other.example/x", url: "https://api.example/v1//other.example/x" },
    { path: "/@other.example", url: "https://api.example/v1/@other.example" },
  ])("$path stays below the base URL", ({ path, url }) => {
    expect(plainRequest(address, "GET", path).url.href).toBe(url);
  });

  test.each([
    { when: "it does not begin with a slash", path: "jobs" },
    { when: "it is another URL", path: "https://other.example/" },
    { when: "it continues the host", path: ".other.example/" },
    { when: "it makes the host a password", path: "@other.example/" },
    { when: "it leads upwards", path: "/../admin" },
    { when: "it leads upwards in the middle", path: "/jobs/../../admin" },
    { when: "it leads upwards at the end", path: "/jobs/.." },
    { when: "it leads upwards in disguise", path: "/jobs/%2e%2E/admin" },
    { when: "it leads upwards in half a disguise", path: "/jobs/.%2e/admin" },
    { when: "it goes nowhere", path: "/jobs/./1" },
    { when: "it has a backslash, which would be a slash", path: "/jobs\\..\\admin" },
    { when: "it has a line break, which would be dropped", path: "/jobs/.\n./admin" },
    { when: "it has a tab, which would be dropped", path: "/jobs/.\t./admin" },
    { when: "it has a space", path: "/jobs/a b" },
    { when: "it has a fragment, which would cut the query", path: "/jobs#a?ref=1" },
    { when: "it is not encoded", path: "/jobs/é" },
    { when: "it is endless", path: `/${"a".repeat(9000)}` },
    { when: "it is no text", path: 7 },
    { when: "it is nothing", path: undefined },
  ])("is refused when $when", ({ path }) => {
    expect(() => plainRequest(address, "GET", path)).toThrow(/^cannot build the request: its path/);
  });
});

test("the spec's headers are sent, and never make the answer compressed", () => {
  const spoiling = { ...address, headers: { ...address.headers, "Accept-Encoding": "gzip", Accept: "text/json" } };
  expect(plainRequest(spoiling, "GET", "/jobs").headers).toEqual({
    accept: "text/json",
    "accept-encoding": "identity",
    "user-agent": "generation-operator",
    "x-version": "1",
  });
});
