import { createServer } from "node:https";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "@jest/globals";
import { makeCertificate, type Certificate } from "../outbound/certificate.ts";
import { accountAt } from "./account.ts";
import { acceptedAttempt, submitRequestOf } from "./spec.ts";

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const never = new AbortController().signal;

interface SecureApi {
  readonly url: string;
  readonly seen: string[];
}

async function secureApi({ certificate, key }: Certificate): Promise<SecureApi> {
  const seen: string[] = [];
  const server = createServer({ cert: certificate, key }, (request, response) => {
    seen.push(`${request.method ?? ""} ${request.headers.host ?? ""}${request.url ?? ""}`);
    request.resume();
    response.end(JSON.stringify({ id: "job-1", state: "running" }));
  });
  server.on("tlsClientError", () => undefined);
  server.listen(0, "localhost");
  await once(server, "listening");
  cleanUps.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  return { url: `https://localhost:${(server.address() as AddressInfo).port}`, seen };
}

test("a submit and a query go over TLS to the host that the certificate is made out to", async () => {
  const made = makeCertificate("localhost");
  const { url, seen } = await secureApi(made);
  const { account } = accountAt(url, { certificateAuthorities: made.certificate });
  cleanUps.push(() => account.close());

  expect(await account.client.submit(submitRequestOf(), never)).toEqual({ outcome: "accepted", jobId: "job-1" });
  expect(await account.client.query(acceptedAttempt(), never)).toMatchObject({ outcome: "job", state: "running" });
  const host = url.replace("https://", "");
  expect(seen).toEqual([`POST ${host}/v1/jobs`, `GET ${host}/v1/jobs/job-1`]);
});

test("nothing is sent to a host whose certificate is made out to another", async () => {
  const made = makeCertificate("other.example");
  const { url, seen } = await secureApi(made);
  const { account } = accountAt(url, { certificateAuthorities: made.certificate });
  cleanUps.push(() => account.close());

  const outcome = await account.client.submit(submitRequestOf(), never);
  expect(outcome).toEqual({ outcome: "not-sent", code: "tls-certificate" });
  const query = await account.client.query(acceptedAttempt(), never);
  expect(query).toMatchObject({ outcome: "unanswered", code: "tls-certificate" });
  expect(seen).toEqual([]);
});
