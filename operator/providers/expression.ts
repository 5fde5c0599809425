// CEL as the provider adapters use it: every expression is type-checked against the variables of its place when the provider is
// compiled, and bounded in size. Evaluating reads values only; nothing in here does I/O.
import { Environment } from "@marcbachmann/cel-js";
import { loopsOf } from "./effort.ts";

export type Variables = Readonly<Record<string, unknown>>;

/** An expression that cannot be evaluated over these values. `code` is CEL's own word for why, such as "no_such_key". */
export class ExpressionFault extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`cannot evaluate the expression: ${code}`);
    this.name = "ExpressionFault";
    this.code = code;
  }
}

/** Evaluates, or throws an ExpressionFault. Integers are bigints, maps are plain objects or Maps. */
export interface Expression {
  (variables: Variables): unknown;
  /** See Effort. */
  readonly loops: number;
}

export type Compiled =
  | { readonly ok: true; readonly expression: Expression }
  /** Names the character (from 1) where that is known. */
  | { readonly ok: false; readonly message: string };

/** What an expression may yield; "dyn" (only known when it is evaluated) is always accepted. */
export type ResultType = "string" | "bool" | "list" | "map" | "int" | "uint" | "double" | "null" | "Timestamp";

const LIMITS = { maxAstNodes: 512, maxDepth: 32, maxListElements: 64, maxMapEntries: 64, maxCallArguments: 8 };

/** Where an expression stands: it decides what can be read there. */
export type Place =
  | "submit"
  | "submit answer"
  | "search"
  | "search answer"
  | "list item"
  | "job"
  | "job answer"
  | "webhook"
  | "usage"
  | "usage answer"
  | "usage line";

const ATTEMPT = { id: "string", webhookURL: "string" };
const SEARCHED = { ...ATTEMPT, number: "int", sentAt: "google.protobuf.Timestamp" };
const JOB = { ...ATTEMPT, number: "int", jobID: "string" };
const WHOLE_TASK = { model: "string", input: "map<string, dyn>", namespace: "string", name: "string", key: "string" };
const MODEL = { model: "string" };
const SEARCHED_TASK = { ...MODEL, input: "map<string, dyn>" };
const USAGE = { from: "google.protobuf.Timestamp", to: "google.protobuf.Timestamp" };
const RESPONSE = { status: "int", headers: "map<string, string>", body: "dyn" };

type Fields = Readonly<Record<string, string>>;

const PLACES: Readonly<Record<Place, Readonly<Record<string, Fields | "dyn">>>> = {
  submit: { task: WHOLE_TASK, attempt: ATTEMPT },
  "submit answer": { task: WHOLE_TASK, attempt: ATTEMPT, response: RESPONSE },
  search: { task: MODEL, attempt: SEARCHED },
  "search answer": { task: MODEL, attempt: SEARCHED, response: RESPONSE },
  "list item": { task: SEARCHED_TASK, attempt: SEARCHED, response: RESPONSE, item: "dyn" },
  job: { task: MODEL, attempt: JOB },
  webhook: { webhook: { headers: "map<string, string>", body: "dyn" } },
  "job answer": { task: MODEL, attempt: JOB, response: RESPONSE },
  usage: { usage: USAGE },
  "usage answer": { usage: USAGE, response: RESPONSE },
  "usage line": { usage: USAGE, response: RESPONSE, item: "dyn" },
};

const TYPE_NAMES: Readonly<Record<string, string>> = {
  task: "Task",
  attempt: "Attempt",
  response: "Response",
  webhook: "Webhook",
  usage: "Usage",
};

function makeEnvironment(place: Place): Environment {
  const environment = new Environment({ homogeneousAggregateLiterals: false, limits: LIMITS })
    .registerFunction("urlEncode(string): string", (text: string) => encodeURIComponent(text))
    .registerFunction("string(google.protobuf.Timestamp): string", (time: Date) => time.toISOString());
  for (const [name, fields] of Object.entries(PLACES[place])) {
    const type = fields === "dyn" ? "dyn" : (TYPE_NAMES[name] ?? "dyn");
    if (fields !== "dyn") environment.registerType(type, { fields: { ...fields } });
    environment.registerVariable(name, type);
  }
  return environment;
}

/** Compiles expressions for their places; makes each environment once. */
export interface Compiler {
  compile(source: string, place: Place, accepted: readonly ResultType[]): Compiled;
}

export function makeCompiler(): Compiler {
  const environments = new Map<Place, Environment>();
  const environmentOf = (place: Place): Environment => {
    const known = environments.get(place) ?? makeEnvironment(place);
    environments.set(place, known);
    return known;
  };
  return { compile: (source, place, accepted) => compile(environmentOf(place), source, accepted) };
}

function compile(environment: Environment, source: string, accepted: readonly ResultType[]): Compiled {
  const { valid, type = "dyn", error } = environment.check(source);
  if (!valid) return { ok: false, message: complaint(error) };

  const result = type.replace(/<.*/s, "").replace("google.protobuf.", "");
  if (result !== "dyn" && !accepted.some((name) => name === result))
    return { ok: false, message: `yields ${result}, and must yield ${accepted.join(" or ")}` };

  const run = environment.parse(source);
  const loops = loopsOf(run.ast);
  return { ok: true, expression: Object.assign((variables: Variables) => evaluate(run, variables), { loops }) };
}

function evaluate(run: (variables: Variables) => unknown, variables: Variables): unknown {
  try {
    return run(variables);
  } catch (error) {
    // CEL's message quotes the expression and may quote values: only its code goes on.
    const { code } = (error ?? {}) as { readonly code?: unknown };
    throw new ExpressionFault(typeof code === "string" ? code : "fault");
  }
}

/** What it yields; undefined when there is none, or it asks for what these values do not hold. */
export function valueOf(expression: Expression | undefined, variables: Variables): unknown {
  try {
    return expression?.(variables);
  } catch {
    return undefined;
  }
}

interface Complaint {
  readonly summary: string;
  readonly range?: { readonly start: number };
}

function complaint(error: Complaint | undefined): string {
  const at = error?.range ? `at character ${error.range.start + 1}: ` : "";
  return `${at}${error?.summary ?? "it cannot be read"}`;
}
