// A submit that provably never left, with a real socket to prove it.
import { describe, expect, test } from "@jest/globals";
import { makeSlots } from "../../../operator/outbound/slots.ts";
import { startRawServer } from "../outbound/raw-server.ts";
import { accountAt } from "./account.ts";
import { HTTP, submitRequestOf } from "./spec.ts";
import { refused } from "./submit-cases.ts";
import { never, server, submit } from "./wire-test.ts";

describe("nothing was sent", () => {
  test("when the port is closed", async () => {
    const { url, close } = await startRawServer({});
    await close();
    expect(await submit(url)).toEqual({ outcome: "not-sent", code: "connect-refused" });
  });

  test("when the guard refuses the address", async () => {
    const { url, received } = await server({});
    const network = { allowPrivateAddresses: false, allowPlainHTTP: true };
    expect(await submit(url, { spec: { network } })).toEqual({ outcome: "not-sent", code: "guard-address" });
    expect(received).toHaveLength(0);
  });

  test("when the other side speaks no TLS", async () => {
    const { url, received } = await server({ onAccept: (socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n") });
    expect(await submit(url.replace("http:", "https:"))).toEqual({ outcome: "not-sent", code: "tls-failed" });
    expect(received.join("")).not.toContain("POST");
  });

  test("when the TLS handshake outlasts the call", async () => {
    const { url, received } = await server({});
    const outcome = await submit(url.replace("http:", "https:"), { submitMs: 100 });
    expect(outcome).toEqual({ outcome: "not-sent", code: "connect-timeout" });
    expect(received.join("")).not.toContain("POST");
  });

  test("when it was called off before there was a connection", async () => {
    const { url, received } = await server({});
    expect(await submit(url, {}, AbortSignal.abort())).toEqual({ outcome: "not-sent", code: "aborted" });
    expect(received).toHaveLength(0);
  });

  test("when the process was frozen past the deadline while it connected", async () => {
    // The clock says that much more time has passed than any timer has noticed.
    const times = [0, 0, 0];
    const { url, received } = await server({});
    const monotonicMs = (): number => times.shift() ?? 31_000;
    expect(await submit(url, { monotonicMs })).toEqual({ outcome: "not-sent", code: "aborted" });
    expect(received.join("")).toBe("");
  });

  test("when the process was frozen between the mark and the call", async () => {
    const { url, received } = await server({});
    const request = submitRequestOf({ latestMs: performance.now() - 1 });
    const outcome = await accountAt(url).account.client.submit(request, never);
    expect(outcome).toMatchObject({ outcome: "not-sent" });
    expect(received.join("")).toBe("");
  });

  test("when no slot became free within the call's time", async () => {
    const { url, received } = await server({});
    const submitSlots = makeSlots(() => 1);
    await submitSlots.take(never);
    expect(await submit(url, { submitMs: 50, submitSlots })).toEqual({ outcome: "not-sent", code: "busy" });
    expect(received).toHaveLength(0);
  });

  test("when the request cannot be made of this input, which no repetition changes", async () => {
    const { url, received } = await server({});
    const http = { ...HTTP, submit: { ...HTTP.submit, body: '{"size": task.input.size, "ref": attempt.id}' } };
    expect(await submit(url, { spec: { http } })).toEqual(refused("unbuildable-request"));
    expect(received).toHaveLength(0);
  });
});
