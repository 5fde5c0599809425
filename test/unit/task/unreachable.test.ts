// A word that no type allows: from a newer database, or from an adapter that is wrong. Nothing is decided upon it.
import { expect, test } from "@jest/globals";
import { isAllowed } from "../../../operator/task/allowed.ts";
import { decide } from "../../../operator/task/decide/decide.ts";
import { explain } from "../../../operator/task/explain.ts";
import { judgeClaim } from "../../../operator/task/judge/claim.ts";
import { judgeFetch } from "../../../operator/task/judge/fetch.ts";
import { judgeQuery } from "../../../operator/task/judge/query.ts";
import { judgeSearch } from "../../../operator/task/judge/search.ts";
import { judgeSubmit } from "../../../operator/task/judge/submit.ts";
import { judgeLateClaim, judgeLateLook, judgeLateQuery } from "../../../operator/task/late.ts";
import type { LateIn } from "../../../operator/task/late.ts";
import { phaseOf } from "../../../operator/task/phase.ts";
import { rejectionOf } from "../../../operator/task/rejection.ts";
import { unreachable } from "../../../operator/task/unreachable.ts";
import { endOfVanished } from "../../../operator/task/vanished.ts";
import { JOB, NOON, accepted, ready, record, seen, sent, settings, spec, task, unknown } from "../../builders/seen.ts";

const OUTCOME = { outcome: "odd", url: "https://signed.example/?key=secret" } as never;
const JOB_IN_ODD_STATE = { outcome: "job", state: "odd", outputs: [] } as never;
const ODD_ATTEMPT = { ...sent(), state: "odd" } as never;
const ODD_PROVIDER = { state: "odd" } as never;
const { id, held, model, number, provider, sentAt } = sent();
const GIVEN = { attempt: { id, held, model, number, provider, sentAt }, begunAt: NOON, looks: 0 };
const searching: LateIn<"searching"> = { ...GIVEN, state: "searching", claim: { jobId: JOB, looks: 0 } };
const found: LateIn<"found"> = {
  ...GIVEN,
  state: "found",
  ...{ jobId: JOB, foundAt: NOON, cancelAskedAt: undefined, missing: 0 },
};
const asked = { late: found, settings: settings(), now: NOON };
const claimed = { attempt: sent(), claim: { jobId: JOB, by: "person", looks: 0 } } as const;
const looked = { attempt: unknown(), method: "list", settings: settings() } as const;
const parked = record({ parked: { reason: "SubmitUnresolved", message: "m", at: NOON } });
const oddPolicy = task({ spec: { ...spec(), unknownPolicy: "odd" as never } });
const oddDecision = task({ spec: { ...spec(), resolution: { attempt: 1, decision: "odd" as never } } });

test.each<{ readonly of: string; readonly run: () => unknown }>([
  { of: "the answer to a submit", run: () => judgeSubmit(seen(), sent(), OUTCOME, 0) },
  { of: "the answer to a look", run: () => judgeSearch(seen(), looked, OUTCOME, 0) },
  { of: "the answer to a query", run: () => judgeQuery(seen(), accepted(), OUTCOME, 0) },
  { of: "the state of a job", run: () => judgeQuery(seen(), accepted(), JOB_IN_ODD_STATE, 0) },
  { of: "the end of a fetch", run: () => judgeFetch(seen(), { attempt: ready(), settings: settings() }, OUTCOME, 0) },
  { of: "the answer to a claim", run: () => judgeClaim(seen(), claimed, OUTCOME, 0) },
  { of: "the answer to a late look", run: () => judgeLateLook(searching, "list", OUTCOME, 0) },
  { of: "the answer to a late claim", run: () => judgeLateClaim(searching, OUTCOME, 0) },
  { of: "the answer to a late query", run: () => judgeLateQuery(asked, OUTCOME, 0) },
  { of: "the state of a late job", run: () => judgeLateQuery(asked, JOB_IN_ODD_STATE, 0) },
  { of: "the state of an attempt", run: () => decide(seen({ attempt: ODD_ATTEMPT })) },
  { of: "the state of an attempt that is shown", run: () => phaseOf(seen({ attempt: ODD_ATTEMPT })) },
  { of: "the state of a vanished object's attempt", run: () => endOfVanished(seen({ attempt: ODD_ATTEMPT })) },
  { of: "spec.unknownPolicy", run: () => decide(seen({ attempt: unknown(), task: oddPolicy })) },
  { of: "spec.resolution", run: () => decide(seen({ attempt: unknown(), record: parked, task: oddDecision })) },
  { of: "the state of a provider", run: () => rejectionOf(seen({ provider: ODD_PROVIDER })) },
  { of: "the state of a provider that is told", run: () => explain(seen({ provider: ODD_PROVIDER }), "Pending") },
  { of: "the kind of allowed namespaces", run: () => isAllowed({ from: "odd" as never }, "studio", () => ({})) },
])("$of that nobody knows is refused loudly, and named by its word alone", ({ run }) => {
  expect(run).toThrow(/^unreachable value: odd$/);
});

test.each([undefined, null, { secret: "s" }])("%j, which is no word, is refused as well", (value) => {
  expect(() => unreachable(value as never)).toThrow(/^unreachable value: (undefined|null)$/);
});
