// A registry, and an HTTP server that it talks to, put away after each test.
import { createServer, type IncomingHttpHeaders } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach } from "@jest/globals";
import { makeProviders, type ProviderRegistry, type ProvidersDeps } from "../../../operator/providers/registry.ts";
import { HTTP, SPEC } from "./spec.ts";

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

export const never = new AbortController().signal;
export const SECRET = "topsecret";

export function registry(changes: Partial<ProvidersDeps> = {}): ProviderRegistry {
  const made = makeProviders({
    namespaceLabels: () => ({ tenant: "yes" }),
    concurrency: () => ({ submit: undefined, query: undefined }),
    now: () => new Date("2026-11-30T12:00:00Z"),
    ...changes,
  });
  cleanUps.push(() => made.close());
  return made;
}

export interface Api {
  readonly url: string;
  readonly seen: { readonly method: string; readonly headers: IncomingHttpHeaders }[];
  /** Status of the next answers. */
  status: number;
  /** Set: requests wait for it. */
  hold: Promise<void> | undefined;
}

export async function api(): Promise<Api> {
  const seen: Api["seen"] = [];
  const server = createServer((request, response) => {
    seen.push({ method: request.method ?? "", headers: request.headers });
    request.resume();
    void Promise.resolve(state.hold).then(() => {
      response.writeHead(state.status, { "content-type": "application/json" });
      response.end(JSON.stringify({ id: "job-1", state: "running" }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanUps.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  const { port } = server.address() as AddressInfo;
  const state: Api = { url: `http://127.0.0.1:${port}/v1`, seen, status: 200, hold: undefined };
  return state;
}

export const BROKEN = { ...SPEC, http: { ...HTTP, query: { ...HTTP.query, state: "response.bdy" } } };
