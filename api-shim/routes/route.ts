// What a route is: data that the server, the OpenAPI document and the tests all read. The handler gets only what the schemas let
// through, and answers by a value or a Problem; it never sees the connection.
import type { IncomingHttpHeaders } from "node:http";
import type { z } from "zod";
import type { Caller } from "../access/door.ts";
import type { Action } from "../../operator/access/permissions.ts";
import type { Following } from "../events/stream.ts";
import type { ProblemCode } from "../problems.ts";

export interface Asked<Params, Query, Headers, Body> {
  readonly caller: Caller;
  readonly params: Params;
  readonly query: Query;
  readonly headers: Headers;
  readonly body: Body;
  /** The body as it came, before defaults. */
  readonly given: unknown;
  /** Ends with the time that a request may take; neither when the client goes away, nor when the process stops, which waits for it. */
  readonly signal: AbortSignal;
}

export type Answer =
  | {
      readonly status: number;
      /** As JSON. */
      readonly body?: unknown;
      /** As it is, in place of a body. */
      readonly content?: { readonly mediaType: string; readonly bytes: Buffer };
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly stream: Following };

export interface Reply {
  readonly status: number;
  readonly description: string;
  readonly schema?: z.ZodType;
  readonly mediaType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Described {
  readonly method: "DELETE" | "GET" | "POST";
  /** With `{name}` for parameters. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  /** Undefined: for everybody, without a token. */
  readonly access: Action | undefined;
  readonly replies: readonly Reply[];
  /** Beyond those that every route can have. */
  readonly problems: readonly ProblemCode[];
}

type Shape = z.ZodObject;
type Out<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

export interface Route extends Described {
  readonly params: Shape | undefined;
  readonly query: Shape | undefined;
  readonly headers: Shape | undefined;
  readonly body: z.ZodType | undefined;
  readonly handle: (asked: Asked<unknown, unknown, unknown, unknown>) => Promise<Answer>;
}

interface Typed<P, Q, H, B> extends Described {
  readonly params?: P;
  readonly query?: Q;
  readonly headers?: H;
  readonly body?: B;
  readonly handle: (asked: Asked<Out<P>, Out<Q>, Out<H>, Out<B>>) => Promise<Answer>;
}

/** Ties the handler's types to the schemas. */
export function route<
  P extends Shape | undefined = undefined,
  Q extends Shape | undefined = undefined,
  H extends Shape | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>({ handle, ...rest }: Typed<P, Q, H, B>): Route {
  const { body, headers, params, query } = rest;
  // The server hands over what the schemas gave: nothing else is read.
  return { ...rest, body, headers, params, query, handle: handle as Route["handle"] };
}

/** The values of these headers, as far as they were sent. */
export function headersFor(shape: Shape, sent: IncomingHttpHeaders): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.keys(shape.shape).flatMap((name) => {
      const value = sent[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
