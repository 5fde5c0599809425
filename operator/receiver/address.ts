// The address of one attempt's webhooks: nobody can guess it, and whether it is ours is told by arithmetic, without asking anybody.
import { createHmac, timingSafeEqual } from "node:crypto";

const PATH = "/v1/webhooks/";
const MAC_CHARACTERS = 32;
const TOKEN = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.([A-Za-z0-9_-]{32})$/;

/** Where the provider sends what it has to say of this attempt. `base` is the receiver's public URL. */
export function webhookAddress(base: string, key: string, attemptId: string): string {
  return `${base.replace(/\/+$/, "")}${PATH}${attemptId}.${macOf(key, attemptId)}`;
}

/** The attempt that a request's path is for; undefined when it was not made with this key. */
export function attemptAt(path: string, key: string): string | undefined {
  const token = path.startsWith(PATH) ? TOKEN.exec(path.slice(PATH.length)) : null;
  const [, attemptId, mac] = token ?? [];
  if (attemptId === undefined || mac === undefined) return undefined;
  return timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(key, attemptId))) ? attemptId : undefined;
}

function macOf(key: string, attemptId: string): string {
  return createHmac("sha256", key).update(`genop-webhook/${attemptId}`).digest("base64url").slice(0, MAC_CHARACTERS);
}
