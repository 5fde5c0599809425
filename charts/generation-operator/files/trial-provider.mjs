// The provider of a trial: a job takes three seconds, costs nothing, and makes a picture out of its prompt. It forgets everything
// when it ends. For how a provider misbehaves there is test/provider.
import { Buffer } from "node:buffer";
import { createHash, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { URL } from "node:url";
import { crc32, deflateSync } from "node:zlib";

const MAX_JOBS = 10_000;
const MAX_BYTES = 1024 * 1024;
const SIDE = 256;

const { JOB_SECONDS = "3", PORT = "8080", TOKEN } = process.env;
const JOB_MS = Number(JOB_SECONDS) * 1_000;
/** By id, oldest first: each with when it began, our own id of it, and what the picture is made of. */
const jobs = new Map();

function chunk(type, data) {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, "latin1");
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}

/** A PNG whose colours come from the seed: the same prompt, the same picture. */
function picture(seed) {
  const hash = createHash("sha256").update(seed).digest();
  const shade = (x, y, channel) =>
    128 + 127 * Math.sin((x * hash[channel] + y * hash[channel + 3]) / 8_000 + hash[channel + 6]);
  const row = (y) => [0, ...Array.from({ length: SIDE * 3 }, (_, i) => Math.floor(shade(Math.floor(i / 3), y, i % 3)))];
  const pixels = Buffer.from(Array.from({ length: SIDE }, (_, y) => row(y)).flat());
  const header = Buffer.from([0, 0, SIDE >> 8, SIDE & 255, 0, 0, SIDE >> 8, SIDE & 255, 8, 2, 0, 0, 0]);
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  const parts = [chunk("IHDR", header), chunk("IDAT", deflateSync(pixels)), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([signature, ...parts]);
}

async function bodyOf(request) {
  const chunks = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > MAX_BYTES) return undefined;
    chunks.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    return undefined;
  }
}

function view(id, origin) {
  const job = jobs.get(id);
  if (!job) return undefined;
  const isDone = Date.now() - job.beganMs >= JOB_MS;
  const state = job.isCancelled ? "cancelled" : isDone ? "done" : "running";
  const outputs = state === "done" ? [{ url: `${origin}/v1/outputs/${id}.png`, media_type: "image/png" }] : [];
  return { id, ref: job.ref, state, outputs };
}

function begin({ input, ref }) {
  const id = randomUUID();
  jobs.set(id, { beganMs: Date.now(), ref, seed: JSON.stringify(input ?? {}), isCancelled: false });
  const [oldest] = jobs.keys();
  if (jobs.size > MAX_JOBS) jobs.delete(oldest);
  return id;
}

function cancel(id) {
  const job = jobs.get(id);
  if (job && Date.now() - job.beganMs < JOB_MS) job.isCancelled = true;
}

async function answer(request, response) {
  const origin = `http://${request.headers.host}`;
  const url = new URL(request.url, origin);
  const [, kind, name = "", verb] = url.pathname.split("/").slice(1);
  const send = (status, body) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  if (kind === "outputs") {
    const job = jobs.get(name.replace(".png", ""));
    return job ? response.writeHead(200, { "content-type": "image/png" }).end(picture(job.seed)) : send(404, {});
  }
  if (request.headers.authorization !== `Bearer ${TOKEN}`) return send(401, {});
  if (request.method === "POST" && name === "") {
    const body = await bodyOf(request);
    return body ? send(201, view(begin(body), origin)) : send(422, {});
  }
  if (request.method === "POST" && verb === "cancel") cancel(name);
  if (name !== "") return send(jobs.has(name) ? 200 : 404, view(name, origin) ?? {});
  const found = [...jobs].filter(([, { ref }]) => ref === url.searchParams.get("ref"));
  return send(200, { items: found.map(([id]) => view(id, origin)) });
}

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy());
});
server.listen(Number(PORT), () => process.stdout.write(`listening on ${server.address().port}\n`));
process.on("SIGTERM", () => {
  server.close();
  server.closeAllConnections();
});
