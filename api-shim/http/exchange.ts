// One request to one answer: who asks, what he asks, what the route says. Everything that is refused is thrown as a Problem.
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller, Door } from "../access/door.ts";
import { readParameters, readValue } from "./validate.ts";
import { headersFor, type Answer, type Asked, type Route } from "../routes/route.ts";

/** What the door found out, kept with the request while its body is read. */
const callers = new WeakMap<FastifyRequest, Caller>();

/** Before the body is read: a stranger's is never. */
export async function admit(door: Door, route: Route, request: FastifyRequest): Promise<void> {
  if (route.access === undefined) return;
  callers.set(request, await door.admit(request.raw.headers, route.access, nameIn(route, request)));
}

/** The id of the one task that is meant; undefined when there is none, or none that an object could have. */
function nameIn({ params }: Route, request: FastifyRequest): string | undefined {
  const read = params?.safeParse(request.params);
  return read?.success && typeof read.data.id === "string" ? read.data.id : undefined;
}

export async function answerOf(route: Route, request: FastifyRequest, signal: AbortSignal): Promise<Answer> {
  const { body, headers, params, query } = route;
  const asked: Omit<Asked<unknown, unknown, unknown, unknown>, "caller"> = {
    params: readParameters(params, request.params, "path's"),
    query: readParameters(query, request.query, "parameter"),
    headers: headers && readParameters(headers, headersFor(headers, request.raw.headers), "header"),
    body: readValue(body, request.body),
    given: request.body,
    signal,
  };
  const caller = callers.get(request) ?? NOBODY;
  return route.handle({ ...asked, caller });
}

/** Of routes for everybody, which look at no caller. */
const NOBODY: Caller = { identity: { username: "", uid: undefined, groups: [], extra: {} }, namespace: "" };

export type PlainAnswer = Exclude<Answer, { readonly stream: unknown }>;

export function send(reply: FastifyReply, { body, content, headers = {}, status }: PlainAnswer): void {
  void reply.code(status).headers(headers);
  if (content !== undefined) void reply.type(content.mediaType).send(content.bytes);
  else if (body === undefined) void reply.send();
  else void reply.type("application/json; charset=utf-8").send(JSON.stringify(body));
}
