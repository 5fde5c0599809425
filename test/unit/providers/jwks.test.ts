// Keys that a provider publishes: which of them verify, and how often they are fetched, whoever sends what.
import { createHmac, generateKeyPairSync, type KeyObject } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { makeProviders, type ProviderRegistry } from "../../../operator/providers/registry.ts";
import { ed25519KeysOf } from "../../../operator/providers/webhook/jwks.ts";
import { makeKeySet, type KeySet } from "../../../operator/providers/webhook/key-set.ts";
import type { Received } from "../../../operator/providers/webhook/signature.ts";
import { falHeaders } from "./fal.ts";
import { HTTP, SPEC } from "./spec.ts";

const AT = new Date("2026-06-01T12:00:00Z");
const BODY = Buffer.from('{"request_id":"job-7"}');
const after = (ms: number): Date => new Date(AT.getTime() + ms);
const newKey = (): { readonly privateKey: KeyObject; readonly x: string } => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  return { privateKey, x: String(publicKey.export({ format: "jwk" }).x) };
};
const jwk = (x: string, more: object = {}): object => ({ kty: "OKP", crv: "Ed25519", x, kid: "k", ...more });
const jwks = (...keys: readonly unknown[]): Buffer => Buffer.from(JSON.stringify({ keys }));
const KEY = newKey();

describe("of a JWKS", () => {
  test.each([
    { what: "an Ed25519 key", key: jwk(KEY.x), counts: true },
    { what: "one that says that it is for signatures", key: jwk(KEY.x, { use: "sig", alg: "EdDSA" }), counts: true },
    { what: "one that may verify", key: jwk(KEY.x, { key_ops: ["verify"] }), counts: true },
    { what: "one for encryption", key: jwk(KEY.x, { use: "enc" }), counts: false },
    { what: "one for another algorithm", key: jwk(KEY.x, { alg: "HS256" }), counts: false },
    { what: "one without an algorithm", key: jwk(KEY.x, { alg: "none" }), counts: false },
    { what: "one that may only sign", key: jwk(KEY.x, { key_ops: ["sign"] }), counts: false },
    { what: "a secret", key: { kty: "oct", crv: "Ed25519", k: KEY.x, x: KEY.x }, counts: false },
    { what: "a key of another curve", key: jwk(KEY.x, { crv: "X25519" }), counts: false },
    { what: "an RSA key", key: { kty: "RSA", n: KEY.x, e: "AQAB" }, counts: false },
    { what: "a key that is too short", key: jwk("AAAA"), counts: false },
    { what: "nothing", key: null, counts: false },
  ])("$what counts: $counts", ({ counts, key }) => {
    expect(ed25519KeysOf(jwks(key))).toEqual(counts ? [KEY.x] : []);
  });

  test("a few are taken, once each", () => {
    const many = Array.from({ length: 100 }, () => jwk(newKey().x));
    expect(ed25519KeysOf(jwks(jwk(KEY.x), jwk(KEY.x), ...many))).toHaveLength(31);
  });

  test.each([
    { what: "no JSON", bytes: Buffer.from("<html>") },
    { what: "no keys", bytes: Buffer.from("{}") },
    { what: "keys that are no list", bytes: Buffer.from('{"keys":{}}') },
    { what: "more than 64 KiB", bytes: jwks("x".repeat(70_000)) },
  ])("that is $what there is nothing to learn", ({ bytes }) => {
    expect(ed25519KeysOf(bytes)).toBeUndefined();
  });
});

describe("a set of keys", () => {
  let nowMs = 0;
  let fetched = 0;
  let published: readonly string[] | undefined;
  let keys: KeySet;
  beforeEach(() => {
    [nowMs, fetched, published] = [0, 0, ["a"]];
    keys = makeKeySet({
      monotonicMs: () => nowMs,
      fetch: () => {
        fetched += 1;
        return Promise.resolve(published);
      },
    });
  });
  const passed = async (ms: number): Promise<void> => {
    nowMs += ms;
    await new Promise(setImmediate);
  };

  test("is fetched when a message first needs it, and settles what had come until then", async () => {
    expect([keys.current(AT), fetched]).toEqual([undefined, 0]);
    expect(keys.settles(AT, AT)).toBe(false);
    await passed(0);
    expect([keys.current(AT), keys.settles(AT, after(1))]).toEqual([["a"], true]);
    expect(keys.settles(after(1), after(2))).toBe(false);
  });

  test("is fetched once a minute at most, however many messages nothing verifies", async () => {
    for (let nth = 0; nth < 6000; nth += 1) {
      keys.settles(after(nth * 100), after(nth * 100));
      nowMs += 100;
      if (nth % 10 === 0) await new Promise(setImmediate);
    }
    expect(fetched).toBe(10);
  });

  test("is not asked for more often where it can't be fetched", async () => {
    published = undefined;
    for (let seconds = 0; seconds < 300; seconds += 1) {
      expect(keys.settles(AT, AT)).toBe(false);
      await passed(1000);
    }
    expect(fetched).toBe(5);
  });

  test("is fetched anew each hour, so that a key that was withdrawn is gone, and is of no use after a day", async () => {
    keys.settles(AT, AT);
    await passed(0);
    await passed(3_600_001);
    published = ["b"];
    expect(keys.current(AT)).toEqual(["a"]);
    await passed(0);
    expect([keys.current(AT), fetched]).toEqual([["b"], 2]);
    published = undefined;
    await passed(86_400_000);
    expect(keys.current(AT)).toBeUndefined();
  });

  test("is not fetched any more once it is closed", async () => {
    keys.close();
    keys.settles(AT, AT);
    await passed(0);
    expect(fetched).toBe(0);
  });
});

