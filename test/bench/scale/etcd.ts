// Many objects at once, put where the API server keeps its own: a tenth of a million creations would take longer than all that
// is measured. What is put there was made by the API server and the operator; only names and uids differ.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { request } from "undici";
import { TASK_KEY_ANNOTATION } from "../../../operator/task/resource.ts";
import { forEachIndex } from "../api.ts";

interface Stored {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

const ROOT = "/registry/genop.dev/generationtasks";
const PUTS_AT_ONCE = 32;

/** Puts `count` copies of a stored task beside it. The environment's file of coordinates says where etcd listens. */
export async function cloneTask(
  coordinatesPath: string,
  { namespace, name, count }: { readonly namespace: string; readonly name: string; readonly count: number },
): Promise<void> {
  const url = etcdUrl(coordinatesPath);
  const stored = await read(url, `${ROOT}/${namespace}/${name}`);
  // A put each: the API server takes for granted that no two objects have the same version.
  await forEachIndex(count, PUTS_AT_ONCE, async (index) => {
    const copy = `${name}-${index}`;
    const uid = randomUUID();
    // A wish of its own: as a copy with the key of the first it would be refused, and each refusal be written.
    const annotations = { ...stored.metadata.annotations, [TASK_KEY_ANNOTATION]: `${namespace}/${uid}` };
    const object = { ...stored, metadata: { ...stored.metadata, name: copy, uid, annotations } };
    const body = { key: base64(`${ROOT}/${namespace}/${copy}`), value: base64(JSON.stringify(object)) };
    await post(`${url}/v3/kv/put`, body);
  });
}

function etcdUrl(coordinatesPath: string): string {
  const { plans } = JSON.parse(readFileSync(coordinatesPath, "utf8")) as {
    readonly plans: { readonly etcd?: { readonly command: readonly string[] } };
  };
  const option = "--advertise-client-urls=";
  const found = plans.etcd?.command.find((word) => word.startsWith(option));
  if (found === undefined) throw new Error("cannot find etcd: the environment does not say where it listens");
  return found.slice(option.length);
}

async function read(url: string, key: string): Promise<Stored> {
  const { kvs } = (await post(`${url}/v3/kv/range`, { key: base64(key) })) as {
    readonly kvs?: readonly { readonly value: string }[];
  };
  const value = kvs?.[0]?.value;
  if (value === undefined) throw new Error(`cannot copy ${key}: it is not in etcd`);
  return JSON.parse(Buffer.from(value, "base64").toString("utf8")) as Stored;
}

async function post(url: string, body: object): Promise<unknown> {
  const answer = await request(url, { method: "POST", body: JSON.stringify(body) });
  if (answer.statusCode === 200) return answer.body.json();
  throw new Error(`cannot write to etcd: ${answer.statusCode} ${(await answer.body.text()).slice(0, 200)}`);
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
