// What each output fault makes of a fetch: an answer without media, or a sending that is not what it should be. Expiry is in ../outputs/links.ts.
import { refusal, type Reply } from "../api/reply.ts";
import type { Sending } from "../outputs/sending.ts";
import type { OutputFault } from "../schema/faultNames.ts";
import { half, labelled, lengthened, replaced, slowed, truth, type Fetch } from "./outputSending.ts";
import { bombBytes, corruptPart, impostorBytes, signInPage, withoutMagic } from "./outputBytes.ts";

export type Effect = { readonly reply: Reply } | { readonly sending: Sending };

const sending = (make: (fetch: Fetch) => Sending): ((fetch: Fetch) => Effect) => {
  return (fetch) => ({ sending: make(fetch) });
};
const reply = (answer: Reply): (() => Effect) => {
  return () => ({ reply: answer });
};
const redirect = (locationOf: (fetch: Fetch) => string): ((fetch: Fetch) => Effect) => {
  return (fetch) => ({ reply: { status: 302, headers: { location: locationOf(fetch) }, body: "" } });
};

const METADATA_URL = "http://169.254.169.254/latest/meta-data/iam/security-credentials/";
const ENDLESS_BYTES = 20_000_000_000;
const OVERSIZE_FACTOR = 2;
const OVERSIZE_LEAST_BYTES = 1_048_576;

export const OUTPUT_FAULTS: Readonly<Record<OutputFault, (fetch: Fetch) => Effect>> = {
  none: sending(truth),
  "expired-url": sending(truth),
  "always-expired": sending(truth),
  "expires-soon": sending(truth),

  "not-found": reply(refusal(404, "not_found", "output not found")),
  "server-error": reply(refusal(500, "internal", "something went wrong")),
  "redirect-private": redirect(() => "http://10.0.0.1/output"),
  "redirect-metadata": redirect(() => METADATA_URL),
  "redirect-other-host": redirect(({ target, port }) => `http://localhost:${port}${target}&hop=other`),
  "redirect-other-port": redirect(({ target, mirrorPort }) => `http://127.0.0.1:${mirrorPort}${target}&hop=other`),
  "redirect-loop": redirect(({ target }) => target),

  "truncated-length": sending((fetch) => ({ ...half(fetch), ending: "cut" })),
  "truncated-close": sending((fetch) => ({ ...half(fetch), framing: { by: "close" }, ending: "cut" })),
  "reset-midway": sending((fetch) => ({ ...half(fetch), ending: "reset" })),
  "reset-once": sending((fetch) => ({ ...half(fetch), ending: "reset" })),
  stall: sending((fetch) => ({ ...half(fetch), ending: "silence" })),
  slow: sending(slowed),

  "mislabelled-html": sending((fetch) => replaced(fetch, signInPage())),
  "mislabelled-wav": sending((fetch) => replaced(fetch, impostorBytes(fetch.impostor))),
  "wrong-magic": sending((fetch) => replaced(fetch, withoutMagic(fetch.content))),
  "corrupt-container": sending((fetch) => replaced(fetch, corruptPart(fetch.content))),
  "gzip-bomb": sending((fetch) => labelled(replaced(fetch, bombBytes()), { "content-encoding": "gzip" })),
  "wrong-type": sending((fetch) => labelled(truth(fetch), { "content-type": "text/plain" })),
  "octet-stream": sending((fetch) => labelled(truth(fetch), { "content-type": "application/octet-stream" })),
  oversized: sending((fetch) =>
    lengthened(fetch, Math.max(OVERSIZE_LEAST_BYTES, fetch.content.bytes * OVERSIZE_FACTOR)),
  ),
  endless: sending((fetch) => lengthened(fetch, ENDLESS_BYTES)),
};
