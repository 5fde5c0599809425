// A transport and a scripted server for one test; both are closed after it.
import { afterEach } from "@jest/globals";
import { makeTransport, type Transport, type TransportDeps } from "../../../operator/runtime/transport.ts";
import { startScriptedServer, type Answer, type Asked, type ScriptedServer } from "./scripted-server.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Runs after the test, in reverse order. */
export function later(close: () => Promise<void>): void {
  closing.push(close);
}

export async function start(
  script: (asked: Asked, count: number) => Answer,
  deps: Partial<TransportDeps> = {},
): Promise<{ server: ScriptedServer; transport: Transport }> {
  const server = await startScriptedServer(script);
  const transport = makeTransport({ kubeConfig: server.kubeConfig(), random: () => 0.5, ...deps });
  later(() => server.close());
  later(() => transport.close());
  return { server, transport };
}

/** A signal that nobody aborts. */
export const never = new AbortController().signal;

/** What the promise was rejected with; undefined when it was not. */
export const faultOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );
