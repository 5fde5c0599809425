import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { LABEL_VALUES } from "../../operator/observe/label-values.ts";
import { FAULTS } from "../../operator/postgres/faults.ts";
import { judgeSubmit } from "../../operator/providers/submit.ts";
import { ROOT, bare, filesBelow, readText, rowsWith } from "./markdown.ts";

const PAGE = readText("docs/reference/faults.md");
const sorted = (values: Iterable<string>): readonly string[] => [...new Set(values)].sort();

const sourcesOf = (folder: string): readonly string[] => filesBelow(join(ROOT, "operator", folder), ".ts");

/** Where code words are made. */
const MAKERS = [
  ...["outbound", "providers", "artifacts"].flatMap(sourcesOf),
  "operator/postgres/claims.ts",
  "operator/postgres/submit.ts",
  "operator/reconcile/calls.ts",
  "operator/task/judge/submit.ts",
  "operator/wiring/usage.ts",
];
const MADE = MAKERS.map((path) => readText(path).replace(/^(import|\/\/| \*|\/\*\*).*$/gm, "")).join("\n");

/** Words with a hyphen in these sources that are no codes. */
const OTHER_WORDS: ReadonlySet<string> = new Set([
  ...Object.values(LABEL_VALUES).flat(),
  ...["accept-encoding", "content-encoding", "content-length", "content-range", "content-type", "keep-alive"],
  ...[
    "elevenlabs-signature",
    "svix-id",
    "request-id",
    "user-id",
    "webhook-id",
    "webhook-signature",
    "webhook-timestamp",
    "x-fal-webhook-NNN",
  ],
  ...["authorization-sha256", "proxy-authorization", "retry-after", "transfer-encoding", "user-agent"],
  ...["not-allowed", "not-ready", "mpeg-audio", "utf-8", "generation-operator", "output-NNN"],
]);

/** `status-${x}` and `status-401` are both `status-NNN`; a replay repeats the code of its submit. */
function plain(word: string): string {
  const code = word.replace("${outcome.code}", "status-NNN").replace(/\$\{[^}]*\}/, "NNN");
  return code.replace(/\b[0-9]{1,3}$/, "NNN").replace("utf-NNN", "utf-8");
}

/** Where words without a hyphen are made, and in which form. */
const SINGLE_WORDS: readonly { readonly in: string; readonly form: RegExp }[] = [
  { in: "operator/outbound/fault.ts", form: /\["[A-Za-z_]+", "([a-z]+)"\]/g }, // the network's errors
  { in: "operator/outbound/fault.ts", form: /\?\? "([a-z]+)"/g },
  { in: "operator/outbound/fault.ts", form: /\| "([a-z]+)"/g },
  { in: "operator/artifacts/pace.ts", form: /return "(stalled|[a-z]+-[a-z]+)"/g },
  ...MAKERS.flatMap((path) => [
    { in: path, form: /\b(?:interrupted|cut|Interruption|AnswerFault)\("([a-z]+)"/g },
    { in: path, form: /\bcutIn\([^,]+, "([a-z]+)"/g },
    { in: path, form: /"aborted" : "([a-z]+)"/g },
  ]),
];

function codesInCode(): readonly string[] {
  const hyphenated = [...MADE.matchAll(/["`]((?:[a-z]+-)+(?:[a-z0-9]+|\$\{[^}]*\}))["`]/g)].map(([, word = ""]) =>
    plain(word),
  );
  const single = SINGLE_WORDS.flatMap((made) =>
    [...readText(made.in).matchAll(made.form)].map(([, word = ""]) => word),
  );
  return sorted([...hyphenated, ...single].filter((word) => !OTHER_WORDS.has(word)));
}

/** Event to its levels, from every call of a log. */
function eventsInCode(): Readonly<Record<string, string>> {
  const text = sourcesOf("").map(readText).join("\n");
  const calls = [...text.matchAll(/\blog\(([^;{]*"[a-z]+\.[a-z-]+")/g)].map(([, call = ""]) => call);
  const events = new Map<string, Set<string>>();
  for (const call of calls) {
    const levels = [...call.matchAll(/"(debug|info|warn|error)"/g)].map(([, level = ""]) => level);
    for (const [, event = ""] of call.matchAll(/"([a-z]+\.[a-z-]+)"/g)) {
      events.set(event, new Set([...(events.get(event) ?? []), ...levels]));
    }
  }
  return Object.fromEntries([...events].map(([event, levels]) => [event, sorted(levels).join(", ")]));
}

describe("docs/reference/faults.md", () => {
  test("has every fault of the database with its message, and no other", () => {
    const rows = rowsWith(PAGE, ["code", "message", "what a person does"]);
    expect(Object.fromEntries(rows.map(({ code, message }) => [bare(code), message]))).toEqual(FAULTS);
  });

  test("has every SQLSTATE of the schema, and no other", () => {
    const files = filesBelow(join(ROOT, "operator", "postgres", "migrations"), ".sql");
    const raised = files.flatMap((path) => [...readText(path).matchAll(/errcode = '(GN[0-9]{3})'/g)]);
    const told = rowsWith(PAGE, ["SQLSTATE", "refused"]).map(({ SQLSTATE }) => bare(SQLSTATE));
    expect(sorted(told)).toEqual(sorted(raised.map(([, state = ""]) => state)));
  });

  test("has every outcome of a call, and no other", () => {
    const told = rowsWith(PAGE, ["outcome", "of", "what it proves", "what follows"]).map(({ outcome }) =>
      bare(outcome),
    );
    expect(sorted(told)).toEqual(sorted(LABEL_VALUES.outcome));
    expect(told).toHaveLength(LABEL_VALUES.outcome.length);
  });

  test("has every code word, and no other", () => {
    const told = rowsWith(PAGE, ["code", "where", "meaning"]).map(({ code }) => bare(code));
    expect(sorted(told)).toEqual(codesInCode());
    expect(told).toHaveLength(new Set(told).size);
  });

  test("has every event of the log with its levels, and no other", () => {
    const told = rowsWith(PAGE, ["event", "level", "meaning"]);
    const levels = told.map(({ event, level = "" }) => [bare(event), sorted(level.split(", ")).join(", ")]);
    expect(Object.fromEntries(levels)).toEqual(eventsInCode());
  });

  test("says what each status of a submit proves", () => {
    const told = new Map<number, string>();
    for (const { status = "", outcome } of rowsWith(PAGE, ["status", "outcome"])) {
      if (/^[0-9 ]+$/.test(status)) status.split(" ").forEach((one) => told.set(Number(one), bare(outcome)));
    }
    for (let status = 300; status <= 599; status += 1) {
      expect([status, proof(status)]).toEqual([status, told.get(status) ?? "ambiguous"]);
    }
  });
});

const never = Object.assign((): unknown => undefined, { loops: 0 });

/** What a bare answer of this status proves by an adapter that reads nothing of it. */
function proof(status: number): string {
  const adapter = {
    submit: { method: "POST", path: never, body: never, jobID: never, rejected: undefined, reused: undefined },
  } as const;
  const query = { path: never, state: never, progress: never, outputs: never, cost: never, failure: never, ref: never };
  const whole = {
    ...adapter,
    query,
    webhook: undefined,
    lookUp: undefined,
    list: undefined,
    cancel: undefined,
    usage: undefined,
  };
  const ending = { ending: "answered", status, headers: {}, bytes: Buffer.from("{}"), flaw: undefined } as const;
  return judgeSubmit(whole, ending, {}, new Date(0)).outcome;
}
