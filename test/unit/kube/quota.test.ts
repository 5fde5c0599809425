import { beforeEach, describe, expect, test } from "@jest/globals";
import { readQuotaText } from "../../../operator/kube/quota-text.ts";
import { makeQuotas, type ConfigMapObject, type LiveQuotas } from "../../../operator/kube/quota.ts";
import type { ChangeHandler } from "../../../operator/runtime/store.ts";

const GOOD =
  "submit: { perMinute: 60, burst: 5 }\ninFlight: 40\nmodels: { m: { inFlight: 4 } }\nnamespaces: { studio: { inFlight: 9 } }";

/** A reflector of one ConfigMap, moved by hand. */
function makeSource(): {
  hasSynced(): boolean;
  onChange(handler: ChangeHandler<ConfigMapObject>): void;
  sync(): void;
  set(data: Record<string, string> | undefined): void;
} {
  let synced = false;
  const handlers: ChangeHandler<ConfigMapObject>[] = [];
  return {
    hasSynced: () => synced,
    onChange: (handler) => void handlers.push(handler),
    sync: () => {
      synced = true;
    },
    set: (data) => {
      const next = data && { metadata: { name: "genop-quota", namespace: "genop" }, data };
      handlers.forEach((handler) => handler("genop/genop-quota", next, undefined, { initial: false }));
    },
  };
}

describe("one entry", () => {
  test.each([
    { when: "empty text", text: "", quota: {} },
    { when: "a comment alone", text: "# later", quota: {} },
    { when: "limits", text: "inFlight: 3", quota: { inFlight: 3 } },
    { when: "a rate without burst", text: "submit: { perSecond: 2 }", quota: { submit: { perSecond: 2, burst: 1 } } },
  ])("$when is read", ({ text, quota }) => {
    expect(readQuotaText("acme", text)).toEqual({ outcome: "good", value: quota });
  });

  test.each([
    { when: "a typo", text: "inflight: 3", says: /^cannot use quota acme: .*"inflight"/ },
    { when: "a negative limit", text: "inFlight: -1", says: /inFlight: Too small/ },
    { when: "a number in words", text: "inFlight: many", says: /inFlight: .*expected number/ },
    { when: "broken YAML", text: "submit: { perMinute: 60", says: /^cannot use quota acme: .* at character \d+$/ },
    { when: "the same limit twice", text: "inFlight: 1\ninFlight: 2", says: /keys must be unique/ },
    { when: "two documents", text: "inFlight: 1\n---\ninFlight: 2", says: /multiple documents/ },
    { when: "an alias", text: "submit: &a { perSecond: 1 }\nquery: *a", says: /alias: write the limits out/ },
    { when: "a list", text: "- 1", says: /expected object/ },
    { when: "a text of megabytes", text: "#".repeat(70_000), says: /larger than 64 KiB/ },
  ])("$when is refused with its place", ({ text, says }) => {
    const read = readQuotaText("acme", text);
    expect(read).toEqual({ outcome: "bad", message: expect.stringMatching(says) });
  });
});

