// Free loopback ports. They lie below every system's ephemeral range, so that no outgoing connection can take
// the port of a part while a test has it stopped, nor connect to itself there.
import { randomInt } from "node:crypto";
import { createServer } from "node:net";

const LOWEST = 20_000;
const HIGHEST = 29_999;
const ATTEMPTS = 200;

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** A loopback port that nothing listened on a moment ago. Another process may still win it: retry when it did. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(LOWEST, HIGHEST + 1);
    if (await isFree(port)) return port;
  }
  throw new Error(`cannot find a free port: ${ATTEMPTS} random ports between ${LOWEST} and ${HIGHEST} are all taken`);
}
