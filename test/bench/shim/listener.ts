// One reader of an event stream who only wants to know when something was said. Keeps no more of it than the end.
import { request, type IncomingMessage } from "node:http";

export interface Listener {
  /** Resolves with the time (performance.now) when this text has come, from now on. */
  hears(text: string): Promise<number>;
  close(): void;
}

/** What is listened for is shorter than this, however it is cut into pieces. */
const KEPT_CHARACTERS = 256;

/** Resolves when the stream is open. */
export async function listen(url: string, token: string): Promise<Listener> {
  const stream = await open(url, token);
  let rest = "";
  let wanted = "";
  let heard: (atMs: number) => void = () => undefined;
  stream.setEncoding("utf8").on("data", (piece: string) => {
    rest += piece;
    if (wanted !== "" && rest.includes(wanted)) {
      wanted = "";
      heard(performance.now());
    }
    rest = rest.slice(-KEPT_CHARACTERS);
  });
  stream.on("error", () => undefined); // closed by us
  return {
    hears: (text) => {
      rest = "";
      wanted = text;
      return new Promise((resolve) => (heard = resolve));
    },
    close: () => void stream.destroy(),
  };
}

function open(url: string, token: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent: false, headers: { authorization: `Bearer ${token}` } }, (answer) => {
      if (answer.statusCode === 200) resolve(answer);
      else reject(new Error(`cannot listen: a stream was answered ${answer.statusCode ?? 0}`));
    });
    asked.once("error", reject).end();
  });
}
