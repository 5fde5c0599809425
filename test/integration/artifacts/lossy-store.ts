// The real object store behind a proxy that loses answers, refuses or swallows requests and garbles bytes when told to.
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
  /** Such requests are taken and never answered, until told otherwise. */
  hold(which: Which): Held;
  /** The answers to such requests name no ETag. */
  dropEtags(which: Which): void;
  /** The heads of all requests since the last look. */
  look(): readonly Head[];
  /** Whether the first byte of everything that is read is another. */
  garble(isOn: boolean): void;
  /** It does none of this any more. */
  heal(): void;
  close(): Promise<void>;
}

export interface Held {
  /** The first of them has come. */
  readonly reached: Promise<undefined>;
  /** Its connection was broken off by the client. */
  readonly broken: Promise<undefined>;
}

type Head = Pick<IncomingMessage, "method" | "url" | "headers">;

interface Holding {
  readonly which: Which;
  readonly reached: () => void;
  readonly broken: () => void;
}

interface Mood {
  loses: Which;
  lost: Set<string>;
  refuses: Which;
  refusals: number;
  dropsEtag: Which;
  holding: Holding | undefined;
  isGarbling: boolean;
  heads: Head[];
}

const nothing: Which = () => false;

function goodMood(): Mood {
  return {
    ...{ loses: nothing, lost: new Set(), refuses: nothing, refusals: 0, dropsEtag: nothing },
    ...{ holding: undefined, isGarbling: false, heads: [] },
  };
}

export async function startLossyStore(endpoint: string): Promise<LossyStore> {
  const mood = goodMood();
  const server = createServer((request, response) => serve(new URL(endpoint), mood, request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    loseAnswersTo: (which) => (mood.loses = which),
    lost: () => mood.lost.size,
    refuse: (refuses, refusals) => void Object.assign(mood, { refuses, refusals }),
    hold(which) {
      const reached = Promise.withResolvers<undefined>();
      const broken = Promise.withResolvers<undefined>();
      mood.holding = { which, reached: () => reached.resolve(undefined), broken: () => broken.resolve(undefined) };
      return { reached: reached.promise, broken: broken.promise };
    },
    dropEtags: (which) => (mood.dropsEtag = which),
    look: () => mood.heads.splice(0),
    garble: (isOn) => (mood.isGarbling = isOn),
    heal: () => void Object.assign(mood, goodMood()),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function serve(target: URL, mood: Mood, request: IncomingMessage, response: ServerResponse): void {
  const { method, url, headers } = request;
  const name = `${method ?? ""} ${url ?? ""}`;
  mood.heads.push({ method, url, headers });
  if (mood.holding?.which(request)) {
    swallow(request, mood.holding);
    return;
  }
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
    if (mood.dropsEtag(request)) delete answer.headers.etag;
    if (!mood.loses(request)) {
      hand(answer, response, mood.isGarbling && method === "GET");
      return;
    }
    mood.lost.add(name);
    answer.resume().on("end", () => request.socket.destroy());
  });
  onward.on("error", () => request.socket.destroy());
  request.pipe(onward);
}

function swallow(request: IncomingMessage, { reached, broken }: Holding): void {
  request.resume().on("error", () => undefined);
  request.socket.on("close", broken);
  reached();
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