describe("a provider that publishes its keys", () => {
  let server: Server;
  let registry: ProviderRegistry;
  let published: Buffer;
  const requests: (string | undefined)[] = [];
  beforeEach(async () => {
    requests.length = 0;
    published = jwks({ kty: "oct", k: "c2VjcmV0" }, jwk(KEY.x));
    server = createServer((request, response) => {
      requests.push(request.headers.authorization);
      response.end(published);
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    registry = makeProviders({
      namespaceLabels: () => ({}),
      concurrency: () => ({ submit: undefined, query: undefined }),
    });
    const { port } = server.address() as AddressInfo;
    const signature = { scheme: "Fal", jwksURL: `http://127.0.0.1:${port}/.well-known/jwks.json` };
    registry.put(
      "acme",
      { ...SPEC, http: { ...HTTP, webhook: { jobID: "webhook.body.request_id", signature } } },
      "hush",
    );
    expect(registry.problems("acme")).toEqual([]);
  });
  afterEach(async () => {
    await registry.close();
    server.close();
  });

  const message = (privateKey: KeyObject, readAt = AT): Received => ({
    ...{ headers: falHeaders(privateKey, BODY, String(AT.getTime() / 1000)), body: BODY, receivedAt: AT, readAt },
  });
  /** What is said of it in the end, looked at after everything that happens. */
  const heard = async (received: Received): Promise<string> => {
    for (;;) {
      const reading = registry.hear("acme", received);
      if (reading) return reading.verdict;
      await new Promise(setImmediate);
    }
  };

  test("is heard once they were fetched, without our credential; who signs with another key is not", async () => {
    expect(registry.hear("acme", message(KEY.privateKey))).toBeUndefined();
    expect(await heard(message(KEY.privateKey))).toBe("heard");
    expect(await heard(message(newKey().privateKey))).toBe("forged");
    expect(requests).toEqual([undefined]);
  });

  test("is not heard by a message that takes its public key for a secret, or names no key at all", async () => {
    const hmac = createHmac("sha256", Buffer.from(KEY.x, "base64url")).update(BODY).digest("hex");
    const forged = message(KEY.privateKey);
    for (const signature of [hmac, "", "00".repeat(64)]) {
      const headers = { ...forged.headers, "x-fal-webhook-signature": signature };
      expect(await heard({ ...forged, headers })).toBe("forged");
    }
  });

  test("keeps messages that new keys may verify waiting, and fetches once for all of them", async () => {
    expect(await heard(message(KEY.privateKey))).toBe("heard");
    const other = newKey();
    published = jwks(jwk(other.x));
    for (let nth = 0; nth < 500; nth += 1) {
      const late = { ...message(other.privateKey), receivedAt: after(1), readAt: after(2) };
      expect(registry.hear("acme", late)).toBeUndefined();
    }
    expect(requests).toHaveLength(1);
    const waited = { ...message(other.privateKey), receivedAt: after(1), readAt: after(121_000) };
    expect(registry.hear("acme", waited)).toMatchObject({ verdict: "forged" });
  });

  test("that can't be asked verifies nothing, and what waits for it does not wait for ever", async () => {
    published = Buffer.from("<html>");
    expect(registry.hear("acme", message(KEY.privateKey))).toBeUndefined();
    await new Promise(setImmediate);
    expect(registry.hear("acme", message(KEY.privateKey, after(119_000)))).toBeUndefined();
    expect(registry.hear("acme", message(KEY.privateKey, after(121_000)))).toMatchObject({ verdict: "unverifiable" });
  });
});
