// How providers sign their webhooks, as data: which headers, which message, which key. One function verifies them all.
import { createHash, createHmac, createPublicKey, timingSafeEqual, verify } from "node:crypto";
import type { WebhookSignature } from "../../task/webhook-resource.ts";

export interface Received {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** When it came: a message is judged by that moment, however late it is read. */
  readonly receivedAt: Date;
  /** Now, by the same clock. */
  readonly readAt: Date;
}

/** What the scheme does not need, or can't be read, is undefined. */
export interface VerificationKeys {
  readonly secret: string | undefined;
  /** The field x of Ed25519 keys. */
  readonly publicKeys: readonly string[] | undefined;
}

export type SignatureVerdict = "signed" | "forged" | "stale" | "unverifiable";

interface Scheme {
  /** The signatures that a message may carry, as they are compared, and its time in seconds. */
  readonly read: (headers: Received["headers"], settings: WebhookSignature) => Shown;
  readonly message: (received: Received, shown: Shown) => Buffer;
  readonly key: (secret: string) => Buffer;
  readonly encoding: "base64" | "hex";
}

interface Shown {
  readonly signatures: readonly string[];
  readonly timestamp: string | undefined;
  readonly id: string;
}

const text = (secret: string): Buffer => Buffer.from(secret);
const decoded = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ""), "base64");
const stripped = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ""));

const dotted = (...parts: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat(parts.flatMap((part, index) => [Buffer.from(index === 0 ? "" : "."), Buffer.from(part)]));

/** Standard Webhooks' headers; `version` is what stands before the comma of a signature. */
const standard = (version: string): Pick<Scheme, "read" | "message"> => ({
  read: (headers) => ({
    signatures: (headers["webhook-signature"] ?? "")
      .split(" ")
      .flatMap((one) => (one.startsWith(`${version},`) ? [one.slice(version.length + 1)] : [])),
    timestamp: headers["webhook-timestamp"] ?? "",
    id: headers["webhook-id"] ?? "",
  }),
  message: ({ body }, { id, timestamp = "" }) => dotted(id, timestamp, body),
});

const HMAC: Readonly<Record<"StandardWebhooks" | "WaveSpeed" | "ElevenLabs" | "BodyHMAC", Scheme>> = {
  StandardWebhooks: { ...standard("v1"), key: decoded, encoding: "base64" },
  // The same headers, and neither the encoding nor the key of the standard.
  WaveSpeed: { ...standard("v3"), key: stripped, encoding: "hex" },
  ElevenLabs: {
    read: (headers) => {
      const fields = (headers["elevenlabs-signature"] ?? "").split(",").map((field) => field.trim().split("="));
      const of = (name: string): readonly string[] =>
        fields.flatMap(([key, value = ""]) => (key === name ? [value] : []));
      return { signatures: of("v0"), timestamp: of("t")[0] ?? "", id: "" };
    },
    message: ({ body }, { timestamp = "" }) => dotted(timestamp, body),
    key: text,
    encoding: "hex",
  },
  BodyHMAC: {
    read: (headers, { header = "", prefix = "" }) => {
      const value = headers[header.toLowerCase()] ?? "";
      return { signatures: value.startsWith(prefix) ? [value.slice(prefix.length)] : [], timestamp: undefined, id: "" };
    },
    message: ({ body }) => body,
    key: text,
    encoding: "hex",
  },
};

const DEFAULT_TOLERANCE: Readonly<Partial<Record<WebhookSignature["scheme"], number>>> = { ElevenLabs: 1800 };
const TOLERANCE_SECONDS = 300;

export function verifySignature(
  settings: WebhookSignature,
  { publicKeys, secret }: VerificationKeys,
  received: Received,
): SignatureVerdict {
  switch (settings.scheme) {
    case "Fal":
      return publicKeys === undefined ? "unverifiable" : verifyFal(settings, publicKeys, received);
    case "Bearer":
      return secret === undefined ? "unverifiable" : verifyBearer(secret, received);
    default:
      return secret === undefined ? "unverifiable" : verifyHmac(HMAC[settings.scheme], settings, secret, received);
  }
}

function verifyHmac(scheme: Scheme, settings: WebhookSignature, secret: string, received: Received): SignatureVerdict {
  const shown = scheme.read(received.headers, settings);
  const digest = createHmac("sha256", scheme.key(secret)).update(scheme.message(received, shown)).digest();
  const isSigned = shown.signatures.some((one) => equal(Buffer.from(one, scheme.encoding), digest));
  if (!isSigned) return "forged";
  return isFresh(settings, shown.timestamp, received.receivedAt) ? "signed" : "stale";
}

/** The receiver keeps a credential only as its SHA-256. */
function verifyBearer(secret: string, { headers }: Received): SignatureVerdict {
  const wanted = createHash("sha256").update(`Bearer ${secret}`).digest("hex");
  return equal(Buffer.from(headers["authorization-sha256"] ?? ""), Buffer.from(wanted)) ? "signed" : "forged";
}

// DER of an Ed25519 public key up to its 32 bytes.
const ED25519 = Buffer.from("302a300506032b6570032100", "hex");

/** Ed25519 over four lines: request id, user id, timestamp, and the body's SHA-256. */
function verifyFal(
  settings: WebhookSignature,
  publicKeys: readonly string[],
  { body, headers, receivedAt }: Received,
): SignatureVerdict {
  const of = (name: string): string => headers[`x-fal-webhook-${name}`] ?? "";
  const digest = createHash("sha256").update(body).digest("hex");
  const message = Buffer.from([of("request-id"), of("user-id"), of("timestamp"), digest].join("\n"));
  const signature = Buffer.from(of("signature"), "hex");
  const isSigned = publicKeys.some((one) => {
    const raw = Buffer.from(one, "base64url");
    if (raw.length !== 32) return false;
    const key = createPublicKey({ key: Buffer.concat([ED25519, raw]), format: "der", type: "spki" });
    return verify(null, message, key, signature);
  });
  if (!isSigned) return "forged";
  return isFresh(settings, of("timestamp"), receivedAt) ? "signed" : "stale";
}

/** Undefined: this scheme signs no time. */
function isFresh({ scheme, toleranceSeconds }: WebhookSignature, timestamp: string | undefined, at: Date): boolean {
  if (timestamp === undefined) return true;
  const tolerance = toleranceSeconds ?? DEFAULT_TOLERANCE[scheme] ?? TOLERANCE_SECONDS;
  return /^[0-9]{1,12}$/.test(timestamp) && Math.abs(at.getTime() / 1000 - Number(timestamp)) <= tolerance;
}

function equal(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
