// The page that `why` prints: facts in, lines out. Pure. It shows no input: a prompt is nobody's business but its owner's.
import { creditsOf } from "./money.ts";
import { EVIDENCE_WORDS, attemptLines } from "./attempts.ts";
import { isFinal, type Phase } from "../../operator/task/phase.ts";
import type { SeenEvent } from "../cluster/kinds.ts";
import { duration, size } from "../output/quantities.ts";
import { columns } from "../output/table.ts";
import { printable, type Colour, type Paint } from "../output/terminal.ts";
import { adviceFor, type About, type Advice } from "./advice.ts";
import { isAbsent, timeOf, type Absent, type Facts } from "./facts.ts";
import { staysOf } from "./phases.ts";
import { deadlineOf, waitOf } from "./waits.ts";

export function whyPage(facts: Facts, paint: Paint): readonly string[] {
  const sections = [
    head(facts, paint),
    section("Phases", phases(facts), paint),
    section("Attempts", attempts(facts), paint),
    section("Decisions", decisions(facts), paint),
    section("Assets", assets(facts), paint),
    section("Provider", provider(facts), paint),
    section("Events", events(facts), paint),
  ];
  return sections.filter((lines) => lines.length > 0).flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
}

/** Enough for any task that goes an ordinary way. */
const MAX_EVENTS = 20;
const WIDTH = 100;
const INDENT = 12;

export function aboutOf({ evidence, task: { metadata, spec, status } }: Facts): About {
  const attempt = isAbsent(evidence) ? undefined : evidence.attempts.at(-1);
  return {
    name: metadata.name,
    namespace: metadata.namespace,
    phase: status.phase ?? "Pending",
    reason: status.reason,
    provider: spec.providerRef?.name ?? "NAME",
    jobID: status.providerJobID ?? attempt?.jobID,
    attemptID: attempt?.id,
  };
}

/** What has to be done, also for programs. */
export function nextOf(facts: Facts): Advice {
  if (facts.task.status.phase !== undefined) return adviceFor(aboutOf(facts));
  return {
    sentence:
      "Nothing, if it was made just now: the operator has not looked at it yet. If that stays so, nobody leads: look at the operator's pods and its lease.",
    commands: ["kubectl get lease,pods -n genop-system"],
  };
}

const COLOURS: Readonly<Partial<Record<Phase, Colour>>> = {
  Succeeded: "green",
  Failed: "red",
  Rejected: "red",
  NeedsReview: "yellow",
  SubmitUnknown: "yellow",
};

function head(facts: Facts, paint: Paint): readonly string[] {
  const { metadata, spec, status } = facts.task;
  const { commands, sentence } = nextOf(facts);
  const { phase = "Pending", reason } = status;
  const deleting = metadata.deletionTimestamp === undefined ? "" : ", being deleted";
  return [
    ...field("Task", `${metadata.namespace}/${metadata.name}${deleting}`),
    ...field("For", printable(`model ${spec.model ?? "?"} of provider ${spec.providerRef?.name ?? "?"}`)),
    ...field(
      "Phase",
      `${paint(phase, COLOURS[phase] ?? "bold")}${sinceWhen(facts)}${reason === undefined ? "" : `: ${reason}`}`,
    ),
    ...(status.message === undefined ? [] : field("", printable(status.message))),
    ...waiting(facts),
    ...field("Next", sentence),
    ...commands.map((command) => `${" ".repeat(INDENT + 2)}${paint(command, "bold")}`),
    ...field("Money", creditsOf(facts)),
  ];
}

function sinceWhen(facts: Facts): string {
  const stay = staysOf(facts).at(-1);
  if (stay?.phase !== (facts.task.status.phase ?? "Pending")) return "";
  return isFinal(stay.phase)
    ? ` ${ago(stay.from, facts.now)}`
    : ` for ${duration(facts.now.getTime() - stay.from.getTime())}`;
}

