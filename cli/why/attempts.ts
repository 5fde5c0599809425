// One attempt in words: what was asked of the provider, what came of it, and what its end proves. Pure.
import type { EndReason } from "../../operator/task/attempt.ts";
import { duration } from "../output/quantities.ts";
import { printable } from "../output/terminal.ts";
import type { AttemptEvidence } from "./evidence.ts";

/** Told once beside the absence of attempts. */
export const EVIDENCE_WORDS = "they come from the evidence service: docs/guide/kubectl-genop.md says how to reach it";

/** What an end proves, and whether it was paid for: what decides whether another attempt could pay twice. */
export const END_WORDS: Readonly<Record<EndReason, string>> = {
  Succeeded: "its outputs are published",
  NotCreated: "proved never created: another attempt cannot pay twice",
  Refused: "refused before anything was created: it would be refused again",
  JobFailed: "the job ran and failed at the provider",
  OutputsUnusable: "the job ran, and its outputs could not be had or failed verification",
  JobLost: "the provider no longer knows the job that it had accepted",
  Cancelled: "cancelled",
  WrittenOff: "given up while nobody knew whether a job exists: one may be there, and may be billed",
  Orphaned: "let go while it ran: its job may still run, and is charged as estimated",
};

const MAX_CALLS = 5;

export function attemptLines(attempt: AttemptEvidence, now: Date): readonly string[] {
  const { id, number, state } = attempt;
  const details = [
    ...(attempt.jobID === undefined ? [] : [`job ${printable(attempt.jobID)}`]),
    ...EVIDENCE.map((told) => told(attempt, now)).filter((words) => words !== undefined),
    ...moneyOf(attempt),
    ...callsOf(attempt, now),
  ];
  return [
    `#${number} ${outcomeOf(attempt, now)}`,
    `   ${state}, reference ${id}`,
    ...details.map((line) => `   ${line}`),
  ];
}

function outcomeOf({ begunAt, endedAt, reason }: AttemptEvidence, now: Date): string {
  if (endedAt === undefined) return `live, begun ${since(begunAt, now)} ago`;
  const known = reason !== undefined && Object.hasOwn(END_WORDS, reason) ? END_WORDS[reason as EndReason] : "ended";
  return `${reason ?? "Ended"} after ${duration(Date.parse(endedAt) - Date.parse(begunAt))}: ${known}`;
}

type Told = (attempt: AttemptEvidence, now: Date) => string | undefined;

const whileLive = (time: (attempt: AttemptEvidence) => string | undefined, words: string): Told => {
  return (attempt, now) => {
    const from = attempt.state === "ended" ? undefined : time(attempt);
    return from === undefined ? undefined : `${words} for ${since(from, now)}`;
  };
};

/** What is known of a job whose existence is, or was, in doubt; and what goes on with one that runs. */
const EVIDENCE: readonly Told[] = [
  ({ ambiguityCode: code }) => (code === undefined ? undefined : `no clear answer to the submit: ${printable(code)}`),
  ({ takenAt }) =>
    takenAt === undefined ? undefined : "the provider said that it took the submit, and not as which job",
  ({ looks, misses }) => (looks === 0 ? undefined : `looked for ${times(looks)}, not there ${times(misses)} in a row`),
  whileLive(({ missingSince }) => missingSince, "unknown to the provider"),
  whileLive(({ emptySince }) => emptySince, "completed without outputs"),
  whileLive(({ expiredSince }) => expiredSince, "its outputs are gone"),
  ({ cancelAskedAt }) => (cancelAskedAt === undefined ? undefined : "the provider was asked to cancel"),
  ({ polls, progress, state }) => {
    const done = state === "accepted" && progress !== undefined ? `, ${progress} % done` : "";
    return polls === 0 ? undefined : `asked ${times(polls)}${done}`;
  },
  ({ late }) => {
    if (late === undefined) return undefined;
    if (late.jobID === undefined)
      return late.state === "over" ? "no job of it ever turned up" : "still looked for, in case a job turns up";
    const booked = late.booked === undefined ? "" : `; ${late.booked} booked as the platform's loss`;
    return `its job ${printable(late.jobID)} turned up late${late.verdict === undefined ? "" : `: ${printable(late.verdict)}`}${booked}`;
  },
  ({ fetches }) => (fetches === 0 ? undefined : `outputs fetched ${times(fetches)}`),
];

function moneyOf({ cost, held, loss, released, settled }: AttemptEvidence): readonly string[] {
  if (held === undefined) return [];
  const resolved =
    settled === undefined ? `${held} held` : `${held} was held: ${settled} paid, ${released ?? "0"} given back`;
  const billed = cost === undefined ? "" : `; the provider says it billed ${cost}`;
  return [`${resolved}${billed}${loss === undefined ? "" : `; ${loss} beyond the hold`}`];
}

function callsOf({ calls }: AttemptEvidence, now: Date): readonly string[] {
  return calls.slice(-MAX_CALLS).map(({ code, finishedAt, operation, outcome, startedAt }) => {
    const took =
      finishedAt === undefined
        ? "no answer recorded"
        : `took ${duration(Date.parse(finishedAt) - Date.parse(startedAt))}`;
    const words = [outcome, code]
      .filter((one) => one !== undefined)
      .map(printable)
      .join(" ");
    return `${operation} ${since(startedAt, now)} ago: ${words === "" ? took : `${words}, ${took}`}`;
  });
}

function since(time: string, now: Date): string {
  return duration(now.getTime() - Date.parse(time));
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}
