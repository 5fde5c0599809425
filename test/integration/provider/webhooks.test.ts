// Webhooks: signed as Standard Webhooks asks, and every way in which a sender can be a bad one.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Config } from "../../provider/schema/config.ts";
import { WebhookFault } from "../../provider/schema/faultNames.ts";
import { signatureOf } from "../../provider/webhooks/sign.ts";
import { makeProvider, type Fixture } from "./fixture.ts";

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let fixture: Fixture;
let receiver: Server;
let url: string;
let received: Received[] = [];
let answers: number[] = [];

beforeAll(async () => {
  fixture = await makeProvider();
  receiver = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      received.push({ headers: request.headers, body });
      response.writeHead(answers.shift() ?? 204).end();
    });
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
});
afterAll(async () => {
  receiver.close();
  receiver.closeAllConnections();
  await fixture.remove();
});
beforeEach(async () => {
  await fixture.provider.admin.reset();
  received = [];
  answers = [];
});

const secret = Config.parse({}).webhookSecret;

const isTrue = ({ headers, body }: Received): boolean => {
  const message = { id: String(headers["webhook-id"]), timestamp: Number(headers["webhook-timestamp"]), body };
  return headers["webhook-signature"] === signatureOf(secret, message);
};
const typeOf = ({ body }: Received): string => (JSON.parse(body) as { type: string }).type;
const jobOf = ({ body }: Received): string => (JSON.parse(body) as { data: { id: string } }).data.id;

/** Resolves once this many tries were recorded for the job. */
async function tried(jobId: string, count: number): Promise<void> {
  let seen = 0;
  const isLast = (event: { readonly type: string; readonly jobId?: unknown }): boolean =>
    event.type === "webhook.sent" && event.jobId === jobId && ++seen === count;
  await fixture.provider.admin.waitFor(isLast, AbortSignal.timeout(10_000));
}

const quick = { queueMs: 0, durationMs: 50 };

async function job(faults: readonly WebhookFault[], more: object = {}): Promise<string> {
  return fixture.caller.accepted({
    reference: "studio/a",
    ref: "attempt-1",
    webhook: url,
    simulate: { ...quick, ...more, webhook: { faults } },
  });
}

describe("a webhook", () => {
  test("tells of each change of a job, thin and signed", async () => {
    const id = await job([]);
    await tried(id, 2);
    expect(received.map(typeOf)).toEqual(["job.running", "job.done"]);
    expect(received.map(isTrue)).toEqual([true, true]);
    expect(JSON.parse(received[1]?.body ?? "")).toMatchObject({ data: { id, ref: "attempt-1", state: "done" } });
  });

  test("that is not answered with success is sent again under the same id", async () => {
    answers = [500];
    const id = await job([]);
    await tried(id, 3);
    const ids = received.filter((each) => typeOf(each) === "job.running").map(({ headers }) => headers["webhook-id"]);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  test("is not sent to an address beyond loopback", async () => {
    const { caller, provider } = fixture;
    const id = await caller.accepted({ reference: "studio/a", webhook: "http://192.0.2.1/hook", simulate: quick });
    await tried(id, 1);
    expect((await provider.admin.record({ job: id })).webhooks[0]).toMatchObject({ status: null });
  });

  test("is not sent where webhooks are off", async () => {
    await fixture.provider.admin.config({ webhooks: false });
    const id = await job([]);
    await fixture.caller.finished(id);
    expect((await fixture.provider.admin.record({ job: id })).webhooks).toEqual([]);
  });
});

describe("a bad sender", () => {
  test("has a test here for every fault there is", () => {
    expect(WebhookFault.options).toEqual([
      "duplicate",
      "late",
      "lost",
      "before-answer",
      "forged-job",
      "forged-signature",
      "reordered",
    ]);
  });

  test("sends duplicates under one id", async () => {
    await tried(await job(["duplicate"]), 4);
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(2);
  });

  test("sends late", async () => {
    const id = await job(["late"], { lateMs: 3_600_000 });
    await fixture.caller.finished(id);
    const { webhooks } = await fixture.provider.admin.record({ job: id });
    expect(webhooks.map(({ type, at }) => [type, at])).toEqual([
      ["job.running", null],
      ["job.done", null],
    ]);
    expect(received).toEqual([]);
  });

  test("loses all of them", async () => {
    const id = await job(["lost"]);
    await fixture.caller.finished(id);
    expect((await fixture.provider.admin.record({ job: id })).webhooks).toEqual([]);
  });

  test("tells of a job before its submit is answered, or though it never is", async () => {
    const submit = { reference: "studio/a", ref: "attempt-1", webhook: url };
    const simulate = { queueMs: 3_600_000, submit: ["reset-after"], webhook: { faults: ["before-answer"] } };
    expect((await fixture.caller.submit({ ...submit, simulate })).saw).toBe("reset");
    expect(received.map(typeOf)).toEqual(["job.queued"]);
    const { jobs } = await fixture.provider.admin.record();
    expect(received.map(jobOf)).toEqual(jobs.map(({ id }) => id));
  });

  test("names a job that is not there, besides the true one", async () => {
    const id = await job(["forged-job"]);
    await tried(id, 4);
    expect(received.filter((each) => jobOf(each) === id)).toHaveLength(2);
    expect(received.filter((each) => jobOf(each) !== id)).toHaveLength(2);
    expect(received.every(isTrue)).toBe(true);
  });

  test("signs with another secret, besides the true one", async () => {
    await tried(await job(["forged-signature"]), 4);
    expect(received.filter(isTrue)).toHaveLength(2);
    expect(received.filter((each) => !isTrue(each))).toHaveLength(2);
  });

  test("tells of the end before the beginning", async () => {
    await tried(await job(["reordered"]), 2);
    expect(received.map(typeOf)).toEqual(["job.done", "job.running"]);
  });
});
