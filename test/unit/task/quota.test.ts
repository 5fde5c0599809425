import { describe, expect, test } from "@jest/globals";
import { Quota, admissionOf } from "../../../operator/task/quota.ts";

const QUOTA = Quota.parse({
  inFlight: 40,
  models: { image: { inFlight: 4 }, video: {} },
  namespaces: { studio: { inFlight: 9 }, lab: {} },
});
const UNLIMITED = { inFlight: undefined, modelInFlight: undefined, namespaceInFlight: undefined, rate: undefined };

describe("what a submit meets", () => {
  test.each([
    { whose: "a model and a namespace with limits", model: "image", namespace: "studio", then: [4, 9] },
    { whose: "a model and a namespace without", model: "video", namespace: "lab", then: [undefined, undefined] },
    { whose: "a model and a namespace that are not named", model: "m", namespace: "n", then: [undefined, undefined] },
  ])("of $whose: $then", ({ model, namespace, then: [modelInFlight, namespaceInFlight] }) => {
    expect(admissionOf(QUOTA, model, namespace)).toEqual({
      ...UNLIMITED,
      inFlight: 40,
      modelInFlight,
      namespaceInFlight,
    });
  });

  test.each([{ retryRatio: 5 }, { namespaces: { studio: { weight: 5 } } }])("%j is taken", (entry) => {
    expect(Quota.safeParse(entry).success).toBe(true);
  });

  test.each([{ retryRatio: -1 }, { retryRatio: 11 }, { namespaces: { studio: { weight: 1001 } } }])(
    "%j is refused",
    (entry) => {
      expect(Quota.safeParse(entry).success).toBe(false);
    },
  );

  test("without a quota is no limit", () => {
    expect(admissionOf(undefined, "image", "studio")).toEqual(UNLIMITED);
    expect(admissionOf(Quota.parse({}), "image", "studio")).toEqual(UNLIMITED);
  });

  test.each([
    { submit: { perSecond: 2 }, rate: { intervalMs: 500, burst: 1 } },
    { submit: { perMinute: 60, burst: 5 }, rate: { intervalMs: 1000, burst: 5 } },
    { submit: { perSecond: 10, perMinute: 60 }, rate: { intervalMs: 1000, burst: 1 } },
    { submit: { perSecond: 1, perMinute: 600 }, rate: { intervalMs: 1000, burst: 1 } },
    { submit: { burst: 5 }, rate: undefined },
    { submit: { concurrent: 2 }, rate: undefined },
  ])("of a rate of $submit is $rate, the slower of two", ({ rate, submit }) => {
    expect(admissionOf(Quota.parse({ submit }), "image", "studio").rate).toEqual(rate);
  });
});

describe("a quota", () => {
  test.each([
    { what: "a typo", quota: { inflight: 1 } },
    { what: "less than nothing", quota: { inFlight: -1 } },
    { what: "a part of a job", quota: { inFlight: 1.5 } },
    { what: "a rate of none", quota: { submit: { perSecond: 0 } } },
    { what: "a burst of none", quota: { submit: { burst: 0 } } },
    { what: "a typo in a rate", quota: { submit: { perHour: 1 } } },
    { what: "a typo of a model", quota: { models: { m: { inflight: 1 } } } },
    { what: "a typo of a namespace", quota: { namespaces: { n: { inflight: 1 } } } },
    { what: "a weight of none", quota: { namespaces: { n: { weight: 0 } } } },
  ])("with $what is refused", ({ quota }) => {
    expect(Quota.safeParse(quota).success).toBe(false);
  });
});
