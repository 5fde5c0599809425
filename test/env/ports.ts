// Loopback ports of one environment: a block of its own, so that no other environment takes the port of a part that
// is down. Blocks lie below every system's ephemeral range: no outgoing connection can take such a port, or connect to itself there.
import { randomInt } from "node:crypto";
import { createServer } from "node:net";

const LOWEST = 20_000;
const BLOCKS = 300;
const BLOCK_SIZE = 32;
const ATTEMPTS = 100;

/** Listens on a port; resolves to how to let it go, or to undefined when it is taken. */
function hold(port: number): Promise<(() => Promise<void>) | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", () => resolve(undefined));
    const release = () => new Promise<void>((released) => server.close(() => released()));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => resolve(release));
  });
}

/** Takes a block for as long as this process lives, by listening on its first port; resolves to that port. */
export async function holdBlock(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const first = LOWEST + randomInt(BLOCKS) * BLOCK_SIZE;
    if ((await hold(first)) !== undefined) return first;
  }
  throw new Error(`cannot find free ports: ${ATTEMPTS} random blocks from ${LOWEST} on are all taken`);
}

/** Hands out the ports of a block, each once, passing over those that a stranger listens on. */
export function portsOf(block: number): () => Promise<number> {
  let last = block;
  return async () => {
    while (last < block + BLOCK_SIZE - 1) {
      last += 1;
      const port = last;
      const release = await hold(port);
      if (release === undefined) continue;
      await release();
      return port;
    }
    throw new Error(`cannot find a free port: all from ${block} to ${block + BLOCK_SIZE - 1} are taken or were used`);
  };
}
