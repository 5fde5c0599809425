import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "@jest/globals";
import { NotSentFault, wordFor } from "../../../operator/outbound/fault.ts";
import { makeOutbound, type Answer, type GetOrder, type Outbound } from "../../../operator/outbound/outbound.ts";
import { answer, startRawServer } from "./raw-server.ts";

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const POLICY = { connectMs: 5_000, tlsMs: 5_000, maxConnections: 4 };

function outbound(allowPrivateAddresses = true): Outbound {
  const made = makeOutbound({ ...POLICY, allowPrivateAddresses });
  cleanUps.push(() => made.close());
  return made;
}

interface Site {
  readonly origin: string;
  readonly host: string;
  readonly seen: { readonly url: string; readonly headers: IncomingHttpHeaders }[];
}

async function site(listener: RequestListener): Promise<Site> {
  const seen: Site["seen"] = [];
  const server: Server = createServer((request, response) => {
    seen.push({ url: request.url ?? "", headers: request.headers });
    listener(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanUps.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, host: `127.0.0.1:${port}`, seen };
}

function order(url: string, hosts: readonly string[], changes: Partial<GetOrder> = {}): GetOrder {
  return {
    url,
    rules: { allowPlainHttp: true, hosts },
    headersTimeoutMs: 5_000,
    bodyGapMs: 5_000,
    signal: new AbortController().signal,
    ...changes,
  };
}

async function wordOf(work: Promise<Answer>): Promise<string> {
  try {
    const answered = await work;
    await buffer(answered.body);
    return "whole";
  } catch (error) {
    return wordFor(error);
  }
}

const redirectTo =
  (location: string): RequestListener =>
  (_request, response) => {
    response.writeHead(302, { location }).end("moved");
  };

describe("a download", () => {
  test("streams the bytes as they are, and asks for them as they are", async () => {
    const { origin, host, seen } = await site((_request, response) => response.end("bytes"));
    const answered = await outbound().get(order(`${origin}/a?b=c`, [host], { headers: { range: "bytes=0-4" } }));
    expect(answered).toMatchObject({ status: 200, host, headers: { "content-length": "5" } });
    expect((await buffer(answered.body)).toString()).toBe("bytes");
    expect(seen).toMatchObject([{ url: "/a?b=c", headers: { "accept-encoding": "identity", range: "bytes=0-4" } }]);
  });

  test("gives any status that is no redirect as an answer", async () => {
    const { origin, host } = await site((_request, response) => response.writeHead(403).end("expired"));
    const answered = await outbound().get(order(`${origin}/a`, [host]));
    expect(answered.status).toBe(403);
    answered.destroy();
  });

  test("follows a redirect to an allowed host, and shows the credential to its own origin alone", async () => {
    const target = await site((_request, response) => response.end("bytes"));
    const start = await site(redirectTo(`${target.origin}/b`));
    const credential = { origin: start.origin, headers: { "x-api-key": "secret", authorization: "Bearer secret" } };

    const answered = await outbound().get(order(`${start.origin}/a`, [start.host, target.host], { credential }));
    expect((await buffer(answered.body)).toString()).toBe("bytes");
    expect(start.seen[0]?.headers).toMatchObject({ "x-api-key": "secret", authorization: "Bearer secret" });
    expect(target.seen[0]?.url).toBe("/b");
    expect(JSON.stringify(target.seen)).not.toContain("secret");
  });

  test.each([
    { when: "a host that is not allowed", location: "http://other.example/", word: "guard-host" },
    { when: "another port of the same host", location: "http://127.0.0.1:1/", word: "guard-host" },
    { when: "a file", location: "file:///etc/passwd", word: "guard-scheme" },
    { when: "a URL with credentials", location: "http://user:password@127.0.0.1/", word: "guard-userinfo" },
    { when: "the metadata service", location: "http://169.254.169.254/latest", word: "guard-address" },
    { when: "something that is no URL", location: "http://[", word: "guard-url" },
  ])("does not follow a redirect to $when", async ({ location, word }) => {
    const { origin, host, seen } = await site(redirectTo(location));
    const hosts = [host, "169.254.169.254"];
    expect(await wordOf(outbound().get(order(`${origin}/a`, hosts)))).toBe(word);
    expect(seen).toHaveLength(1);
  });

  test("gives up a chain of redirects after the limit", async () => {
    const { origin, host, seen } = await site(redirectTo("/a"));
    expect(await wordOf(outbound().get(order(`${origin}/a`, [host], { maxRedirects: 2 })))).toBe("guard-redirects");
    expect(seen).toHaveLength(3);
  });

  test("refuses a compressed answer", async () => {
    const bomb = gzipSync(Buffer.alloc(1_000_000));
    const { origin, host } = await site((_request, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(bomb),
    );
    expect(await wordOf(outbound().get(order(`${origin}/a`, [host])))).toBe("encoded-answer");
  });

  test.each([
    {
      when: "the answer is cut short",
      send: "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf",
      end: "close",
      word: "closed",
    },
    {
      when: "the connection is reset",
      send: "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf",
      end: "reset",
      word: "reset",
    },
    { when: "the headers do not come", send: "HTTP/1.1 200 OK\r\n", end: "wait", word: "headers-timeout" },
    { when: "it is no HTTP", send: "hello\r\n\r\n", end: "wait", word: "garbled" },
  ])("ends as $word when $when", async ({ send, end, word }) => {
    const server = await startRawServer({
      onRequest: (socket) =>
        socket.write(send, () => {
          if (end === "close") socket.end();
          // The reset must not overtake what was sent.
          if (end === "reset") setImmediate(() => socket.resetAndDestroy());
        }),
    });
    cleanUps.push(server.close);
    const changes = end === "wait" ? { headersTimeoutMs: 100 } : {};
    expect(await wordOf(outbound().get(order(server.url, [`127.0.0.1:${server.port}`], changes)))).toBe(word);
  });

  test("goes to the host itself, whatever proxy the environment names", async () => {
    const proxy = await startRawServer({});
    cleanUps.push(() => proxy.close());
    const { origin, host } = await site((_request, response) => response.end("bytes"));
    const names = ["HTTP_PROXY", "http_proxy", "ALL_PROXY"];
    for (const name of names) process.env[name] = proxy.url;
    try {
      const answered = await outbound().get(order(`${origin}/a`, [host]));
      expect((await buffer(answered.body)).toString()).toBe("bytes");
    } finally {
      for (const name of names) Reflect.deleteProperty(process.env, name);
    }
    expect(proxy.received).toHaveLength(0);
  });

  test("ends with its signal, also in the middle of the body", async () => {
    const server = await startRawServer({
      onRequest: (socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf"),
    });
    cleanUps.push(server.close);
    const controller = new AbortController();
    const answered = await outbound().get(
      order(server.url, [`127.0.0.1:${server.port}`], { signal: controller.signal }),
    );
    const body = buffer(answered.body);
    controller.abort();
    await expect(body).rejects.toMatchObject({ name: "AbortError" });
  });
});

describe("the ten spellings of loopback", () => {
  test.each([
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "127.0.0.1.",
    "１２７.0.0.1",
    "①②⑦.0.0.1",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "0.0.0.0",
    "[::]",
    "localhost",
    "[::1]",
    "[64:ff9b::7f00:1]",
  ])("http://%s reaches nothing", async (spelling) => {
    const server = await startRawServer({ onRequest: (socket) => socket.end(answer("200 OK", "inside")) });
    cleanUps.push(server.close);
    const url = new URL(`http://${spelling}:${server.port}/`);
    // The host list is no help here: only the address is judged.
    const got = outbound(false).get(order(url.href, [url.host]));
    await expect(got).rejects.toBeInstanceOf(NotSentFault);
    await expect(got).rejects.toMatchObject({ code: "guard-address" });
    expect(server.received).toHaveLength(0);
  });
});
