import { afterEach, describe, expect, test } from "@jest/globals";
import { connect } from "node:net";
import { startObserveServer, type ObserveServer, type ObservedParts } from "../../../operator/observe/http.ts";

let server: ObserveServer | undefined;
afterEach(async () => {
  await server?.close(0);
  server = undefined;
});

const parts: ObservedParts = {
  live: () => ({ isWell: true, problems: [] }),
  ready: () => ({ isWell: false, problems: ["watch tasks is not synced", "stopping"] }),
  scrape: () => Promise.resolve({ contentType: "text/plain; version=0.0.4", text: "genop_tasks 1\n" }),
};

async function ask(path: string, init: RequestInit = {}, over: Partial<ObservedParts> = {}): Promise<Response> {
  server = await startObserveServer({ port: 0, host: "127.0.0.1" }, { ...parts, ...over });
  return fetch(`http://127.0.0.1:${server.port}${path}`, init);
}

describe("the server for probes and scrapes", () => {
  test.each([
    { path: "/livez", status: 200, text: "ok\n" },
    { path: "/readyz", status: 503, text: "watch tasks is not synced\nstopping\n" },
    { path: "/readyz?verbose", status: 503, text: /stopping/ },
    { path: "/metrics", status: 200, text: "genop_tasks 1\n" },
    { path: "/", status: 404, text: "not found\n" },
    { path: "/livez/../metrics/x", status: 404, text: "not found\n" },
  ])("$path answers $status", async ({ path, status, text }) => {
    const response = await ask(path);
    expect(response.status).toBe(status);
    expect(await response.text()).toEqual(typeof text === "string" ? text : expect.stringMatching(text));
  });

  test.each(["POST", "PUT", "DELETE", "OPTIONS"])("%s is refused, and its body is not waited for", async (method) => {
    const response = await ask("/livez", { method, ...(method !== "OPTIONS" && { body: "x".repeat(100_000) }) });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("GET, HEAD");
  });

  test("HEAD has no body", async () => {
    expect(await (await ask("/metrics", { method: "HEAD" })).text()).toBe("");
  });

  test("a fault is an answer without its words", async () => {
    const response = await ask("/metrics", {}, { scrape: () => Promise.reject(new Error("hush")) });
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("hush");
  });

  test("a header over its limit is refused", async () => {
    expect((await ask("/livez", { headers: { "x-large": "x".repeat(10_000) } })).status).toBe(431);
  });

  test("a port that is taken is an error at the start", async () => {
    server = await startObserveServer({ port: 0, host: "127.0.0.1" }, parts);
    await expect(startObserveServer({ port: server.port, host: "127.0.0.1" }, parts)).rejects.toThrow(/EADDRINUSE/);
  });

  test("closing ends kept connections, and those in the middle of an answer after the grace", async () => {
    const opened = await startObserveServer(
      { port: 0, host: "127.0.0.1" },
      { ...parts, scrape: () => new Promise(() => undefined) },
    );
    const idle = connect(opened.port, "127.0.0.1");
    const busy = connect(opened.port, "127.0.0.1");
    const ends = [idle, busy].map(
      (socket) => new Promise((resolve) => socket.on("error", () => undefined).on("close", resolve)),
    );
    idle.resume().write("GET /livez HTTP/1.1\r\nhost: x\r\n\r\n");
    busy.resume().write("GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n");
    await new Promise((resolve) => idle.once("data", resolve));
    await opened.close(10);
    await Promise.all(ends);
  });
});
