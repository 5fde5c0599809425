// How a provider's webhooks are read: who signed them, and which job they name. They only ever make the operator ask the provider.
import { z } from "zod";
import { SecretKeyRef, expression } from "./fields.ts";
import { distinct, matching, obeying } from "./rule.ts";

const NEEDS_SECRET = ["StandardWebhooks", "WaveSpeed", "ElevenLabs", "BodyHMAC", "Bearer"] as const;

const PublicKey = matching(
  z.string().max(64),
  /^[A-Za-z0-9_-]{43}$/,
  "cannot use this public key: write the field x of the provider's JWKS, 43 characters of base64url",
);

const JwksUrl = matching(
  z.string().max(1024),
  /^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/,
  "cannot use this jwksURL: write https://, a host and a path, without query, fragment, user and password",
);

export const WebhookSignature = obeying(
  z.strictObject({
    scheme: z
      .enum([...NEEDS_SECRET, "Fal"])
      .describe(
        "StandardWebhooks (also Replicate), WaveSpeed, ElevenLabs; BodyHMAC: hexadecimal HMAC-SHA256 of the body in `header`; Bearer: the secret itself in Authorization; Fal: Ed25519.",
      ),
    secretRef: SecretKeyRef.optional().describe("A Secret in the operator's namespace. Required by all but Fal."),
    header: matching(
      z.string().max(64),
      /^[A-Za-z][A-Za-z0-9-]{0,63}$/,
      "cannot use this header: its name must be a letter and then letters, digits and '-', at most 64",
    )
      .optional()
      .describe("The header of the signature. Required by BodyHMAC, and only by it."),
    prefix: z
      .string()
      .max(32)
      .optional()
      .describe('What stands before the signature, such as "sha256=". For BodyHMAC.'),
    publicKeys: distinct(z.array(PublicKey).min(1).max(8))
      .optional()
      .describe("Keys of the JWKS. Fal: these, or jwksURL."),
    jwksURL: JwksUrl.optional().describe(
      "Where the provider publishes its keys: fetched when a message needs one that is not known, once a minute at most, and each hour. Fal: this, or publicKeys.",
    ),
    toleranceSeconds: z
      .int()
      .min(1)
      .max(86_400)
      .optional()
      .describe("How old a signed time may be. Absent: 300, or 1800 for ElevenLabs."),
  }),
  [
    {
      cel: "self.scheme == 'Fal' ? has(self.publicKeys) || has(self.jwksURL) : has(self.secretRef)",
      holds: ({ jwksURL, publicKeys, scheme, secretRef }) =>
        (scheme === "Fal" ? (publicKeys ?? jwksURL) : secretRef) !== undefined,
      message: "cannot verify webhooks: the key is missing; add secretRef, or jwksURL or publicKeys for scheme Fal",
    },
    {
      cel: "!has(self.jwksURL) || (self.scheme == 'Fal' && !has(self.publicKeys))",
      holds: ({ jwksURL, publicKeys, scheme }) =>
        jwksURL === undefined || (scheme === "Fal" && publicKeys === undefined),
      message:
        "cannot take keys from jwksURL: only scheme Fal has public keys, and they come from there or from publicKeys; drop one",
      field: "jwksURL",
    },
    {
      cel: "(self.scheme == 'BodyHMAC') == has(self.header)",
      holds: ({ header, scheme }) => (scheme === "BodyHMAC") === (header !== undefined),
      message: "cannot find the signature: scheme BodyHMAC needs header, and the others know theirs",
      field: "header",
    },
  ],
);
export type WebhookSignature = z.infer<typeof WebhookSignature>;

export const Webhook = z.strictObject({
  jobID: expression()
    .optional()
    .describe("CEL over webhook (headers, body): the id of the job that it is about. Required by webhookAdoption."),
  signature: WebhookSignature.optional().describe("How it is signed. Absent: the secret address alone vouches for it."),
});
