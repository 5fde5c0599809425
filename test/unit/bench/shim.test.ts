// Who listens to an event stream for a bench hears what was said once it was said, and nothing from before.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "@jest/globals";
import { listen } from "../../bench/shim/listener.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function stream(): Promise<{ readonly url: string; readonly said: Promise<ServerResponse> }> {
  const said = Promise.withResolvers<ServerResponse>();
  const server = createServer((request, response) => {
    response.writeHead(request.headers.authorization === "Bearer good" ? 200 : 403).flushHeaders();
    if (response.statusCode === 200) said.resolve(response);
    else response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, said: said.promise };
}

test("a text is heard when its last piece has come, whatever stood before it", async () => {
  const { said, url } = await stream();
  const listener = await listen(url, "good");
  const response = await said;
  const heard = listener.hears('"progress":10');
  response.write('data: {"progress":9}\n\ndata: {"prog');
  response.write('ress":10}\n\n');
  const firstMs = await heard;
  const again = listener.hears('"progress":10');
  response.write(`${"x".repeat(1_000)}"progress":10`);
  expect(await again).toBeGreaterThanOrEqual(firstMs);
  listener.close();
});

test("a stream that is refused is no stream", async () => {
  const { url } = await stream();
  await expect(listen(url, "bad")).rejects.toThrow("answered 403");
});
