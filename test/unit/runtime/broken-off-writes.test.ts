// A call with a body is never broken off on the wire: see `exchange` in operator/runtime/sender.ts.
import { expect, test } from "@jest/globals";
import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { systemClock } from "../../../operator/runtime/clock.ts";
import { makeSender, type KubeRequest } from "../../../operator/runtime/sender.ts";

const GET: KubeRequest = { method: "GET", path: "/api" };
const PATCH: KubeRequest = { method: "PATCH", path: "/api", body: { a: 1 } };

/** A wire that keeps what it is given, and answers when told. */
function makeWire(): {
  readonly signals: unknown[];
  readonly dumped: () => boolean;
  readonly answer: () => Readable;
  readonly send: ReturnType<typeof makeSender>;
} {
  const signals: unknown[] = [];
  const answering = Promise.withResolvers<Dispatcher.ResponseData>();
  let isDumped = false;
  const dispatcher = {
    request: (options: { readonly signal?: unknown }) => {
      signals.push(options.signal);
      return answering.promise;
    },
  } as unknown as Dispatcher;
  const route = { dispatcher, origin: "https://kube", prefix: "", headers: {} };
  const connection = {
    route: () => Promise.resolve(route),
    distrust: () => true,
    heard: () => 0,
    suspect: () => undefined,
    close: () => Promise.resolve(),
  };
  const answer = (): Readable => {
    const body = Object.assign(new Readable({ read: () => undefined }), {
      dump: () => {
        isDumped = true;
        return Promise.resolve();
      },
    });
    body.on("error", () => undefined);
    answering.resolve({ statusCode: 200, headers: {}, body } as unknown as Dispatcher.ResponseData);
    return body;
  };
  const send = makeSender({ connection, clock: systemClock, metrics: undefined, userAgent: "test" });
  return { signals, dumped: () => isDumped, answer, send };
}

test("a call without a body is broken off on the wire", async () => {
  const wire = makeWire();
  const { signal } = new AbortController();
  const sending = wire.send(GET, signal);
  wire.answer();
  await sending;
  expect(wire.signals).toEqual([signal]);
});

test("of a call with a body only the wait is broken off, and its late answer is taken in", async () => {
  const wire = makeWire();
  const giveUp = new AbortController();
  const sending = wire.send(PATCH, giveUp.signal);
  await new Promise((resolve) => setImmediate(resolve));
  giveUp.abort(new Error("the lease was lost"));
  await expect(sending).rejects.toThrow("the lease was lost");
  expect(wire.signals).toEqual([undefined]);
  wire.answer();
  await new Promise((resolve) => setImmediate(resolve));
  expect(wire.dumped()).toBe(true);
});

test("once its answer has begun, a call with a body can be broken off", async () => {
  const wire = makeWire();
  const giveUp = new AbortController();
  const sending = wire.send(PATCH, giveUp.signal);
  const body = wire.answer();
  await sending;
  giveUp.abort(new Error("late"));
  expect(body.destroyed).toBe(true);
});
