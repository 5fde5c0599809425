// Every submit fault that the simulated provider knows: what the adapter takes it to prove, held against the provider's own record.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { SubmitOutcome } from "../../../operator/task/outcome.ts";
import { SubmitFault } from "../../provider/schema/faultNames.ts";
import { sentAttempt } from "../../unit/providers/spec.ts";
import { startSimulated, wish, type Simulated } from "./simulated.ts";

let simulated: Simulated;
beforeAll(async () => {
  simulated = await startSimulated();
});
afterAll(() => simulated.remove());
beforeEach(() => simulated.provider.admin.reset());

const never = new AbortController().signal;

const ambiguous = (code: string): unknown => ({ outcome: "ambiguous", code });
const ACCEPTED = { outcome: "accepted", jobId: expect.any(String) };
const THROTTLED = { outcome: "throttled", code: "status-429", retryAfterMs: 1_000 };

const OUTCOMES: Readonly<Record<SubmitFault, unknown>> = {
  none: ACCEPTED,
  "slow-accept": ACCEPTED,
  "slow-headers": ACCEPTED,
  "rate-limited-header": THROTTLED,
  "rate-limited-body": THROTTLED,
  "over-limit": { ...THROTTLED, retryAfterMs: undefined },
  "server-error-before": ambiguous("status-500"),
  "bad-gateway-before": ambiguous("status-502"),
  "unavailable-before": ambiguous("status-503"),
  "gateway-timeout-before": ambiguous("status-504"),
  "reset-before": ambiguous("reset"),
  "close-before": ambiguous("closed"),
  "silence-before": ambiguous("headers-timeout"),
  invalid: { outcome: "refused", code: "status-422", content: false },
  unauthorised: { outcome: "locked-out", code: "status-401" },
  "no-credit": { outcome: "locked-out", code: "status-402" },
  moderated: { outcome: "refused", code: "status-400", content: true },
  conflict: ambiguous("status-409"),
  "not-found": { outcome: "refused", code: "status-404", content: false },
  redirect: ambiguous("status-307"),
  "server-error-after": ambiguous("status-500"),
  "bad-gateway-after": ambiguous("status-502"),
  "unavailable-after": ambiguous("status-503"),
  "gateway-timeout-after": ambiguous("status-504"),
  "request-timeout-after": ambiguous("status-408"),
  "reset-after": ambiguous("reset"),
  "close-after": ambiguous("closed"),
  "silence-after": ambiguous("headers-timeout"),
  "garbage-after": ambiguous("garbled"),
  "html-after": ambiguous("unreadable-answer"),
  "truncated-after": ambiguous("truncated"),
  "empty-after": ambiguous("empty-answer"),
  "no-id-after": ambiguous("no-job-id"),
};

const PROVES_NO_JOB: ReadonlySet<SubmitOutcome["outcome"]> = new Set([
  "not-sent",
  "throttled",
  "refused",
  "locked-out",
]);

describe("a submit", () => {
  test.each(SubmitFault.options)(
    "that meets %s sends one request, and claims no more than it proves",
    async (fault) => {
      const { client, provider } = simulated;
      const { request, reference } = wish({ submit: [fault], lateMs: 100 });
      const outcome = await client.submit(request, never);
      expect(outcome).toEqual(OUTCOMES[fault]);

      const record = await provider.admin.record({ reference });
      expect(record.requests.map(({ operation }) => operation)).toEqual(["submit"]);
      if (PROVES_NO_JOB.has(outcome.outcome)) expect(record.jobs).toEqual([]);
      if (outcome.outcome === "accepted") expect(record.jobs).toMatchObject([{ id: outcome.jobId }]);
    },
  );

  test.each(SubmitFault.options.filter((fault) => fault.endsWith("-after")))(
    "whose job was lost to %s is found again by our own id, in both ways",
    async (fault) => {
      const { client, provider } = simulated;
      const { request, reference } = wish({ submit: [fault] });
      await client.submit(request, never);
      const { jobs } = await provider.admin.record({ reference });
      const found = { outcome: "found", jobId: jobs[0]?.id };
      const attempt = sentAttempt({ id: request.attemptId, sentAt: new Date() });
      expect(await client.search("look-up", attempt, never)).toEqual(found);
      expect(await client.search("list", attempt, never)).toEqual(found);
    },
  );

  test.each(["server-error-before", "reset-before"])(
    "that came to nothing by %s is missed in both ways",
    async (fault) => {
      const { client } = simulated;
      await client.submit(wish().request, never); // somebody else's
      const { request } = wish({ submit: [fault] });
      await client.submit(request, never);
      const attempt = sentAttempt({ id: request.attemptId, sentAt: new Date() });
      expect(await client.search("look-up", attempt, never)).toEqual({ outcome: "missed" });
      expect(await client.search("list", attempt, never)).toEqual({ outcome: "missed" });
    },
  );

  test("of a stranger is locked out", async () => {
    const outcome = await simulated.stranger.submit(wish().request, never);
    expect(outcome).toEqual({ outcome: "locked-out", code: "status-401" });
  });

  test("that is called off while the provider is silent may have made a job", async () => {
    const { client, provider } = simulated;
    const { request, reference } = wish({ submit: ["silence-after"] });
    const controller = new AbortController();
    const outcome = client.submit(request, controller.signal);
    await provider.admin.waitFor(
      (event) => event.type === "submit.accepted" && event.reference === reference,
      AbortSignal.timeout(5_000),
    );
    controller.abort();
    expect(await outcome).toEqual(ambiguous("aborted"));
  });

  test("whose provider dies before it answers is found after the provider is back", async () => {
    const { client, provider } = simulated;
    const { request, reference } = wish({ submit: ["silence-after"] });
    const submitted = client.submit(request, never);
    await provider.admin.waitFor(
      (event) => event.type === "submit.accepted" && event.reference === reference,
      AbortSignal.timeout(5_000),
    );
    simulated = await simulated.restart();
    expect(await submitted).toMatchObject({
      outcome: "ambiguous",
      code: expect.stringMatching(/^(reset|closed|headers-timeout)$/),
    });

    const { jobs } = await simulated.provider.admin.record({ reference });
    const attempt = sentAttempt({ id: request.attemptId });
    expect(await client.search("look-up", attempt, never)).toEqual({ outcome: "found", jobId: jobs[0]?.id });
  });

  test("to a provider that is down was not sent", async () => {
    const { client, provider } = simulated;
    await provider.kill("SIGKILL");
    expect(await client.submit(wish().request, never)).toEqual({ outcome: "not-sent", code: "connect-refused" });
    simulated = await simulated.restart();
  });
});

describe("a replay", () => {
  test("gives the first job where the provider honours the key", async () => {
    const { client, provider } = simulated;
    await provider.admin.config({ idempotency: "replay" });
    const { request, reference } = wish({ submit: ["no-id-after"] });
    await client.submit(request, never);
    const { jobs } = await provider.admin.record({ reference });
    expect(jobs).toHaveLength(1);
    expect(await client.replay(request, never)).toEqual({ outcome: "accepted", jobId: jobs[0]?.id });
    expect((await provider.admin.record({ reference })).jobs).toHaveLength(1);
  });

  test("that is refused, since the key was used, proves nothing", async () => {
    const { client, provider } = simulated;
    await provider.admin.config({ idempotency: "reject-on-reuse" });
    const { request, reference } = wish({ submit: ["no-id-after"] });
    await client.submit(request, never);
    expect(await client.replay(request, never)).toMatchObject({ outcome: "ambiguous" });
    expect((await provider.admin.record({ reference })).jobs).toHaveLength(1);
  });
});
