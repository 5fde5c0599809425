// The limit: the requests of a controller without a controller. One watch, one status write for each object that it shows, so
// many at once; no cache, no queue, no deadline, no repetition, no metrics. Arguments: namespace, number of writes to report,
// writes at once, and "http1" or "http2".
import { KubeConfig } from "@kubernetes/client-node";
import { Agent } from "undici";
import { readCredentials } from "../../../operator/runtime/credentials.ts";
import { beginProgram } from "./program.ts";
import { observedOf, type Widget } from "./widget.ts";

const { namespace, wrote, ready, workers, how } = beginProgram();
const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();
const { origin, tls, headers } = await readCredentials(kubeConfig, AbortSignal.timeout(30_000));
const dispatcher = new Agent({ connect: tls, allowH2: how === "http2", connections: workers + 1, bodyTimeout: 0 });
const collection = `/apis/bench.genop.dev/v1/namespaces/${namespace}/widgets`;
const waiting: Widget[] = [];
let busy = 0;

async function write(widget: Widget): Promise<void> {
  const { body, statusCode } = await dispatcher.request({
    origin,
    path: `${collection}/${widget.metadata.name}/status`,
    method: "PATCH",
    headers: { ...headers, "content-type": "application/merge-patch+json" },
    body: JSON.stringify({ status: { observed: observedOf(widget) } }),
  });
  await body.json();
  if (statusCode !== 200) throw new Error(`cannot write a status: ${statusCode}`);
  wrote();
}

async function work(): Promise<void> {
  busy += 1;
  for (let next = waiting.shift(); next; next = waiting.shift()) await write(next);
  busy -= 1;
}

process.on("SIGTERM", () => process.exit(0));
const { body } = await dispatcher.request({
  ...{ origin, method: "GET", headers },
  path: `${collection}?watch=true&resourceVersion=0&allowWatchBookmarks=true`,
});
ready();
let rest = "";
for await (const chunk of body.setEncoding("utf8")) {
  const lines = (rest + String(chunk)).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const { type, object } = JSON.parse(line) as { readonly type: string; readonly object: Widget };
    if (type !== "ADDED") continue;
    waiting.push(object);
    if (busy < workers) void work();
  }
}
