// Watches over real sockets to a server that misbehaves by script.
import { expect, test } from "@jest/globals";
import type { Log } from "../../../operator/runtime/log.ts";
import type { KubeRequest } from "../../../operator/runtime/sender.ts";
import type { Transport } from "../../../operator/runtime/transport.ts";
import { failure, lines, silence, type Answer } from "./scripted-server.ts";
import { faultOf, never, start } from "./with-server.ts";

const watch: KubeRequest = { method: "GET", path: "/api/v1/things", query: { watch: true } };
async function collect(transport: Transport, idleMs = 5_000): Promise<{ values: unknown[]; error: unknown }> {
  const values: unknown[] = [];
  const error = await faultOf(
    (async () => {
      for await (const value of transport.stream(watch, { signal: never, idleMs })) values.push(value);
    })(),
  );
  return { values, error };
}

test("a stream gives one value per line, however the bytes are cut", async () => {
  const text = Buffer.from('{"name":"größe"}\n{"n":2}\n\n{"n":3}\n');
  const { transport } = await start(() => (response) => {
    response.writeHead(200);
    void (async () => {
      for (const byte of text) {
        response.write(Buffer.from([byte]));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    })();
  });
  expect(await collect(transport)).toEqual({ values: [{ name: "größe" }, { n: 2 }, { n: 3 }], error: undefined });
});

test.each([
  { when: "that is silent too long is stalled", then: lines([{ n: 1 }]), reason: "Stalled" },
  { when: "that never begins is stalled", then: silence, reason: "Stalled", none: true },
  {
    when: "that ends inside a line is no end in order",
    then: (r) => r.writeHead(200).end('{"n":1}\n{"n":'),
    reason: "BadAnswer",
  },
  {
    when: "with a line that is no JSON is a bad answer",
    then: (r) => r.writeHead(200).end('{"n":1}\nnonsense\n'),
    reason: "BadAnswer",
  },
  {
    when: "that is refused has the server's reason",
    then: failure(403, "Forbidden"),
    reason: "Forbidden",
    none: true,
  },
] satisfies { when: string; then: Answer; reason: string; none?: boolean }[])(
  "a stream $when",
  async ({ then, reason, ...row }) => {
    const { transport } = await start(() => then);
    const { values, error } = await collect(transport, reason === "Stalled" ? 1_000 : 30_000);
    expect(values).toEqual("none" in row ? [] : [{ n: 1 }]);
    expect(error).toMatchObject({ name: "KubeError", reason });
  },
);

test("after a stream on which nothing was heard, new calls use a new connection", async () => {
  const events: string[] = [];
  const log: Log = (_, event) => void events.push(event);
  const { transport } = await start(() => silence, { log });
  expect((await collect(transport, 50)).error).toMatchObject({ reason: "Stalled" });
  expect(events).toEqual(["connection.renewed"]);
});

test("a stream left by its reader frees the socket", async () => {
  const { server, transport } = await start(() => lines([{ n: 1 }]));
  const values = transport.stream(watch, { signal: never })[Symbol.asyncIterator]();
  await values.next();
  await values.return?.();
  await server.asked[0]?.hungUp;
});
