// The files of the web page, as they lie in ../page: read once, served to everybody, revalidated each time. They hold nothing
// that is anybody's; what the page shows it asks of the other routes with its reader's own token.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { extname, join } from "node:path";
import { z } from "zod";
import type { Storage } from "../storage/storage.ts";
import { route, type Route } from "./route.ts";

const FOLDER = join(import.meta.dirname, "..", "page");
const DOCUMENT = "index.html";

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

const HEADERS = {
  "cache-control": "no-cache",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
} as const;

const Conditional = z.looseObject({ "if-none-match": z.string().optional() });

/** `/` and `/page/<file>`. Throws when the folder can't be read, which is a fault of the installation. */
export function pageRoutes(storage: Pick<Storage, "origin">): readonly Route[] {
  const names = readdirSync(FOLDER).filter((name) => extname(name) in MEDIA_TYPES);
  const policy = makePolicy(storage);
  return names.map((name) =>
    name === DOCUMENT
      ? fileRoute("/", name, async () => ({ "content-security-policy": await policy() }))
      : fileRoute(`/page/${name}`, name, () => Promise.resolve({})),
  );
}

function fileRoute(path: string, name: string, more: () => Promise<Readonly<Record<string, string>>>): Route {
  const bytes = readFileSync(join(FOLDER, name));
  const mediaType = MEDIA_TYPES[extname(name)] ?? "application/octet-stream";
  const etag = `"${createHash("sha256").update(bytes).digest("base64url")}"`;
  return route({
    method: "GET",
    path,
    id: `page:${name}`,
    summary: "A file of the web page.",
    access: undefined,
    headers: Conditional,
    replies: [],
    problems: [],
    handle: async ({ headers }) => {
      const told = { ...HEADERS, ...(await more()), etag };
      const isKnown = headers["if-none-match"]?.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
      return isKnown ? { status: 304, headers: told } : { status: 200, headers: told, content: { mediaType, bytes } };
    },
  });
}

/** What the page may load and do, and nothing else; media come from the object store, whose origin the first signature tells. */
function makePolicy(storage: Pick<Storage, "origin">): () => Promise<string> {
  let known: string | undefined;
  return async () => {
    known ??= await storage.origin().catch(() => undefined); // no credentials yet: then no asset can be signed either
    const media = known ?? "'none'";
    return [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      `img-src 'self'${known === undefined ? "" : ` ${known}`}`,
      `media-src ${media}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ].join("; ");
  };
}
