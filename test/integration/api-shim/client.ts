// A plain HTTP client of the shim, for tests: answers are values, whatever their status.
import { request } from "undici";
import { limit } from "./fixture.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As JSON; undefined when there is none. */
  readonly body: Readonly<Record<string, unknown>> & { readonly code?: string; readonly id?: string };
}

export interface Asked {
  readonly token?: string | undefined;
  readonly key?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

type Method = "DELETE" | "GET" | "POST";

export async function ask(url: string, method: Method, path: string, asked: Asked = {}): Promise<Answer> {
  const { body, headers, key, token } = asked;
  const answer = await request(`${url}${path}`, {
    method,
    signal: limit(),
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(key !== undefined && { "idempotency-key": key }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: (text === "" ? {} : JSON.parse(text)) as Answer["body"],
  };
}

/** The least that makes a task. */
export const WISH = {
  providerRef: { name: "simulated" },
  model: "sim-image",
  input: { prompt: "a quiet harbour at sunrise" },
} as const;
