// What becomes of a create whose answer is lost, late or a refusal: never a second task, never an answer that is not sure.
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { createTask, type Created } from "../../../api-shim/tasks/create.ts";
import { fingerprintOf, readKey, taskNameOf } from "../../../api-shim/tasks/identity.ts";
import { taskOf } from "../../../api-shim/tasks/request.ts";
import type { WireTask } from "../../../operator/kube/task-object.ts";
import { systemClock } from "../../../operator/runtime/clock.ts";
import { KubeError } from "../../../operator/runtime/errors.ts";

const WISH = { namespace: "studio", key: "order-1", body: { model: "m", providerRef: { name: "p" }, input: {} } };
const fault = (status: number, reason = "x"): KubeError => new KubeError({ status, reason, method: "POST", path: "/" });
const exists = fault(409, "AlreadyExists");
const lost = fault(0, "Unreachable");

type Step = "kept" | "kept, answer lost" | "lost" | "refused" | "throttled";

/** An API server of one object that does as it is told, one create after the other, and then well. */
function server(
  steps: readonly Step[],
  there?: WireTask,
): { readonly creates: () => number; readonly run: () => Promise<Created> } {
  let object = there;
  let creates = 0;
  const tasks = {
    create: (wanted: WireTask): Promise<WireTask> => {
      const step = steps[creates] ?? "kept";
      creates += 1;
      if (step === "lost") return Promise.reject(lost);
      if (step === "throttled") return Promise.reject(fault(429));
      if (step === "refused") return Promise.reject(fault(403));
      if (object) return Promise.reject(exists);
      object = wanted;
      return step === "kept" ? Promise.resolve(wanted) : Promise.reject(lost);
    },
    get: () => Promise.resolve(object),
  };
  return {
    creates: () => creates,
    run: () => createTask({ tasks, clock: systemClock }, WISH, AbortSignal.timeout(5_000)),
  };
}

describe("a create", () => {
  test("whose answer is lost after it was kept is found again, and is no second task", async () => {
    const { creates, run } = server(["kept, answer lost"]);
    expect(await run()).toMatchObject({
      isReplay: true,
      task: { metadata: { name: taskNameOf("studio", "order-1") } },
    });
    expect(creates()).toBe(2);
  });

  test("that is lost is made again", async () => {
    expect(await server(["lost", "throttled"]).run()).toMatchObject({ isReplay: false });
  });

  test("that is never answered ends with a sentence that says to repeat it", async () => {
    const { creates, run } = server(["lost", "lost", "lost", "lost", "lost"]);
    await expect(run()).rejects.toMatchObject({ code: "cluster-unavailable", details: { retryAfterSeconds: 2 } });
    expect(creates()).toBe(4);
  });

  test("that is refused is not repeated", async () => {
    const { creates, run } = server(["refused"]);
    await expect(run()).rejects.toMatchObject({ code: "refused-by-cluster" });
    expect(creates()).toBe(1);
  });

  test("of another body than the one that is there is refused, also when its own answer was lost", async () => {
    const other = taskOf({ ...WISH, body: { ...WISH.body, model: "other" } });
    await expect(server(["lost"], other).run()).rejects.toMatchObject({ code: "idempotency-key-reused" });
  });

  test("of an object that is going is refused until it is gone", async () => {
    const there = taskOf(WISH);
    const going = { ...there, metadata: { ...there.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
    await expect(server([], going).run()).rejects.toMatchObject({ code: "being-deleted" });
  });
});

describe("the identity of a wish", () => {
  test("is the same for ever: these names and fingerprints are in clusters", () => {
    expect(taskNameOf("studio", "order-1")).toBe(NAME);
    expect(fingerprintOf({ b: 1, a: [2, { d: null, c: "x" }] })).toBe(FINGERPRINT);
  });

  test("differs for each namespace and key, and is a name that an object can have", () => {
    const key = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/);
    const namespace = fc.stringMatching(/^[a-z][a-z0-9-]{0,10}[a-z0-9]$/);
    fc.assert(
      fc.property(namespace, key, namespace, key, (a, b, c, d) => {
        expect(taskNameOf(a, b)).toMatch(/^rest-[0-9a-f]{40}$/);
        expect(taskNameOf(a, b) === taskNameOf(c, d)).toBe(a === c && b === d);
      }),
    );
  });

  test("does not depend on the order of fields, and on everything else", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (body) => {
        const reversed = Object.fromEntries(Object.entries(body).reverse());
        expect(fingerprintOf(reversed)).toBe(fingerprintOf(body));
        expect(fingerprintOf({ ...body, "one more": 1 })).not.toBe(fingerprintOf(body));
      }),
    );
  });

  test.each([
    ["order-1", "order-1"],
    ['"order-1"', "order-1"],
    ['"order-1', undefined],
    ["", undefined],
    ["-a", undefined],
    ["a b", undefined],
    ["a".repeat(128), "a".repeat(128)],
    ["a".repeat(129), undefined],
    ["a,b", undefined],
  ])("the header %j names the key %j", (header, key) => {
    expect(readKey(header)).toBe(key);
  });
});

const NAME = "rest-d9859cb0d41801886ecaa30d33aec5469b3f9cbd";
const FINGERPRINT = "v1:41f05899d3459a3ecc94ff088afcd290b9ae4f51dc9ddaa35a82a642ddb55070";
