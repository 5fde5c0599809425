// What a hostile or broken client can do to the server: little, and for a short time.
import { describe, expect, test } from "@jest/globals";
import { Problem } from "../../../api-shim/problems.ts";
import { head, serve, wire } from "./serving.ts";

const JSON_TYPE = { "content-type": "application/json" };
const times = { headersMs: 300, requestMs: 600, keepAliveMs: 400, idleMs: 5_000 };

function posted(body: string): string {
  return head("POST", "/echo", { ...JSON_TYPE, "content-length": Buffer.byteLength(body) }) + body;
}

describe("slow clients", () => {
  test("headers that drip in are cut off with 408", async () => {
    const { port, handled } = await serve({ settings: { times } });
    const { ended, send } = await wire(port);
    send("GET /wait HTTP/1.1\r\nhost: shim\r\nx-drip: ");
    expect(await ended).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"request-timeout"/);
    expect(handled()).toBe(0);
  });

  test("a body that drips in is cut off with 408, and no handler ever sees it", async () => {
    const { port, handled } = await serve({ settings: { times } });
    const { ended, send } = await wire(port);
    send(`${head("POST", "/echo", { ...JSON_TYPE, "content-length": 1000 })}{"a"`);
    expect(await ended).toMatch(/^HTTP\/1\.1 408 /);
    expect(handled()).toBe(0);
  });

  test("a connection on which nothing is asked any more is closed", async () => {
    const { port } = await serve({ settings: { times } });
    const { ended, send } = await wire(port);
    send(head("GET", "/wait"));
    expect(await ended).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("a connection on which nothing was ever said is closed", async () => {
    const { port } = await serve({ settings: { times: { ...times, idleMs: 300 } } });
    const { ended } = await wire(port);
    expect(await ended).not.toMatch(/200/);
  });
});

describe("large requests", () => {
  test("a body over the limit is refused by its length alone", async () => {
    const { port } = await serve();
    const { send, until } = await wire(port);
    send(head("POST", "/echo", { ...JSON_TYPE, "content-length": 600_000 }));
    expect(await until(/body-too-large/)).toMatch(/^HTTP\/1\.1 413 /);
  });

  test("a body of no length is refused when it passes the limit, and the connection is closed", async () => {
    const { port } = await serve();
    const { ended, send } = await wire(port);
    send(head("POST", "/echo", { ...JSON_TYPE, "transfer-encoding": "chunked" }));
    for (let sent = 0; sent < 9; sent += 1) send(`10000\r\n${"a".repeat(0x10000)}\r\n`);
    expect(await ended).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close/i);
  });

  test("headers over the limit are answered 431", async () => {
    const { port, handled } = await serve();
    const { ended, send } = await wire(port);
    send(head("GET", "/wait", { "x-flood": "a".repeat(20_000) }));
    expect(await ended).toMatch(/^HTTP\/1\.1 431 [\s\S]*"code":"header-too-large"/);
    expect(handled()).toBe(0);
  });

  test("so are hundreds of small ones", async () => {
    const { port, handled } = await serve();
    const { ended, send } = await wire(port);
    send(head("GET", "/wait", Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`x-${index}`, "1"]))));
    expect(await ended).toMatch(/^HTTP\/1\.1 431 /);
    expect(handled()).toBe(0);
  });
});

describe("JSON", () => {
  const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
  test.each([
    { what: "of 100,000 levels", body: nested(80_000), says: "deeper" },
    { what: "of 41 levels", body: nested(41), says: "deeper" },
    { what: "of brackets only", body: "[".repeat(100_000), says: "deeper" },
    { what: "of 30,000 values", body: `{"a":[${"1,".repeat(30_000)}1]}`, says: "values" },
    { what: "that names __proto__", body: '{"a":{"\\u005f_proto__":{"b":1}}}', says: "__proto__" },
    { what: "that ends too early", body: '{"a":', says: "not JSON" },
    { what: "that is nothing", body: " ", says: "not JSON" },
  ])("$what is refused in one sentence that quotes nothing", async ({ body, says }) => {
    const { port, handled } = await serve();
    const { send, until } = await wire(port);
    send(posted(body));
    const answer = await until(/"code":"[a-z-]+"\}$/);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain(says);
    expect(handled()).toBe(0);
  });

  test("of 40 levels, and with brackets inside of texts, is taken", async () => {
    const { port, handled } = await serve();
    const { send, until } = await wire(port);
    send(posted(nested(40)));
    await until(/HTTP\/1\.1 200 /);
    send(posted(JSON.stringify({ text: '\\"[{'.repeat(100) })));
    await until(/HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 200 /);
    expect(handled()).toBe(2);
  });
});

