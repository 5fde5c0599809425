import { describe, expect, test } from "@jest/globals";
import { acceptedAttempt, SPEC, submitRequestOf } from "./spec.ts";
import { api, BROKEN, never, registry, SECRET } from "./registry-test.ts";

describe("a provider is seen", () => {
  test("as absent, until it is put", () => {
    const providers = registry();
    expect(providers.see("acme", "studio")).toEqual({ state: "absent" });
    expect(providers.client("acme")).toBeUndefined();
    providers.put("acme", SPEC, SECRET);
    expect(providers.see("acme", "studio")).toMatchObject({ state: "ready", settings: { name: "acme" } });
    expect(providers.names()).toEqual(["acme"]);
    providers.remove("acme");
    expect(providers.see("acme", "studio")).toEqual({ state: "absent" });
  });

  test.each([
    { from: { from: "All" }, state: "ready" },
    { from: { from: "Names", names: ["studio"] }, state: "ready" },
    { from: { from: "Names", names: ["lab"] }, state: "not-allowed" },
    { from: { from: "Selector", selector: { matchLabels: { tenant: "yes" } } }, state: "ready" },
    { from: { from: "Selector", selector: { matchLabels: { tenant: "no" } } }, state: "not-allowed" },
    { from: { from: "Selector", selector: { matchLabels: { tenant: "yes", other: "x" } } }, state: "not-allowed" },
  ])("from a namespace as $state with $from", ({ from, state }) => {
    const providers = registry();
    providers.put("acme", { ...SPEC, allowedNamespaces: from }, SECRET);
    expect(providers.see("acme", "studio").state).toBe(state);
  });

  test("as not ready, never as not allowed, while the labels of the namespace are not known", () => {
    const providers = registry({ namespaceLabels: () => undefined });
    const allowedNamespaces = { from: "Selector", selector: { matchLabels: { tenant: "yes" } } };
    providers.put("acme", { ...SPEC, allowedNamespaces }, SECRET);
    expect(providers.see("acme", "studio")).toMatchObject({ state: "not-ready", settings: { name: "acme" } });
  });

  test.each([
    {
      when: "an expression does not compile",
      spec: BROKEN,
      credential: SECRET,
      says: /^spec\.http\.query\.state: at character 10: /,
    },
    {
      when: "the Secret is missing",
      spec: SPEC,
      credential: undefined,
      says: /^spec\.credentials\.secretRef: Secret acme has no value under token$/,
    },
    { when: "the Secret is blank", spec: SPEC, credential: " \n", says: /has no value under token$/ },
    {
      when: "the Secret cannot be sent",
      spec: SPEC,
      credential: "top\r\nsecret",
      says: /cannot be put into a header$/,
    },
  ])("as not ready, with the field, when $when", ({ spec, credential, says }) => {
    const providers = registry();
    providers.put("acme", spec, credential);
    const seen = providers.see("acme", "studio");
    expect(seen).toMatchObject({
      state: "not-ready",
      settings: { name: "acme" },
      message: expect.stringMatching(says),
    });
    expect(JSON.stringify(seen)).not.toContain("secret\\r");
    expect(providers.client("acme")).toBeUndefined();
  });

  test("as not ready, without settings, when its spec cannot be read at all", () => {
    const providers = registry();
    providers.put("acme", { adapter: "telepathy" }, SECRET);
    expect(providers.see("acme", "studio")).toMatchObject({ state: "not-ready", settings: undefined });
    expect(providers.problems("acme").map(({ field }) => field)).toContain("spec.adapter");
  });
});

describe("a spec that is edited into something broken", () => {
  test("starts nothing new, and goes on reading what was begun", async () => {
    const { url, seen } = await api();
    const providers = registry();
    providers.put("acme", { ...SPEC, baseURL: url }, SECRET);
    providers.put("acme", { ...BROKEN, baseURL: url }, SECRET);

    expect(providers.see("acme", "studio").state).toBe("not-ready");
    const client = providers.client("acme");
    expect(await client?.submit(submitRequestOf(), never)).toEqual({ outcome: "not-sent", code: "provider-not-ready" });
    expect(await client?.query(acceptedAttempt(), never)).toMatchObject({ outcome: "job", state: "running" });
    expect(seen.map(({ method }) => method)).toEqual(["GET"]);
  });

  test("is in use again as soon as it is mended", () => {
    const providers = registry();
    providers.put("acme", BROKEN, SECRET);
    expect(providers.problems("acme")).toHaveLength(1);
    providers.put("acme", SPEC, SECRET);
    expect(providers.problems("acme")).toEqual([]);
    expect(providers.see("acme", "studio").state).toBe("ready");
  });
});
