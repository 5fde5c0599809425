// The guard against streams that HTTP/2 makes from late headers, shown with Node's own client and server.
import { connect, createServer, type ClientHttp2Stream, type Http2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { expect, test } from "@jest/globals";
import { endOrphans } from "../../../operator/runtime/orphans.ts";

/** A call is broken off in the turn in which it was made; gives the stream that its late answer makes. */
async function makeOrphan(server: Http2Server): Promise<ClientHttp2Stream> {
  server.on("stream", (stream) => {
    stream.on("error", () => undefined);
    stream.respond({ ":status": 200 });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const orphan = new Promise<ClientHttp2Stream>((resolve) => session.once("stream", resolve));
  await new Promise((resolve) => session.once("remoteSettings", resolve));
  const call = session.request({ ":path": "/" });
  call.close();
  call.destroy();
  return orphan;
}

test("a stream that nobody asked for is listened to and ended, so that a lost connection is no error without a listener", async () => {
  const stopGuarding = endOrphans();
  const server = createServer();
  const orphan = await makeOrphan(server);
  expect([orphan.sentHeaders as unknown, orphan.closed, orphan.listenerCount("error")]).toEqual([undefined, true, 1]);

  const { session } = orphan;
  const closed = new Promise((resolve) => session?.once("close", resolve));
  session?.on("error", () => undefined);
  session?.destroy(new Error("the connection was lost"));
  await closed;
  stopGuarding();
  await new Promise((resolve) => server.close(resolve));
});