describe("many requests", () => {
  test("who sends hundreds without listening is hung up on, and few of them are begun", async () => {
    const { port, handled } = await serve({ handle: () => new Promise(() => undefined) });
    const { ended, send } = await wire(port);
    send(head("GET", "/wait").repeat(500));
    await ended;
    expect(handled()).toBeLessThanOrEqual(16);
  });

  test("who asks one after the other on one connection is answered in order", async () => {
    let answers = 0;
    const { port } = await serve({ handle: () => Promise.resolve({ number: (answers += 1) }) });
    const { send, until } = await wire(port);
    send(head("GET", "/wait").repeat(10));
    const text = await until(/"number":10\}/);
    expect([...text.matchAll(/"number":(\d+)/g)].map(([, number]) => Number(number))).toEqual(
      Array.from({ length: 10 }, (_, index) => index + 1),
    );
  });

  test("beyond the number of requests that may be under way, the next one is told to come again", async () => {
    const done = Promise.withResolvers<object>();
    const begun = Promise.withResolvers<undefined>();
    const handle = (): Promise<object> => {
      begun.resolve(undefined);
      return done.promise;
    };
    const { port } = await serve({ handle, settings: { maxRequests: 1 } });
    const [first, second] = [await wire(port), await wire(port)];
    first.send(head("GET", "/wait"));
    await begun.promise;
    second.send(head("GET", "/wait"));
    expect(await second.until(/"code":"overloaded"/)).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 1/i);
    done.resolve({});
    await first.until(/HTTP\/1\.1 200 /);
  });

  test("beyond the number of connections, the next one is closed", async () => {
    const { port } = await serve({ settings: { maxConnections: 1 } });
    const first = await wire(port);
    first.send(head("GET", "/wait"));
    await first.until(/HTTP\/1\.1 200 /);
    const second = await wire(port);
    expect(await second.ended).toBe("");
  });
});

test("a client that goes away does not stop what he asked for", async () => {
  const begun = Promise.withResolvers<AbortSignal>();
  const done = Promise.withResolvers<object>();
  const { port, server } = await serve({
    handle: (signal) => {
      begun.resolve(signal);
      return done.promise;
    },
  });
  const { send, socket } = await wire(port);
  send(posted("{}"));
  const signal = await begun.promise;
  socket.destroy();
  await new Promise((resolve) => socket.once("close", resolve));
  expect(signal.aborted).toBe(false);
  done.resolve({});
  await server.close(AbortSignal.abort());
});

test("a stranger's body is not read before he is refused", async () => {
  const refused = new Problem("unauthenticated", { detail: "cannot tell who asks" });
  const { port } = await serve({ door: { admit: () => Promise.reject(refused) } });
  const { ended, send } = await wire(port);
  send(head("POST", "/echo", { ...JSON_TYPE, "content-length": 400_000 })); // and never the body
  expect(await ended).toMatch(/^HTTP\/1\.1 401 [\s\S]*connection: close/i);
});

test.each(["hello\r\n\r\n", "GET /wait HTTP/1.1\r\nbroken header\r\n\r\n", "GET /wait HTTP/1.1\r\n\r\n"])(
  "what is no HTTP is told so: %j",
  async (text) => {
    const { port, handled } = await serve();
    const { ended, send } = await wire(port);
    send(text);
    expect(await ended).toMatch(/^HTTP\/1\.1 400 /);
    expect(handled()).toBe(0);
  },
);

test("what nobody foresaw is answered without a word of it, and logged once under the same id", async () => {
  const { logged, port } = await serve({ handle: () => Promise.reject(new Error("the password is hunter2")) });
  const { send, until } = await wire(port);
  send(head("GET", "/wait"));
  const answer = await until(/"code":"internal"\}/);
  expect(answer).toMatch(/^HTTP\/1\.1 500 /);
  expect(answer).not.toMatch(/hunter2|stack|\.ts/);
  const failures = logged.filter(({ event }) => event === "request.failed");
  expect(failures).toHaveLength(1);
  expect(answer).toContain(`urn:uuid:${String(failures[0]?.fields.id)}`);
});
