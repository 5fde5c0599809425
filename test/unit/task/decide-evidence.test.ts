// What an object's status and key say against what the books know: it forbids, and never permits (I6).
import { REASONS } from "../../../operator/task/reasons.ts";
import { NOON, accepted, ended, intended, record, seen, task } from "../../builders/seen.ts";
import { table } from "./decision-table.ts";

table("a status that shows more than is known", [
  {
    when: "a refused copy that is deleted and holds nothing is left alone",
    seen: seen({ record: record({ uid: "uid-0" }), task: task({ deletedAt: NOON, finalizer: false }) }),
    then: { type: "rest" },
  },
  {
    when: "an attempt without a phase is evidence as well",
    seen: seen({ task: task({ reported: { attempt: 1 } }) }),
    then: { type: "park", parked: { reason: "RecordMissing", message: REASONS.RecordMissing } },
  },
  {
    when: "a later attempt than the books have is evidence, although theirs has ended",
    seen: seen({ attempt: ended({ retryAt: NOON }), task: task({ reported: { attempt: 2, phase: "Polling" } }) }),
    then: { type: "park" },
  },
  {
    when: "a later attempt that came to its end before the books were lost is left as it is, where theirs has ended",
    seen: seen({ attempt: ended({ retryAt: NOON }), task: task({ reported: { attempt: 2, phase: "Succeeded" } }) }),
    then: { type: "rest" },
  },
  {
    when: "an attempt under the key of another object is evidence of that attempt",
    seen: seen({ task: task({ pinnedKey: "studio/uid-9", reported: { attempt: 1, phase: "Polling" } }) }),
    then: { type: "park", parked: { reason: "RecordMissing", message: REASONS.RecordMissing } },
  },
  {
    when: "evidence is not rejected for its provider: a person decides",
    seen: seen({ provider: { state: "not-allowed" }, task: task({ reported: { attempt: 1, phase: "Polling" } }) }),
    then: { type: "park" },
  },
  ...(["Submitting", "SubmitUnknown", "Polling", "Fetching"] as const).map((phase) => ({
    when: `an intent whose status says ${phase} was sent by somebody`,
    seen: seen({ attempt: intended(), task: task({ reported: { attempt: 1, phase } }) }),
    then: { type: "park" } as const,
  })),
  ...(["Pending", "NeedsReview", undefined] as const).map((phase) => ({
    when: `an intent whose status says ${phase ?? "nothing"} was sent by nobody`,
    seen: seen({ attempt: intended(), task: task({ reported: { attempt: 1, ...(phase && { phase }) } }) }),
    then: { type: "submit" } as const,
  })),
  {
    when: "an intent whose status shows a job was sent, whatever the phase",
    seen: seen({ attempt: intended(), task: task({ reported: { attempt: 1, phase: "Pending", providerJobID: "j" } }) }),
    then: { type: "park" },
  },
  {
    when: "what goes on further than its status shows is nobody's concern",
    seen: seen({ attempt: accepted(), task: task({ reported: { attempt: 1, phase: "Polling", providerJobID: "j" } }) }),
    then: { type: "poll" },
  },
  {
    when: "a person's word about an earlier attempt is none about this one",
    seen: seen({
      task: task({
        reported: { attempt: 2, phase: "Polling" },
        wish: { resolution: { attempt: 1, decision: "NotCreated" } },
      }),
    }),
    then: { type: "park" },
  },
  {
    when: "a person's write-off is no word that nothing was made",
    seen: seen({
      task: task({
        reported: { attempt: 1, phase: "Polling" },
        wish: { resolution: { attempt: 1, decision: "WriteOff" } },
      }),
    }),
    then: { type: "park" },
  },
  {
    when: "a restored object with an idempotency key of its own is the same wish, and begins",
    seen: seen({ task: task({ uid: "uid-2", pinnedKey: "studio/k", wish: { idempotencyKey: "k" } }) }),
    then: { type: "begin", key: "studio/k" },
  },
  {
    when: "the key of a namespace whose name only begins alike is a copy's",
    seen: seen({ task: task({ pinnedKey: "studio-2/uid-1" }) }),
    then: { type: "rest" },
  },
]);
