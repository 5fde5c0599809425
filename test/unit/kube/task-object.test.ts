import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { isKept } from "../../../operator/kube/kept-task.ts";
import { cachedTask, hasLostStatus, readTask, slimMeta } from "../../../operator/kube/task-object.ts";
import { estimateOf, type ProviderSettings } from "../../../operator/task/provider.ts";
import type { Task, UnreadableTask } from "../../../operator/task/task.ts";
import { wireTask } from "./objects.ts";

function readable(read: Task | UnreadableTask): Task {
  if (!("spec" in read)) throw new Error(`not readable: ${read.message}`);
  return read;
}

const nested = (levels: number): unknown => (levels === 0 ? "leaf" : { inner: nested(levels - 1) });

describe("readTask", () => {
  test("an object becomes a task with the schema's defaults", () => {
    const task = readable(readTask(wireTask()));
    expect(task).toMatchObject({
      objectKey: "studio/sunrise",
      namespace: "studio",
      name: "sunrise",
      uid: "uid-1",
      generation: 1,
      createdAt: new Date("2026-11-30T12:00:00Z"),
      pinnedKey: undefined,
      finalizer: false,
      deletedAt: undefined,
      reported: {},
    });
    expect(task.spec).toMatchObject({ unknownPolicy: "Hold", retryPolicy: { maxAttempts: 1 }, suspend: false });
  });

  test("key, finalizer and deletion are read from the metadata", () => {
    const metadata = {
      annotations: { "genop.dev/task-key": "studio/uid-0" },
      finalizers: ["other.example/keep", "genop.dev/settle"],
      deletionTimestamp: "2026-11-30T13:00:00Z",
    };
    expect(readTask(wireTask({ metadata }))).toMatchObject({
      pinnedKey: "studio/uid-0",
      finalizer: true,
      deletedAt: new Date("2026-11-30T13:00:00Z"),
    });
  });

  const UNREADABLE: readonly { when: string; spec: Record<string, unknown>; says: RegExp }[] = [
    { when: "an unknown field", spec: { modle: "x" }, says: /^cannot read the task: spec: .*"modle"/ },
    { when: "a missing model", spec: { model: undefined }, says: /^cannot read the task: spec\.model: / },
    { when: "a bad amount", spec: { maxCredits: "-1" }, says: /spec\.maxCredits: cannot read these credits/ },
    {
      when: "an input over its size",
      spec: { input: { prompt: "x".repeat(256 * 1024) } },
      says: /^cannot pass spec\.input on: it is larger than 262144 bytes/,
    },
    {
      when: "an input over its depth",
      spec: { input: { a: nested(32) } },
      says: /^cannot pass spec\.input on: it nests deeper than 32/,
    },
    { when: "a depth that would overflow a stack", spec: { input: { a: nested(6000) } }, says: /nests deeper than 32/ },
    { when: "a number that lost digits", spec: { input: { seed: 2 ** 60 } }, says: /beyond 2\^53/ },
    {
      when: "a bad entry of a list",
      spec: { inputFrom: [{ path: "nothing", secretKeyRef: { name: "a", key: "b" } }] },
      says: /spec\.inputFrom\[0\]\.path: cannot use this path/,
    },
  ];
  test.each(UNREADABLE)("$when makes it unreadable, in a sentence that names the field", ({ spec, says }) => {
    const read = readTask(wireTask({ spec }));
    expect(read).toEqual({ objectKey: "studio/sunrise", message: expect.stringMatching(says) });
    expect((read as UnreadableTask).message.length).toBeLessThanOrEqual(512);
  });

  test("a message never quotes a value", () => {
    const spec = {
      input: { prompt: "hush-hush" },
      maxCredits: "hush-hush",
      unknownPolicy: "hush-hush",
      priority: "hush-hush",
    };
    expect((readTask(wireTask({ spec })) as UnreadableTask).message).not.toContain("hush-hush");
  });

  test.each([
    { when: "of the wrong type", status: "Succeeded" },
    { when: "with a foreign phase", status: { phase: "Melting" } },
    { when: "with a foreign field", status: { phase: "Polling", verdict: "fine" } },
    { when: "that is null", status: null },
  ])("a status $when counts as empty, and the task is still read", ({ status }) => {
    expect(readable(readTask(wireTask({ status }))).reported).toEqual({});
  });

  test("a status of ours is kept as it is", () => {
    const status = { phase: "Polling", attempt: 1, progress: 30 };
    expect(readable(readTask(wireTask({ status }))).reported).toEqual(status);
  });
});

