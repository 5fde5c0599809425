import { describe, expect, test } from "@jest/globals";
import { findCredential } from "../../../operator/kube/provider-credential.ts";
import { makeSecrets, type Secrets } from "../../../operator/kube/secrets.ts";
import { putAt, resolveInput } from "../../../operator/kube/task-input.ts";
import { KubeError } from "../../../operator/runtime/errors.ts";

const never = new AbortController().signal;
const base64 = (text: string): string => Buffer.from(text).toString("base64");

type Held = Record<string, Record<string, string> | number>;

/** Secrets by "namespace/name"; a number is the status that a read ends with. */
function makeWorld(
  held: Held,
  keepMs = 5000,
): { secrets: Secrets; reads: string[]; held: Held; at: (ms: number) => void } {
  let nowMs = 0;
  const reads: string[] = [];
  const resource = {
    get: (key: string) => {
      reads.push(key);
      const data = held[key];
      if (typeof data === "number") {
        return Promise.reject(new KubeError({ status: data, reason: "Refused", method: "GET", path: "/" }));
      }
      return Promise.resolve(data && { metadata: { name: key }, data });
    },
  };
  const clock = { monotonicMs: () => nowMs, date: () => new Date(nowMs), after: () => () => undefined };
  const secrets = makeSecrets({ resource, clock, settings: { keepMs, maxKept: 2 } });
  return { secrets, reads, held, at: (ms) => void (nowMs = ms) };
}

const at = (name: string, key = "token"): { namespace: string; name: string; key: string } => ({
  namespace: "studio",
  name,
  key,
});

describe("reading a Secret", () => {
  test.each([
    { when: "it is there", held: { token: base64("hush") }, read: { outcome: "read", value: "hush" } },
    {
      when: "it does not exist",
      held: undefined,
      read: { outcome: "absent", message: /Secret s in namespace studio: it does not exist/ },
    },
    {
      when: "the key does not exist",
      held: { other: base64("hush") },
      read: { outcome: "absent", message: /no key token/ },
    },
    {
      when: "the key is one of every object",
      held: {},
      key: "constructor",
      read: { outcome: "absent", message: /no key constructor/ },
    },
    { when: "it may not be read", held: 403, read: { outcome: "forbidden", message: /no right to get Secrets there/ } },
    {
      when: "it is no text",
      held: { token: Buffer.from([0xff, 0xfe]).toString("base64") },
      read: { outcome: "unusable", message: /not UTF-8/ },
    },
    {
      when: "it is too large",
      held: { token: base64("x".repeat(70_000)) },
      read: { outcome: "unusable", message: /larger than 64 KiB/ },
    },
  ])("when $when: $read.outcome", async ({ held, key, read }) => {
    const { secrets } = makeWorld(held === undefined ? {} : { "studio/s": held });
    const { message, ...rest } = read as { outcome: string; message?: RegExp };
    expect(await secrets.read(at("s", key), never)).toEqual({
      ...rest,
      ...(message && { message: expect.stringMatching(message) }),
    });
  });

  test("when the API can't be asked, nothing is said of the Secret", async () => {
    const { secrets } = makeWorld({ "studio/s": 503 });
    await expect(secrets.read(at("s"), never)).rejects.toThrow(KubeError);
  });

  test("an answer is used again for its time only, and absence never", async () => {
    const { secrets, reads, held, at: setTime } = makeWorld({ "studio/s": { token: base64("one") } });
    await secrets.read(at("s"), never);
    held["studio/s"] = { token: base64("two") };
    expect(await secrets.read(at("s"), never)).toMatchObject({ value: "one" });
    setTime(5001);
    expect(await secrets.read(at("s"), never)).toMatchObject({ value: "two" });
    await secrets.read(at("gone"), never);
    await secrets.read(at("gone"), never);
    expect(reads).toEqual(["studio/s", "studio/s", "studio/gone", "studio/gone"]);
  });

  test("no more Secrets are kept than allowed", async () => {
    const one = { token: base64("x") };
    const { secrets, reads } = makeWorld({ "studio/a": one, "studio/b": one, "studio/c": one });
    for (const name of ["a", "b", "c", "a"]) await secrets.read(at(name), never);
    expect(reads).toEqual(["studio/a", "studio/b", "studio/c", "studio/a"]);
  });
});

