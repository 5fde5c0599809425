// The routes of bytes: where to read an asset, where to put an input. The bytes themselves go past the shim.
import { z } from "zod";
import { Problem } from "../problems.ts";
import type { Storage } from "../storage/storage.ts";
import type { Tasks } from "../tasks/tasks.ts";
import { viewOf } from "../tasks/view.ts";
import { route, type Route } from "./route.ts";
import { AssetParams, NO_STORE } from "./schemas.ts";

export interface AssetRoutesDeps {
  readonly tasks: Tasks;
  readonly storage: Storage;
  readonly uploadMaxBytes: number;
}

export function assetRoutes(deps: AssetRoutesDeps): readonly Route[] {
  return [download(deps), link(deps), upload(deps)];
}

function download(deps: AssetRoutesDeps): Route {
  return route({
    method: "GET",
    path: "/v1/tasks/{id}/assets/{name}",
    id: "getAsset",
    summary: "Where to read an asset of a task that succeeded: a redirect to a signed URL, good for some minutes.",
    access: { verb: "get", resource: "generationtasks" },
    params: AssetParams,
    replies: [
      { status: 302, description: "Read it there, without the token.", headers: { Location: "The signed URL." } },
    ],
    problems: ["not-found", "storage-unavailable"],
    handle: async ({ caller: { namespace }, params, signal }) => {
      const { url } = await signed(deps, { namespace, ...params }, signal);
      return { status: 302, headers: { location: url, ...NO_STORE } };
    },
  });
}

const AssetLink = z
  .strictObject({
    url: z.string().describe("Read it there, without the token. A secret while it is good."),
    expiresAt: z.iso.datetime().describe("When url ends."),
  })
  .meta({ id: "AssetLink" });
export type AssetLink = z.infer<typeof AssetLink>;

function link(deps: AssetRoutesDeps): Route {
  return route({
    method: "GET",
    path: "/v1/tasks/{id}/assets/{name}/link",
    id: "getAssetLink",
    summary: "The same as a value: for players that can't send a token, such as a page's.",
    access: { verb: "get", resource: "generationtasks" },
    params: AssetParams,
    replies: [{ status: 200, description: "The signed URL.", schema: AssetLink }],
    problems: ["not-found", "storage-unavailable"],
    handle: async ({ caller: { namespace }, params, signal }) => ({
      status: 200,
      body: await signed(deps, { namespace, ...params }, signal),
      headers: NO_STORE,
    }),
  });
}

/** Throws Problem. */
async function signed(
  { storage, tasks }: AssetRoutesDeps,
  { id, name, namespace }: { readonly namespace: string; readonly id: string; readonly name: string },
  signal: AbortSignal,
): Promise<AssetLink> {
  const { assets = [] } = viewOf(await tasks.get(namespace, id, signal));
  const asset = assets.find((one) => one.name === name);
  const made = asset && (await storage.downloadUrl(namespace, asset));
  if (made !== undefined) return made;
  throw new Problem("not-found", { detail: "cannot find the asset: the task has none of this name (yet)" });
}

const UploadReply = z
  .strictObject({
    method: z.literal("PUT"),
    url: z.string().describe("Put the bytes there, without the token. Good once, and for some minutes."),
    headers: z.record(z.string(), z.string()).describe("Send just these with it: they are part of the signature."),
    expiresAt: z.iso.datetime().describe("When url ends."),
    uri: z.string().describe("Where the object is then. Not a signed URL."),
    readUrl: z.string().describe("For the input of a task: where a provider reads the bytes. A secret."),
    readUrlExpiresAt: z.iso.datetime().describe("When readUrl ends."),
  })
  .meta({ id: "Upload" });

function upload({ storage, uploadMaxBytes }: AssetRoutesDeps): Route {
  const UploadRequest = z
    .strictObject({
      mediaType: z
        .string()
        .max(127)
        .regex(/^(image|audio|video|text|application)\/[a-z0-9.+-]+$/)
        .describe("What the bytes are."),
      bytes: z.int().min(1).max(uploadMaxBytes).describe("How many there are."),
      sha256: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .optional()
        .describe("Their checksum, in hex: the store then refuses any other bytes."),
    })
    .meta({ id: "UploadRequest" });
  return route({
    method: "POST",
    path: "/v1/uploads",
    id: "createUpload",
    summary: "Get a signed URL to put an input to, which a task's input then names.",
    access: { verb: "create", resource: "generationtasks" },
    body: UploadRequest,
    replies: [{ status: 201, description: "Where to put the bytes.", schema: UploadReply }],
    problems: ["storage-unavailable"],
    handle: async ({ body: { bytes, mediaType, sha256 }, caller: { namespace } }) => {
      const made = await storage.upload({ namespace, mediaType, bytes, sha256 });
      return { status: 201, body: { method: "PUT", ...made }, headers: NO_STORE };
    },
  });
}
