// What the page is shown where there is no operator: a published picture, and texts of strangers in every place that has some.
import { createHash } from "node:crypto";
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import type { WireTask } from "../../../operator/kube/task-object.ts";
import { ENDLESS, HOSTILE, hostileEvent, hostileGrant } from "../../browser/hostile.ts";
import { applyObjects } from "../../operator/installation.ts";
import { providerObjects, taskObject } from "../../operator/tenancy.ts";
import { pngOf } from "../../provider/media/png.ts";
import { limit, type World } from "./fixture.ts";

/** One that serves the tenant alone; its name. */
export async function makeProvider({ environment, home, tenant }: World): Promise<string> {
  const name = `chromium-${home}`;
  const spec = { allowedNamespaces: { from: "Names", names: [tenant] } };
  await applyObjects(environment, await providerObjects(environment, [{ name, spec }], home));
  return name;
}

/** Made as by kubectl: its name is its own, and what it is listed by. */
export function wishOf({ tenant }: World, provider: string, name: string, spec: object = {}): WireTask {
  const more = { idempotencyKey: name, ...spec };
  return taskObject({ namespace: tenant, name, model: "sim-image", provider, spec: more }) as WireTask;
}

/** A picture in the object store, as the operator would publish it; its entry in the status. */
export async function publishPicture({ environment, tenant }: World, id: string): Promise<object> {
  const { accessKeyId, bucket, endpoint, region, secretAccessKey } = environment.s3;
  const s3 = new S3Client({ endpoint, region, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } });
  const content = pngOf(id);
  const bytes = Buffer.concat([...content.read(0, content.bytes)]);
  const key = `assets/${tenant}/${id}/attempt/image-1.png`;
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: bytes }));
  s3.destroy();
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { name: "image-1.png", uri: `s3://${bucket}/${key}`, mediaType: "image/png", bytes: bytes.length, sha256 };
}

/** A task `hostile`, a grant, an event and a provider's condition. */
export async function makeHostile(world: World, provider: string): Promise<void> {
  const { admin, environment, tenant } = world;
  const wish = wishOf(world, provider, "hostile", { model: HOSTILE, idempotencyKey: ENDLESS });
  const { metadata } = await world.tasks.create(wish, { signal: limit() });
  await world.setStatus("hostile", { phase: "Rejected", reason: "ModelNotFound", message: `said ${HOSTILE}` });
  await applyObjects(environment, [hostileGrant(tenant), hostileEvent(tenant, metadata.uid)]);
  const condition = { type: "Ready", status: "True", reason: "ProviderReady", message: HOSTILE };
  const status = { conditions: [{ ...condition, lastTransitionTime: "2026-12-01T12:00:00Z" }] };
  const path = `/apis/genop.dev/v1alpha1/generationproviders/${provider}/status`;
  const patch = { method: "PATCH", path, body: { status }, contentType: "application/merge-patch+json" } as const;
  await admin.request(patch, { signal: limit() });
}

/** What does not change with the colours is judged once. */
export const LOOKS = [
  { scheme: "dark", width: 360, rules: "" },
  { scheme: "light", width: 1200, rules: `{ runOnly: ["color-contrast"] }` },
] as const;

export const AXE_FAULTS = `({ violations }) => violations.map(({ id, nodes }) => id + " " + nodes[0].html)`;
