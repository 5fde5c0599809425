// The OpenAPI document, made from the routes and their schemas: what is checked is what is told.
import { z } from "zod";
import { LIST_TYPE } from "../../operator/task/rule.ts";
import { PROBLEMS, PROBLEM_TYPE, type ProblemCode } from "../problems.ts";
import { route, type Reply, type Route } from "./route.ts";

type Json = Readonly<Record<string, unknown>>;

/** What every route may answer, and every route with a caller, with parameters, or with a body. */
const ALWAYS: readonly ProblemCode[] = ["header-too-large", "internal", "overloaded"];
const WITH_CALLER: readonly ProblemCode[] = [
  ...(["unauthenticated", "forbidden", "namespace-missing", "invalid-request"] as const),
  ...(["too-many-requests", "cluster-unavailable"] as const),
];
const WITH_BODY: readonly ProblemCode[] = ["invalid-json", "body-too-large", "unsupported-media-type", "invalid-body"];

/** The route that serves the document, of itself and the others. */
export function documentRoute(routes: readonly Route[], version: string): Route {
  const made: { document?: Json } = {};
  const self: Route = route({
    method: "GET",
    path: "/openapi.json",
    id: "getDocument",
    summary: "This document.",
    access: undefined,
    replies: [{ status: 200, description: "OpenAPI 3.1.", schema: z.looseObject({}) }],
    problems: [],
    handle: () => {
      made.document ??= documentOf([...routes, self], version);
      return Promise.resolve({ status: 200, body: made.document });
    },
  });
  return self;
}

export function documentOf(routes: readonly Route[], version: string): Json {
  const schemas: Record<string, unknown> = { Problem: schemaOf(ProblemBody, "output", {}) };
  const paths: Record<string, Record<string, unknown>> = {};
  for (const one of routes) {
    (paths[one.path] ??= {})[one.method.toLowerCase()] = operationOf(one, schemas);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Generation tasks",
      version,
      description: "The REST face of the generation operator. Errors are RFC 9457 problems.",
    },
    servers: [{ url: "/" }],
    paths,
    components: {
      schemas,
      securitySchemes: { token: { type: "http", scheme: "bearer", description: "A token of the cluster." } },
    },
  };
}

const ProblemBody = z.strictObject({
  type: z.string().describe("The name of the problem."),
  title: z.string().describe("The problem in general."),
  status: z.int().describe("The status of the answer."),
  detail: z.string().describe("This one, and the way out."),
  instance: z.string().describe("The request, as the log names it."),
  code: z.enum(Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]).describe("The problem, for programs."),
  errors: z
    .array(
      z.strictObject({
        pointer: z.string().describe("A JSON pointer into the body."),
        detail: z.string().describe("Why."),
      }),
    )
    .optional()
    .describe("The fields of the body that are at fault."),
});

function operationOf(one: Route, schemas: Record<string, unknown>): Json {
  const { access, body, id, summary } = one;
  return {
    operationId: id,
    summary,
    security: access === undefined ? [] : [{ token: [] }],
    parameters: parametersOf(one),
    ...(body && {
      requestBody: { required: true, content: { "application/json": { schema: schemaOf(body, "input", schemas) } } },
    }),
    responses: { ...Object.fromEntries(one.replies.map((reply) => responseOf(reply, schemas))), ...problemsOf(one) },
  };
}

function parametersOf({ access, headers, params, query }: Route): readonly Json[] {
  const namespace = {
    name: "X-Genop-Namespace",
    in: "header",
    required: false,
    description: "The namespace that is meant. Default: the one that the token's service account lives in.",
    schema: { type: "string", maxLength: 63, pattern: "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$" },
  };
  return [...of("path", params), ...of("query", query), ...of("header", headers), ...(access ? [namespace] : [])];
}

function of(place: "header" | "path" | "query", shape: z.ZodObject | undefined): readonly Json[] {
  return Object.entries(shape?.shape ?? {}).map(([name, schema]) => {
    const { description, required, ...rest } = schemaOf(schema as z.ZodType, "input", {}) as Record<string, unknown>;
    const isRequired = place === "path" || required === true;
    return { name, in: place, required: isRequired, description, schema: rest };
  });
}

function responseOf(
  { description, headers, mediaType = "application/json", schema, status }: Reply,
  schemas: Record<string, unknown>,
): [string, Json] {
  const told = Object.entries(headers ?? {}).map(([name, meaning]) => [
    name,
    { description: meaning, schema: { type: "string" } },
  ]);
  return [
    String(status),
    {
      description,
      ...(told.length > 0 && { headers: Object.fromEntries(told) as Json }),
      ...(schema && { content: { [mediaType]: { schema: schemaOf(schema, "output", schemas) } } }),
    },
  ];
}

function problemsOf(one: Route): Json {
  const codes = new Set<ProblemCode>([
    ...ALWAYS,
    ...(one.access ? WITH_CALLER : []),
    ...(one.body ? WITH_BODY : []),
    ...one.problems,
  ]);
  const byStatus = Map.groupBy(codes, (code) => PROBLEMS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, some]) => [
      String(status),
      {
        description: some.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(" "),
        content: { [PROBLEM_TYPE]: { schema: { $ref: "#/components/schemas/Problem" } } },
      },
    ]),
  );
}

/** As OpenAPI 3.1 wants it; schemas with an id become components. */
function schemaOf(schema: z.ZodType, io: "input" | "output", schemas: Record<string, unknown>): unknown {
  const json = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ jsonSchema }) => forgetRules(jsonSchema as Record<string, unknown>),
  });
  for (const [name, definition] of Object.entries(json.$defs ?? {})) schemas[name] ??= referring(definition);
  const id = schema.meta()?.id;
  if (typeof id !== "string") return referring(json);
  schemas[id] ??= referring(json);
  return { $ref: `#/components/schemas/${id}` };
}

/** Rules of the API server are no words of OpenAPI; that a list is a set can be said in its own. */
function forgetRules(json: Record<string, unknown>): void {
  if (json[LIST_TYPE] === "set") json.uniqueItems = true;
  for (const key of Object.keys(json)) if (key.startsWith("x-kubernetes-")) Reflect.deleteProperty(json, key);
}

/** Without what the document has elsewhere: definitions, the dialect, the name. */
function referring(json: object): unknown {
  const rest = Object.entries(json).filter(([key]) => !["$defs", "$schema", "id"].includes(key));
  const text = JSON.stringify(Object.fromEntries(rest));
  return JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/')) as unknown;
}