describe("the identity of the paid call", () => {
  const hashOf = (spec: Record<string, unknown>): string => readable(readTask(wireTask({ spec }))).specHash;
  const base = hashOf({});

  test("it is a SHA-256, and does not depend on the order of fields", () => {
    expect(base).toMatch(/^[0-9a-f]{64}$/);
    expect(hashOf({ input: { num_outputs: 2, prompt: "a quiet harbour at sunrise" } })).toBe(base);
  });

  test.each([
    { what: "provider", spec: { providerRef: { name: "other" } } },
    { what: "model", spec: { model: "sim-video" } },
    { what: "input", spec: { input: { prompt: "a loud harbour" } } },
    { what: "a value's type", spec: { input: { prompt: "a quiet harbour at sunrise", num_outputs: "2" } } },
    { what: "the place of a secret", spec: { inputFrom: [{ path: "/a", secretKeyRef: { name: "s", key: "k" } }] } },
  ])("another $what is another call", ({ spec }) => {
    expect(hashOf(spec)).not.toBe(base);
  });

  test.each([
    { what: "priority", spec: { priority: 5 } },
    { what: "suspension", spec: { suspend: true } },
    { what: "ceiling", spec: { maxCredits: "5" } },
    { what: "life after the end", spec: { ttlSecondsAfterFinished: 60 } },
  ])("another $what is the same call", ({ spec }) => {
    expect(hashOf(spec)).toBe(base);
  });
});

describe("what the cache keeps", () => {
  test("no managed fields, no copy of the object by kubectl, no prompt; a map of annotations stays one", () => {
    const metadata = {
      managedFields: [{}],
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{a quiet harbour}" },
    };
    const cached = cachedTask(wireTask({ metadata }));
    expect(JSON.stringify([cached, cached.read, cached.status])).not.toMatch(/harbour|managedFields/);
    expect(cached.metadata.annotations).toEqual({});
    expect(cached).toMatchObject({ apiVersion: "genop.dev/v1alpha1", kind: "GenerationTask" });
  });

  test("the hash is that of the whole input", () => {
    const object = wireTask();
    expect(readable(cachedTask(object).read).specHash).toBe(readable(readTask(object)).specHash);
  });

  test("an object that can't be read keeps its metadata, so that it can be reported on", () => {
    const cached = cachedTask(wireTask({ spec: { model: "" } }));
    expect(cached.metadata).toMatchObject({ name: "sunrise", resourceVersion: "7" });
    expect(cached.read).toHaveProperty("message");
  });

  test("the transform leaves the object it was given alone", () => {
    const object = wireTask({ metadata: { managedFields: [{}] } });
    slimMeta(object.metadata);
    cachedTask(object);
    expect(object.metadata.managedFields).toEqual([{}]);
  });

  test("prices come out of it as out of the whole input, whatever the input holds", () => {
    const price = { perOutput: "0.01", perSecond: "0.001", countField: "n", secondsField: "s" };
    const settings = { models: [{ name: "sim-image", price }] } as unknown as ProviderSettings;
    const value = fc.oneof(
      fc.jsonValue(),
      fc.integer(),
      fc.integer().map(String),
      fc.constantFrom("", " 5 ", "Infinity", true),
    );
    fc.assert(
      fc.property(value, value, fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 5 }), (n, s, rest) => {
        const object = wireTask({ spec: { input: { ...rest, n, s } } });
        const whole = readTask(object);
        fc.pre("spec" in whole);
        const kept = readable(cachedTask(object).read);
        expect(estimateOf(settings, kept.spec)).toEqual(estimateOf(settings, readable(whole).spec));
      }),
    );
  });
});

describe("a version that is kept", () => {
  const status = { phase: "Polling", taskKey: "studio/uid-1", startTime: "2026-11-30T12:00:00Z" };
  const kept = cachedTask(wireTask({ status }));

  test.each([
    { what: "the same version", over: { status }, is: true },
    { what: "a later one", over: { status, metadata: { resourceVersion: "8" } }, is: false },
    { what: "one of another object", over: { status, metadata: { uid: "uid-2" } }, is: false },
    { what: "its number, of another history", over: { status: { ...status, phase: "Failed" } }, is: false },
    {
      what: "its number, with another time",
      over: { status: { ...status, startTime: "2026-11-30T12:00:01Z" } },
      is: false,
    },
    { what: "its number, without a status", over: {}, is: false },
  ])("is $what: $is", ({ is, over }) => {
    expect(isKept(kept, wireTask(over))).toBe(is);
  });

  test("is none when nothing was kept", () => {
    expect(isKept(undefined, wireTask())).toBe(false);
  });
});

describe("a status that was wiped", () => {
  const at = (status: unknown): ReturnType<typeof cachedTask> => cachedTask(wireTask({ status }));

  test.each([
    { when: "the phase is gone", from: { phase: "Succeeded" }, to: undefined, lost: true },
    { when: "the status is foreign now", from: { phase: "Succeeded" }, to: { phase: "Melting" }, lost: true },
    { when: "the phase changed", from: { phase: "Pending" }, to: { phase: "Polling" }, lost: false },
    { when: "there was none", from: undefined, to: undefined, lost: false },
  ])("is noticed when $when: $lost", ({ from, to, lost }) => {
    expect(hasLostStatus(at(to), at(from))).toBe(lost);
  });

  test("a new object and a deleted one have lost nothing that could be written again", () => {
    expect(hasLostStatus(at(undefined), undefined)).toBe(false);
    expect(hasLostStatus(undefined, at({ phase: "Succeeded" }))).toBe(false);
  });
});