describe("putting values into the input", () => {
  test.each([
    { path: "/a", into: {}, gives: { a: "v" } },
    { path: "/a", into: { a: 1 }, gives: { a: "v" } },
    { path: "/a/b/c", into: {}, gives: { a: { b: { c: "v" } } } },
    { path: "/a/0", into: { a: [1, 2] }, gives: { a: ["v", 2] } },
    { path: "/a/2", into: { a: [1, 2] }, gives: { a: [1, 2, "v"] } },
    { path: "/a/0/b", into: { a: [{}] }, gives: { a: [{ b: "v" }] } },
  ])("$path into $into", ({ path, into, gives }) => {
    const input = structuredClone(into) as Record<string, unknown>;
    expect(putAt(input, path, "v")).toBeUndefined();
    expect(input).toEqual(gives);
  });

  test.each([
    { path: "/a/b", into: { a: "text" }, says: /a is neither an object nor a list/ },
    { path: "/a/b", into: { a: null }, says: /neither/ },
    { path: "/a/3", into: { a: [1, 2] }, says: /3 is no place in the list/ },
    { path: "/a/length", into: { a: [1] }, says: /no place/ },
    { path: "/a/01", into: { a: [1, 2] }, says: /no place/ },
  ])("$path into $into is refused", ({ path, into, says }) => {
    expect(putAt(structuredClone(into) as Record<string, unknown>, path, "v")).toMatch(says);
  });

  test.each(["/__proto__/polluted", "/constructor/prototype/polluted"])("%s reaches no prototype", (path) => {
    putAt({}, path, "v");
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("the task's own input is not touched, and the first thing missing is named", async () => {
    const { secrets } = makeWorld({ "studio/s": { token: base64("hush") } });
    const spec = {
      input: { a: { b: 1 } },
      inputFrom: [{ path: "/a/c", secretKeyRef: { name: "s", key: "token" } }],
    };
    expect(await resolveInput(secrets, "studio", spec, never)).toEqual({
      outcome: "resolved",
      input: { a: { b: 1, c: "hush" } },
    });
    expect(spec.input).toEqual({ a: { b: 1 } });

    spec.inputFrom.push({ path: "/d", secretKeyRef: { name: "none", key: "key" } });
    expect(await resolveInput(secrets, "studio", spec, never)).toEqual({
      outcome: "unavailable",
      message: "cannot read Secret none in namespace studio: it does not exist",
    });
  });
});

describe("the credential of a provider", () => {
  const spec = { credentials: { secretRef: { name: "s", key: "token" }, header: "Authorization", prefix: "" } };

  test.each([
    { value: "hush-hush 1", state: "read" },
    { value: "hush\n", state: "malformed" },
    { value: "", state: "malformed" },
    { value: "hush\r\nx-evil: 1", state: "malformed" },
    { value: "hüsh", state: "malformed" },
    { value: "x".repeat(9000), state: "malformed" },
  ])("a value is $state when it can stand in a header, and never shown: %#", async ({ value, state }) => {
    const { secrets } = makeWorld({ "studio/s": { token: base64(value) } });
    const found = await findCredential(secrets, "studio", spec, never);
    expect(found.state).toBe(state);
    if ("message" in found) expect(found.message).not.toMatch(/hush|hüsh|xxx/);
  });

  test("a spec without credentials needs none, and nothing is read", async () => {
    const { secrets, reads } = makeWorld({});
    expect(await findCredential(secrets, "studio", { credentials: undefined }, never)).toEqual({
      state: "none-needed",
    });
    expect(reads).toEqual([]);
  });
});
