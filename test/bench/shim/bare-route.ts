// The baseline of the creates: one Fastify route that makes of each body the object that the shim makes of it, and the same call.
// It knows no caller, no right, no limit and no repetition, checks nothing, and watches nothing.
import { createHash } from "node:crypto";
import { fastify } from "fastify";
import { Pool } from "undici";
import { loadKubeConfig } from "../../../operator/kube/kubeconfig.ts";
import { readCredentials } from "../../../operator/runtime/credentials.ts";

const { KUBECONFIG, NAMESPACE = "" } = process.env;
const { headers, origin, tls } = await readCredentials(loadKubeConfig(KUBECONFIG), AbortSignal.timeout(30_000));
const pool = new Pool(origin, { connect: tls, connections: 64 });
const path = `/apis/genop.dev/v1alpha1/namespaces/${NAMESPACE}/generationtasks?fieldManager=bare-route`;
const app = fastify({ logger: false });

app.post("/v1/tasks", async ({ body, headers: given }, reply) => {
  const idempotencyKey = String(given["idempotency-key"]);
  const name = `rest-${createHash("sha256").update(idempotencyKey).digest("hex").slice(0, 40)}`;
  const fingerprint = createHash("sha256").update(JSON.stringify(body)).digest("hex");
  const object = {
    ...{ apiVersion: "genop.dev/v1alpha1", kind: "GenerationTask" },
    metadata: { name, namespace: NAMESPACE, annotations: { "genop.dev/request-fingerprint": `v1:${fingerprint}` } },
    spec: { ...(body as object), idempotencyKey },
  };
  const answer = await pool.request({
    ...{ method: "POST", path, body: JSON.stringify(object) },
    headers: { ...headers, "content-type": "application/json", accept: "application/json" },
  });
  const task = await answer.body.json();
  return reply.code(answer.statusCode === 201 ? 202 : 500).send(task);
});

const url = await app.listen({ host: "127.0.0.1", port: 0 });
process.stdout.write(`${JSON.stringify({ event: "rest.listening", port: new URL(url).port })}\n`);
process.once("SIGTERM", () => process.exit(0));
