import { createHash, createHmac, generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { compileProvider } from "../../../operator/providers/compile.ts";
import { makeReading } from "../../../operator/providers/reading.ts";
import { readWebhook, type WebhookReading } from "../../../operator/providers/webhook/read.ts";
import { signatureOf } from "../../provider/webhooks/sign.ts";
import { falHeaders } from "./fal.ts";
import { registry } from "./registry-test.ts";
import { HTTP, SPEC } from "./spec.ts";

const AT = new Date("2026-06-01T12:00:00Z");
const NOW_SECONDS = String(AT.getTime() / 1000);
const BODY = Buffer.from('{"type":"job.done","data":{"id":"job-7"}}');
const SECRET = `whsec_${Buffer.from("thirty-two bytes of a secret key").toString("base64")}`;
const secretRef = { name: "acme", key: "webhook" };
const reading = makeReading();

type Headers = Readonly<Record<string, string>>;

function read(
  signature: object | undefined,
  headers: Headers,
  body = BODY,
  secret: string | undefined = SECRET,
): WebhookReading {
  const webhook = { jobID: "webhook.body.data.id", ...(signature && { signature }) };
  const compiled = compileProvider({ ...SPEC, http: { ...HTTP, webhook } }, "acme");
  if (!compiled.ok || !compiled.adapter.webhook) throw new Error(JSON.stringify(compiled));
  const { webhook: reader } = compiled.adapter;
  const keys = { secret, publicKeys: reader.signature?.publicKeys };
  return readWebhook(reader, keys, { headers, body, receivedAt: AT, readAt: AT }, reading);
}

const hmac = (key: string | Buffer, ...parts: readonly (string | Buffer)[]): string =>
  createHmac("sha256", key)
    .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
    .digest("hex");

const pair = generateKeyPairSync("ed25519");
const publicKey = String(pair.publicKey.export({ format: "jwk" }).x);
const fal = (timestamp = NOW_SECONDS): Headers => falHeaders(pair.privateKey, BODY, timestamp);

function standard(timestamp = NOW_SECONDS): Headers {
  const body = BODY.toString();
  return {
    "webhook-id": "msg_1",
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,AAAA ${signatureOf(SECRET, { id: "msg_1", timestamp: Number(timestamp), body })}`,
  };
}

interface Row {
  readonly scheme: string;
  readonly settings: object;
  readonly headers: (timestamp?: string) => Headers;
  readonly signsTime: boolean;
  readonly toleranceSeconds: number;
}

const ROWS: readonly Row[] = [
  { scheme: "StandardWebhooks", settings: { secretRef }, headers: standard, signsTime: true, toleranceSeconds: 300 },
  {
    scheme: "WaveSpeed",
    settings: { secretRef },
    headers: (timestamp = NOW_SECONDS) => ({
      "webhook-id": "msg_1",
      "webhook-timestamp": timestamp,
      "webhook-signature": `v3,${hmac(SECRET.slice(6), `msg_1.${timestamp}.`, BODY)}`,
    }),
    signsTime: true,
    toleranceSeconds: 300,
  },
  {
    scheme: "ElevenLabs",
    settings: { secretRef },
    headers: (timestamp = NOW_SECONDS) => ({
      "elevenlabs-signature": `t=${timestamp},v0=${hmac(SECRET, `${timestamp}.`, BODY)}`,
    }),
    signsTime: true,
    toleranceSeconds: 1800,
  },
  {
    scheme: "BodyHMAC",
    settings: { secretRef, header: "X-BFL-Signature", prefix: "sha256=" },
    headers: () => ({ "x-bfl-signature": `sha256=${hmac(SECRET, BODY)}` }),
    signsTime: false,
    toleranceSeconds: 0,
  },
  {
    scheme: "Bearer",
    settings: { secretRef },
    headers: () => ({ "authorization-sha256": createHash("sha256").update(`Bearer ${SECRET}`).digest("hex") }),
    signsTime: false,
    toleranceSeconds: 0,
  },
  { scheme: "Fal", settings: { publicKeys: [publicKey] }, headers: fal, signsTime: true, toleranceSeconds: 300 },
];

describe.each(ROWS)("a webhook of scheme $scheme", ({ headers, scheme, settings, signsTime, toleranceSeconds }) => {
  const signature = { scheme, ...settings };

  test("is heard when it is signed, and names its job", () => {
    expect(read(signature, headers())).toEqual({ verdict: "heard", jobId: "job-7" });
  });

  test("without its headers is forged", () => {
    expect(read(signature, {})).toEqual({ verdict: "forged", jobId: undefined });
  });

  test("with another body is forged, where the body is signed", () => {
    const other = Buffer.from('{"data":{"id":"job-666"}}');
    expect(read(signature, headers(), other).verdict).toBe(scheme === "Bearer" ? "heard" : "forged");
  });

  test("signed with another key is forged, and can't be told without one", () => {
    if (scheme === "Fal") {
      const stranger = String(generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" }).x);
      expect(read({ ...signature, publicKeys: [stranger] }, headers()).verdict).toBe("forged");
      return;
    }
    expect(read(signature, headers(), BODY, "whsec_c29tZXRoaW5nIGVsc2U=").verdict).toBe("forged");
    const compiled = compileProvider({ ...SPEC, http: { ...HTTP, webhook: { signature } } }, "acme");
    if (!compiled.ok || !compiled.adapter.webhook) throw new Error("cannot compile");
    const received = { headers: headers(), body: BODY, receivedAt: AT, readAt: AT };
    const none = { secret: undefined, publicKeys: undefined };
    expect(readWebhook(compiled.adapter.webhook, none, received, reading).verdict).toBe("unverifiable");
  });

  test("of an old or a coming time is stale, where a time is signed", () => {
    if (!signsTime) return;
    const at = (seconds: number): string => read(signature, headers(String(Number(NOW_SECONDS) + seconds))).verdict;
    expect([at(-toleranceSeconds), at(toleranceSeconds)]).toEqual(["heard", "heard"]);
    expect([at(-toleranceSeconds - 1), at(toleranceSeconds + 1)]).toEqual(["stale", "stale"]);
  });
});

test("a webhook that comes before its secret was read waits for that, and not for ever", () => {
  const webhook = { jobID: "webhook.body.data.id", signature: { scheme: "StandardWebhooks", secretRef } };
  const spec = { ...SPEC, http: { ...HTTP, webhook } };
  const providers = registry();
  const hearAfter = (ms: number): WebhookReading | undefined =>
    providers.hear("acme", { headers: standard(), body: BODY, receivedAt: AT, readAt: new Date(AT.getTime() + ms) });
  providers.put("acme", spec, undefined);
  expect([hearAfter(0), hearAfter(120_000), hearAfter(120_001)?.verdict]).toEqual([
    undefined,
    undefined,
    "unverifiable",
  ]);
  providers.put("acme", spec, "hush", SECRET);
  expect(hearAfter(15_000)).toEqual({ verdict: "heard", jobId: "job-7" });
});

describe("an unsigned webhook", () => {
  test.each([
    { when: "names a job", body: '{"data":{"id":"job-7"}}', jobId: "job-7" },
    { when: "names none", body: '{"data":{}}', jobId: undefined },
    { when: "is no JSON", body: "<html>", jobId: undefined },
    { when: "names what is no id", body: '{"data":{"id":{"$ne":1}}}', jobId: undefined },
  ])("is a hint when it $when", ({ body, jobId }) => {
    expect(read(undefined, {}, Buffer.from(body))).toEqual({ verdict: "heard", jobId });
  });
});
