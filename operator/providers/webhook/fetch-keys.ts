// Fetches a provider's JWKS: without any credential, behind the same guard as its calls.
import type { Dispatcher } from "undici";
import type { AccountDeps } from "../account-deps.ts";
import { ask } from "../ask.ts";
import { isSuccess } from "../reply.ts";
import { ed25519KeysOf } from "./jwks.ts";
import { makeKeySet, type KeySet } from "./key-set.ts";

const HEADERS = { accept: "application/json", "accept-encoding": "identity", "user-agent": "generation-operator" };

/** Undefined where no JWKS is named. */
export function keySetOf({ monotonicMs, spec }: AccountDeps, dispatcher: Dispatcher): KeySet | undefined {
  const url = URL.parse(spec.http?.webhook?.signature?.jwksURL ?? "");
  if (!url) return undefined;
  const request = { method: "GET", url, headers: HEADERS, body: undefined } as const;
  return makeKeySet({
    monotonicMs,
    fetch: async (signal) => {
      const ending = await ask(dispatcher, request, spec.timeouts.querySeconds * 1000, signal);
      const isWhole = ending.ending === "answered" && isSuccess(ending) && ending.bytes !== undefined;
      return isWhole ? ed25519KeysOf(ending.bytes) : undefined;
    },
  });
}
