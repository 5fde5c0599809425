// The limit of a first sync: one streamed list (WatchList) of all tasks, of which a few fields are kept. No cache, no reading
// of what is in them. Prints "listed", the time and the number of objects; then ends.
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { Agent } from "undici";

interface Line {
  readonly type: string;
  readonly object: {
    readonly metadata: {
      readonly name: string;
      readonly uid: string;
      readonly resourceVersion: string;
      readonly annotations?: Readonly<Record<string, string>>;
    };
  };
}

const MAX_TRIES = 600;
const TRY_AGAIN_MS = 100;

const [origin = "", caFile = "", token = ""] = process.argv.slice(2);
const dispatcher = new Agent({ connect: { ca: readFileSync(caFile) }, bodyTimeout: 0, headersTimeout: 0 });
const query = "watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
const path = `/apis/genop.dev/v1alpha1/generationtasks?${query}`;
const ask = () => dispatcher.request({ origin, method: "GET", path, headers: { authorization: `Bearer ${token}` } });
let answer = await ask();
for (let tries = 1; answer.statusCode !== 200; tries++) {
  // A server that was just started refuses until its own cache is there.
  if (tries === MAX_TRIES) throw new Error(`cannot list: ${answer.statusCode}`);
  await answer.body.dump();
  await delay(TRY_AGAIN_MS);
  answer = await ask();
}
const kept = new Map<string, { readonly uid: string; readonly resourceVersion: string }>();
const decoder = new TextDecoder();
let rest = "";

function keep(line: string): boolean {
  const { type, object } = JSON.parse(line) as Line;
  const { annotations, name, resourceVersion, uid } = object.metadata;
  if (type === "BOOKMARK") return annotations?.["k8s.io/initial-events-end"] === "true";
  kept.set(name, { uid, resourceVersion });
  return false;
}

for await (const chunk of answer.body as AsyncIterable<Buffer>) {
  const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
  rest = lines.pop() ?? "";
  if (lines.some(keep)) break;
}
console.log(`listed ${Date.now()} ${kept.size}`);
process.exit(0);
