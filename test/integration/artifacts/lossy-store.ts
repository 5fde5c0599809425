// The real object store behind a proxy that loses answers, refuses requests and garbles bytes when told to.
import { createServer, request as send, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Which = (request: IncomingMessage) => boolean;

export interface LossyStore {
  readonly endpoint: string;
  /**
   * The first answer to each such request is dropped after the store has done what it asks. The repeat is told
   * "no such upload", as by stores that forget an upload once it is complete.
   */
  loseAnswersTo(which: Which): void;
  lost(): number;
  /** So many of such requests are answered with 503 and never reach the store. */
  refuse(which: Which, count: number): void;
  /** Whether the first byte of everything that is read is another. */
  garble(isOn: boolean): void;
  close(): Promise<void>;
}

export async function startLossyStore(endpoint: string): Promise<LossyStore> {
  const target = new URL(endpoint);
  const nothing: Which = () => false;
  const mood = { loses: nothing, refuses: nothing, refusals: 0, isGarbling: false, lost: new Set<string>() };

  const server = createServer((request, response) => {
    const { method, url, headers } = request;
    const name = `${method ?? ""} ${url ?? ""}`;
    if (mood.refusals > 0 && mood.refuses(request)) {
      mood.refusals -= 1;
      refuse(request, response, 503, "SlowDown");
      return;
    }
    if (mood.lost.has(name)) {
      refuse(request, response, 404, "NoSuchUpload");
      return;
    }
    const onward = send({ host: target.hostname, port: target.port, method, path: url, headers }, (answer) => {
      if (!mood.loses(request)) {
        hand(answer, response, mood.isGarbling && method === "GET");
        return;
      }
      mood.lost.add(name);
      answer.resume().on("end", () => request.socket.destroy());
    });
    onward.on("error", () => request.socket.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    loseAnswersTo: (which) => (mood.loses = which),
    lost: () => mood.lost.size,
    refuse: (refuses, refusals) => void Object.assign(mood, { refuses, refusals }),
    garble: (isOn) => (mood.isGarbling = isOn),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function refuse(request: IncomingMessage, response: ServerResponse, status: number, code: string): void {
  request.resume();
  response.writeHead(status, { "content-type": "application/xml", connection: "close" });
  response.end(`<Error><Code>${code}</Code><Message>no</Message></Error>`);
}

function hand(answer: IncomingMessage, response: ServerResponse, isGarbled: boolean): void {
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  answer.on("data", (chunk: Buffer) => {
    response.write(isGarbled ? chunk.map((byte, at) => (at === 0 ? byte ^ 1 : byte)) : chunk);
  });
  answer.on("end", () => response.end());
}
