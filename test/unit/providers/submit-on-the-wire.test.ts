// Every fault of a submit as a real socket sees it: how often and what was sent, and what the ending is taken to prove.
import { describe, expect, test } from "@jest/globals";
import { accountAt, type AccountOptions } from "./account.ts";
import { ATTEMPT_ID, HTTP, submitRequestOf } from "./spec.ts";
import { accepted, ambiguous, CASES, json, refused, saying } from "./submit-cases.ts";
import { cleanUps, never, server, submit } from "./wire-test.ts";

describe("one submit is one request, and", () => {
  test.each(CASES)("when $when it ends as told", async ({ onRequest, then, submitMs }) => {
    const { url, received } = await server({ onRequest });
    expect(await submit(url, submitMs === undefined ? {} : { submitMs })).toEqual(then);
    expect(received).toHaveLength(1);
    expect(received[0]?.match(/POST /g)).toHaveLength(1);
  });

  test("it carries the key, the credential and the body, and asks for the connection to be closed", async () => {
    const { url, received } = await server({ onRequest: saying(json("201 Created", { id: "job-1" })) });
    await submit(url);
    const [head = "", body = ""] = (received[0] ?? "").split("\r\n\r\n");
    expect(head.split("\r\n")[0]).toBe("POST /v1/jobs HTTP/1.1");
    expect(head).toMatch(new RegExp(`^idempotency-key: ${ATTEMPT_ID}$`, "im"));
    expect(head).toMatch(/^authorization: Bearer secret$/im);
    expect(head).toMatch(/^connection: close$/im);
    expect(head).toMatch(/^accept-encoding: identity$/im);
    expect(JSON.parse(body)).toEqual({ model: "acme-image", input: { prompt: "a quiet harbour" }, ref: ATTEMPT_ID });
  });

  test("the next submit has a connection of its own", async () => {
    const { url, received } = await server({ onRequest: saying(json("201 Created", { id: "job-1" })) });
    const { account } = accountAt(url);
    cleanUps.push(() => account.close());
    for (let nth = 1; nth <= 3; nth++) {
      await account.client.submit(submitRequestOf(), never);
      expect(received).toHaveLength(nth);
    }
  });
});

describe("it is not known whether a job exists", () => {
  test("when the call is called off after the request was sent", async () => {
    const controller = new AbortController();
    const { url, received } = await server({ onRequest: () => controller.abort() });
    expect(await submit(url, {}, controller.signal)).toEqual({ outcome: "ambiguous", code: "aborted" });
    expect(received).toHaveLength(1);
  });

  test("when a replay is refused: its key may just have been used", async () => {
    const { url } = await server({ onRequest: saying(json("422 No", { error: { code: "idempotency_key_reuse" } })) });
    const { account } = accountAt(url);
    cleanUps.push(() => account.close());
    expect(await account.client.replay(submitRequestOf(), never)).toEqual(ambiguous("replay-status-422"));
  });
});

describe("a documented refusal", () => {
  const documented = (rejected: string): AccountOptions => ({
    spec: { http: { ...HTTP, submit: { ...HTTP.submit, rejected } } },
  });
  const BALANCE = 'response.body.code == 1101 ? "LockedOut" : response.body.code == 1301 ? "Content" : ""';

  test.each([
    {
      when: "a 429 is about the balance",
      status: "429 No",
      body: { code: 1101 },
      then: { outcome: "locked-out" as const, code: "status-429" },
    },
    { when: "a 400 is about the content", status: "400 No", body: { code: 1301 }, then: refused("status-400", true) },
    {
      when: "a 200 is about the content",
      status: "200 OK",
      body: { code: 1301 },
      then: refused("documented-refusal", true),
    },
    { when: "it does not speak", status: "200 OK", body: { code: 0, id: "job-1" }, then: accepted("job-1") },
    { when: "it cannot be read", status: "200 OK", body: { id: "job-1" }, then: accepted("job-1") },
    { when: "a 5xx claims it", status: "503 No", body: { code: 1301 }, then: ambiguous("status-503") },
    { when: "a 408 claims it", status: "408 No", body: { code: 1301 }, then: ambiguous("status-408") },
  ])("counts as it should when $when", async ({ status, body, then }) => {
    const { url } = await server({ onRequest: saying(json(status, body)) });
    expect(await submit(url, documented(BALANCE))).toEqual(then);
  });

  test("may just say yes", async () => {
    const { url } = await server({ onRequest: saying(json("200 OK", { rejected: true, id: "job-1" })) });
    expect(await submit(url, documented("response.body.rejected"))).toEqual(refused("documented-refusal"));
  });
});