function waiting(facts: Facts): readonly string[] {
  const wait = waitOf(facts);
  if (!wait) return [];
  const deadline = deadlineOf(facts);
  const until = wait.until === undefined ? "" : `; next ${when(wait.until, facts.now)}`;
  const end = deadline === undefined ? "" : `; it fails by itself ${when(deadline, facts.now)} if it has not ended`;
  return field("Waits for", `${wait.what}${until}${end}`);
}

function when(time: Date, now: Date): string {
  const aheadMs = time.getTime() - now.getTime();
  return aheadMs > 0 ? `in ${duration(aheadMs)} (${clock(time)})` : `now (due since ${clock(time)})`;
}

function ago(time: Date, now: Date): string {
  return `${duration(now.getTime() - time.getTime())} ago`;
}

/** In UTC, so that two people who compare notes mean the same. */
function clock(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

/** A name, and words that are wrapped beside it. */
function field(name: string, words: string): readonly string[] {
  return wrapped(words, WIDTH - INDENT).map((line, index) => (index === 0 ? name : "").padEnd(INDENT) + line);
}

function wrapped(words: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of words.split(" ")) {
    if (line !== "" && line.length + word.length >= width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

function section(title: string, lines: readonly string[], paint: Paint): readonly string[] {
  return lines.length === 0 ? [] : [paint(title, "bold"), ...lines.map((line) => `  ${line}`)];
}

function unless(fact: object, show: () => readonly string[]): readonly string[] {
  return isAbsent(fact) ? notShown(fact) : show();
}

function notShown({ absent }: Absent): readonly string[] {
  return [`not shown: ${printable(absent)}`];
}

function phases(facts: Facts): readonly string[] {
  const stays = staysOf(facts);
  return columns(
    stays.map(({ from, phase, until }) => {
      const tookMs = (until ?? facts.now).getTime() - from.getTime();
      const took =
        until === undefined && isFinal(phase) ? "" : `${duration(tookMs)}${until === undefined ? " so far" : ""}`;
      return [phase, clock(from), took];
    }),
  ).map((line) => line.trimEnd());
}

function attempts({ evidence, now }: Facts): readonly string[] {
  if (isAbsent(evidence)) return [...notShown(evidence), EVIDENCE_WORDS];
  if (evidence.attempts.length === 0) return ["none yet"];
  return evidence.attempts.flatMap((attempt) => attemptLines(attempt, now));
}

/** What people decided, and what the operator has carried out. */
function decisions({ evidence, now }: Facts): readonly string[] {
  if (isAbsent(evidence)) return [];
  return columns(
    evidence.decisions.map(({ at, attempt, by = "somebody", decision, jobID, note }) =>
      [
        ago(new Date(at), now),
        `${decision} of attempt ${attempt}${jobID === undefined ? "" : `: job ${jobID}`}`,
        `by ${by}${note === undefined ? "" : `: ${note}`}`,
      ].map(printable),
    ),
  );
}

function assets({ task: { status } }: Facts): readonly string[] {
  const rows = (status.assets ?? []).map(({ bytes, mediaType, name }) => [name, mediaType, size(bytes)].map(printable));
  return columns(rows);
}

/** Only what is wrong with it: a provider that is well says nothing about this task. */
function provider({ provider: found, task: { status } }: Facts): readonly string[] {
  const { phase = "Pending" } = status;
  if (isFinal(phase) || (isAbsent(found) && phase !== "Pending")) return [];
  return unless(found, () => {
    if (isAbsent(found)) return [];
    const wrong = found.status.conditions.filter(({ status: truth }) => truth === "False");
    return wrong.map(({ message, reason, type }) => printable(`${type} is False: ${reason}: ${message}`));
  });
}

function events({ events: found, now }: Facts): readonly string[] {
  return unless(found, () =>
    isAbsent(found) ? [] : columns(found.slice(-MAX_EVENTS).map((event) => rowOf(event, now))),
  );
}

function rowOf(event: SeenEvent, now: Date): readonly string[] {
  const times = event.series?.count ?? event.deprecatedCount ?? 1;
  const note = `${printable(event.note)}${times > 1 ? ` (${times} times)` : ""}`;
  return [ago(new Date(timeOf(event)), now), printable(event.type), printable(event.reason), note];
}