describe("the limits in force", () => {
  let source: ReturnType<typeof makeSource>;
  let quotas: LiveQuotas;
  const admission = (provider = "acme"): unknown => quotas.admission(provider, "m", "studio");
  const LIMITED = { inFlight: 40, modelInFlight: 4, namespaceInFlight: 9, rate: { intervalMs: 1000, burst: 5 } };
  const UNLIMITED = { inFlight: undefined, modelInFlight: undefined, namespaceInFlight: undefined, rate: undefined };

  beforeEach(() => {
    source = makeSource();
    quotas = makeQuotas(source);
  });

  test("nothing is admitted before the first read", () => {
    source.set({ acme: GOOD });
    expect(admission()).toBe("unknown");
    expect(quotas.standing("acme").state).toBe("unread");
    source.sync();
    expect(admission()).toEqual(LIMITED);
  });

  test("without a ConfigMap there are no limits, and that is told", () => {
    source.sync();
    expect(admission()).toEqual(UNLIMITED);
    expect(quotas.standing("acme")).toEqual({ state: "unlimited", message: expect.stringMatching(/does not exist/) });
  });

  test("without an entry there are no limits, and that is told", () => {
    source.set({ other: GOOD });
    source.sync();
    expect(admission()).toEqual(UNLIMITED);
    expect(quotas.standing("acme")).toEqual({ state: "unlimited", message: expect.stringMatching(/no entry acme/) });
  });

  test("a bad edit keeps the last good limits and is told, and a good one ends that", () => {
    source.set({ acme: GOOD });
    source.sync();
    source.set({ acme: "inFlight: many" });
    expect(admission()).toEqual(LIMITED);
    expect(quotas.standing("acme")).toMatchObject({ state: "bad", isInForce: true });
    expect([...quotas.problems().keys()]).toEqual(["acme"]);

    source.set({ acme: "inFlight: 1" });
    expect(admission()).toEqual({ ...UNLIMITED, inFlight: 1 });
    expect(quotas.problems().size).toBe(0);
  });

  test("a bad entry of one provider leaves the others alone", () => {
    source.set({ acme: "inFlight: many", other: GOOD });
    source.sync();
    expect(admission("other")).toEqual(LIMITED);
  });

  test("a bad entry without a good one before admits nothing", () => {
    source.set({ acme: "inFlight: many" });
    source.sync();
    expect(admission()).toBe("unknown");
    expect(quotas.standing("acme")).toMatchObject({ state: "bad", isInForce: false });
  });

  test("an entry that is taken out lifts its limits", () => {
    source.set({ acme: GOOD });
    source.sync();
    source.set({});
    expect(admission()).toEqual(UNLIMITED);
  });

  test("a ConfigMap that is deleted and made again never opens the gate in between", () => {
    source.set({ acme: GOOD });
    source.sync();
    source.set(undefined);
    expect(admission()).toEqual(LIMITED);
    expect(quotas.standing("acme")).toMatchObject({ state: "bad", isInForce: true });
    source.set({ acme: "inFlight: 2" });
    expect(admission()).toEqual({ ...UNLIMITED, inFlight: 2 });
    expect(quotas.standing("acme").state).toBe("limited");
  });

  test("only providers whose entry changed are woken", () => {
    const woken: (readonly string[])[] = [];
    quotas.onChange((providers) => woken.push(providers));
    source.set({ acme: GOOD, other: GOOD });
    source.set({ acme: GOOD, other: "inFlight: 1" });
    source.set({ acme: GOOD, other: "inFlight: 1" });
    source.set({ acme: GOOD });
    expect(woken).toEqual([["acme", "other"], ["other"], ["other"]]);
  });
});

describe("the budgets in force", () => {
  const GOOD_BUDGETS = 'studio: { creditsPerDay: "5" }\n"*": { creditsPerMonth: "1" }';
  let source: ReturnType<typeof makeSource>;
  let quotas: LiveQuotas;
  const perDay = (): unknown => {
    const budget = quotas.budget("studio");
    return budget === "unknown" ? budget : budget.perDay;
  };

  beforeEach(() => {
    source = makeSource();
    quotas = makeQuotas(source);
  });

  test("are unknown before the first read, and nothing is limited without an entry", () => {
    expect(perDay()).toBe("unknown");
    source.sync();
    expect(perDay()).toBeUndefined();
  });

  test("are no provider's limits", () => {
    source.set({ _budgets: GOOD_BUDGETS });
    source.sync();
    expect(quotas.quota("_budgets")).toBeUndefined();
    expect(perDay()).toBe(5_000_000n);
  });

  test("stay at the last good ones through a bad edit and a deletion, which are told", () => {
    source.set({ _budgets: GOOD_BUDGETS });
    source.sync();
    source.set({ _budgets: "studio: { creditsPerDay: 5.5 }" });
    expect(perDay()).toBe(5_000_000n);
    expect(quotas.problems().get("_budgets")).toMatch(/^cannot use quota _budgets: studio\.creditsPerDay/);
    source.set(undefined);
    expect(perDay()).toBe(5_000_000n);
  });

  test("are unknown with a bad entry alone: nothing is begun", () => {
    source.set({ _budgets: "studio: { perDay: 5 }" });
    source.sync();
    expect(perDay()).toBe("unknown");
  });

  test("are told when they change, by the name of their entry", () => {
    const told: (readonly string[])[] = [];
    quotas.onChange((entries) => told.push(entries));
    source.set({ _budgets: GOOD_BUDGETS, acme: GOOD });
    source.set({ _budgets: "", acme: GOOD });
    source.set({ acme: GOOD });
    expect(told).toEqual([["acme", "_budgets"], ["_budgets"], ["_budgets"]]);
  });
});
