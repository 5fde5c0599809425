// The declarative adapter: the `http` part of a GenerationProvider with every expression compiled for its place.
import type { HttpAdapterSpec } from "../task/provider-resource.ts";
import type { WebhookReader } from "./webhook/read.ts";
import { makeCompiler, type Expression, type Place, type ResultType } from "./expression.ts";

/** What is wrong with one field of a GenerationProvider. */
export interface Problem {
  /** `spec.http.query.path` */
  readonly field: string;
  readonly message: string;
}

export interface Adapter {
  readonly submit: {
    readonly method: HttpAdapterSpec["submit"]["method"];
    readonly path: Expression;
    readonly body: Expression;
    readonly jobID: Expression;
    readonly rejected: Expression | undefined;
    readonly reused: Expression | undefined;
  };
  readonly query: {
    readonly path: Expression;
    readonly state: Expression;
    readonly progress: Expression | undefined;
    readonly outputs: Expression | undefined;
    readonly cost: Expression | undefined;
    readonly failure: Expression | undefined;
    readonly ref: Expression | undefined;
  };
  readonly lookUp: { readonly path: Expression; readonly jobID: Expression } | undefined;
  readonly list:
    | {
        readonly path: Expression;
        readonly items: Expression;
        readonly jobID: Expression;
        readonly ref: Expression | undefined;
        readonly match: Expression | undefined;
        readonly next: Expression | undefined;
        readonly maxPages: number;
      }
    | undefined;
  readonly usage:
    | {
        readonly path: Expression;
        readonly items: Expression;
        readonly jobID: Expression;
        readonly amount: Expression;
        readonly billedAt: Expression;
        readonly ref: Expression | undefined;
        readonly next: Expression | undefined;
        readonly maxPages: number;
      }
    | undefined;
  readonly webhook: WebhookReader | undefined;
  readonly cancel: { readonly method: "POST" | "PUT" | "DELETE"; readonly path: Expression } | undefined;
}

/** An adapter is fit for use only if no problem was reported. */
export function compileAdapter(spec: HttpAdapterSpec, report: (problem: Problem) => void): Adapter {
  const { submit, query, lookUp, list, usage, cancel } = spec;
  const fields = makeFields(report);
  return {
    submit: {
      method: submit.method,
      path: fields.needed("submit.path", submit.path, "submit", TEXT),
      body: fields.needed("submit.body", submit.body, "submit", ["map", "list"]),
      jobID: fields.needed("submit.jobID", submit.jobID, "submit answer", ID),
      rejected: fields.optional("submit.rejected", submit.rejected, "submit answer", ["bool", "string"]),
      reused: fields.optional("submit.reused", submit.reused, "submit answer", ["bool", ...ID]),
    },
    query: {
      path: fields.needed("query.path", query.path, "job", TEXT),
      state: fields.needed("query.state", query.state, "job answer", TEXT),
      progress: fields.optional("query.progress", query.progress, "job answer", NUMBER),
      outputs: fields.optional("query.outputs", query.outputs, "job answer", ["list"]),
      cost: fields.optional("query.cost", query.cost, "job answer", ["string", ...NUMBER]),
      failure: fields.optional("query.failure", query.failure, "job answer", TEXT),
      ref: fields.optional("query.ref", query.ref, "job answer", [...TEXT, "null"]),
    },
    lookUp: lookUp && {
      path: fields.needed("lookUp.path", lookUp.path, "search", TEXT),
      jobID: fields.needed("lookUp.jobID", lookUp.jobID, "search answer", [...ID, "list", "null"]),
    },
    list: list && compileList(list, fields),
    usage: usage && compileUsage(usage, fields),
    webhook: spec.webhook && {
      signature: spec.webhook.signature,
      jobID: fields.optional("webhook.jobID", spec.webhook.jobID, "webhook", [...ID, "null"]),
    },
    cancel: cancel && { method: cancel.method, path: fields.needed("cancel.path", cancel.path, "job", TEXT) },
  };
}

function compileList(list: NonNullable<HttpAdapterSpec["list"]>, fields: FieldCompiler): NonNullable<Adapter["list"]> {
  return {
    path: fields.needed("list.path", list.path, "search", TEXT),
    items: fields.needed("list.items", list.items, "search answer", ["list"]),
    jobID: fields.needed("list.jobID", list.jobID, "list item", ID),
    ref: fields.optional("list.ref", list.ref, "list item", TEXT),
    match: fields.optional("list.match", list.match, "list item", ["bool"]),
    next: fields.optional("list.next", list.next, "search answer", [...TEXT, "null"]),
    maxPages: list.maxPages,
  };
}

function compileUsage(
  usage: NonNullable<HttpAdapterSpec["usage"]>,
  fields: FieldCompiler,
): NonNullable<Adapter["usage"]> {
  return {
    path: fields.needed("usage.path", usage.path, "usage", TEXT),
    items: fields.needed("usage.items", usage.items, "usage answer", ["list"]),
    jobID: fields.needed("usage.jobID", usage.jobID, "usage line", ID),
    amount: fields.needed("usage.amount", usage.amount, "usage line", ["string", ...NUMBER]),
    billedAt: fields.needed("usage.billedAt", usage.billedAt, "usage line", ["string", "Timestamp"]),
    ref: fields.optional("usage.ref", usage.ref, "usage line", [...TEXT, "null"]),
    next: fields.optional("usage.next", usage.next, "usage answer", [...TEXT, "null"]),
    maxPages: usage.maxPages,
  };
}

/** In the place of an expression with a problem, which is never evaluated. */
const UNUSABLE: Expression = Object.assign(() => undefined, { loops: 0 });

const TEXT: readonly ResultType[] = ["string"];
const ID: readonly ResultType[] = ["string", "int"];
const NUMBER: readonly ResultType[] = ["int", "double"];

interface FieldCompiler {
  needed(name: string, source: string, place: Place, accepted: readonly ResultType[]): Expression;
  optional(
    name: string,
    source: string | undefined,
    place: Place,
    accepted: readonly ResultType[],
  ): Expression | undefined;
}

function makeFields(report: (problem: Problem) => void): FieldCompiler {
  const compiler = makeCompiler();
  const needed: FieldCompiler["needed"] = (name, source, place, accepted) => {
    const compiled = compiler.compile(source, place, accepted);
    if (compiled.ok) return compiled.expression;
    report({ field: `spec.http.${name}`, message: compiled.message });
    return UNUSABLE;
  };
  return {
    needed,
    optional: (name, source, place, accepted) =>
      source === undefined ? undefined : needed(name, source, place, accepted),
  };
}
