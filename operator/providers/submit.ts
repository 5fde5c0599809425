// What the end of a submit call proves. The table of evidence of docs/architecture.md, in code: whatever is not in it is ambiguous.
import type { SubmitOutcome } from "../task/outcome.ts";
import type { Adapter } from "./adapter.ts";
import { valueOf, type Expression, type Variables } from "./expression.ts";
import { fieldOf } from "./json.ts";
import { jobIdOf } from "./job-id.ts";
import { isLockedOut, isSuccess, replyOf, withReply, type Reply } from "./reply.ts";
import { retryAfterMs } from "./retry-after.ts";
import type { WireAnswer, WireEnding } from "./wire.ts";

// Statuses that say of themselves that the request was not carried out.
const REFUSED: ReadonlySet<number> = new Set([400, 404, 405, 410, 411, 413, 414, 415, 422, 431, 451]);

/** Judges by codes and statuses only. Pure. */
export function judgeSubmit(adapter: Adapter, ending: WireEnding, variables: Variables, now: Date): SubmitOutcome {
  if (ending.ending === "not-sent") return { outcome: "not-sent", code: ending.code };
  if (ending.ending === "lost") return ambiguous(ending.code);

  const reply = replyOf(ending);
  const seen = withReply(variables, reply);
  return (
    reused(adapter.submit.reused, reply, seen) ??
    documented(adapter.submit.rejected, reply, seen, now) ??
    (isSuccess(reply) ? accepted(adapter.submit.jobID, ending, reply, seen) : byStatus(reply, now))
  );
}

const ambiguous = (code: string): SubmitOutcome => ({ outcome: "ambiguous", code });

function accepted(jobID: Expression, answer: WireAnswer, reply: Reply, seen: Variables): SubmitOutcome {
  if (answer.flaw !== undefined) return ambiguous(answer.flaw);
  if (answer.bytes?.length === 0) return ambiguous("empty-answer");
  if (reply.body === undefined) return ambiguous("unreadable-answer");
  const jobId = jobIdOf(valueOf(jobID, seen));
  return jobId === undefined ? ambiguous("no-job-id") : { outcome: "accepted", jobId };
}

function byStatus(reply: Reply, now: Date): SubmitOutcome {
  const code = `status-${reply.status}`;
  if (reply.status === 429) return { outcome: "throttled", code, retryAfterMs: retryAfterMs(reply, now) };
  const content = isContentRefusal(reply);
  if (REFUSED.has(reply.status) || (reply.status === 403 && content)) return { outcome: "refused", code, content };
  return isLockedOut(reply) ? { outcome: "locked-out", code } : ambiguous(code);
}

// Never asked where a job may have been made although the status says otherwise.
const mayBeDocumented = ({ status }: Reply): boolean =>
  (status >= 200 && status <= 299) || (status >= 400 && status <= 499 && status !== 408);

/** That the key was used is said of a job that exists: whatever else the answer looks like. */
function reused(expression: Expression | undefined, reply: Reply, seen: Variables): SubmitOutcome | undefined {
  if (!expression || !mayBeDocumented(reply)) return undefined;
  const value = valueOf(expression, seen);
  if (value === true) return { outcome: "reused", jobId: undefined };
  const jobId = jobIdOf(value);
  return jobId === undefined ? undefined : { outcome: "reused", jobId };
}

/** What the provider's own documentation says of this answer, in the words of `rejected`. */
function documented(
  rejected: Expression | undefined,
  reply: Reply,
  seen: Variables,
  now: Date,
): SubmitOutcome | undefined {
  if (!rejected || !mayBeDocumented(reply)) return undefined;

  const code = isSuccess(reply) ? "documented-refusal" : `status-${reply.status}`;
  switch (valueOf(rejected, seen)) {
    case true:
    case "Refused":
      return { outcome: "refused", code, content: isContentRefusal(reply) };
    case "Content":
      return { outcome: "refused", code, content: true };
    case "Throttled":
      return { outcome: "throttled", code, retryAfterMs: retryAfterMs(reply, now) };
    case "LockedOut":
      return { outcome: "locked-out", code };
    default:
      return undefined;
  }
}

const CONTENT_CODES: ReadonlySet<unknown> = new Set([
  "content_policy",
  "content_policy_violation",
  "content_moderated",
  "content_filter",
  "content_filtered",
  "moderation_blocked",
  "moderated",
  "nsfw",
  "sensitive_content",
]);

/** Whether the refusal is about what was asked for, by the code words that providers use. */
function isContentRefusal({ body }: Reply): boolean {
  const error = fieldOf(body, "error");
  const detail = fieldOf(body, "detail");
  const words = [
    error,
    fieldOf(error, "code"),
    fieldOf(error, "type"),
    fieldOf(body, "code"),
    fieldOf(body, "error_type"),
    ...(Array.isArray(detail) ? detail.slice(0, 16).map((entry) => fieldOf(entry, "type")) : []),
  ];
  return words.some((word) => CONTENT_CODES.has(word));
}
