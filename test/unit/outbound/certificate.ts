// Makes a self-signed certificate for a name, valid around now: just enough DER for a TLS server of a test.
import { generateKeyPairSync, sign } from "node:crypto";

export interface Certificate {
  /** PEM. */
  readonly certificate: string;
  readonly key: string;
}

const ECDSA_SHA256 = "06082a8648ce3d040302";
const COMMON_NAME = "0603550403";
const ALT_NAME = "0603551d11";
const DAY_MS = 86_400_000;

/** `daysValid` may be negative: it has ended. */
export function makeCertificate(dnsName: string, daysValid = 30): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = der(0x30, Buffer.from(ECDSA_SHA256, "hex"));
  const name = der(0x30, der(0x31, der(0x30, Buffer.from(COMMON_NAME, "hex"), der(0x0c, Buffer.from(dnsName)))));
  const endsMs = Date.now() + daysValid * DAY_MS;
  const signed = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, Buffer.from([1])),
    algorithm,
    name,
    der(0x30, utcTime(endsMs - 60 * DAY_MS), utcTime(endsMs)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, der(0x30, altName(dnsName))),
  );
  const signature = sign("sha256", signed, privateKey);
  const certificate = der(0x30, signed, algorithm, der(0x03, Buffer.from([0]), signature));
  return { certificate: pem(certificate), key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}

function altName(dnsName: string): Buffer {
  const names = der(0x30, der(0x82, Buffer.from(dnsName)));
  return der(0x30, Buffer.from(ALT_NAME, "hex"), der(0x04, names));
}

function utcTime(atMs: number): Buffer {
  const [date = ""] = new Date(atMs).toISOString().split(".");
  return der(0x17, Buffer.from(`${date.replace(/[-:T]/g, "").slice(2)}Z`));
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 128) return Buffer.concat([Buffer.from([tag, length]), content]);
  const bytes = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...bytes]), content]);
}

function pem(certificate: Buffer): string {
  const lines = certificate.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
