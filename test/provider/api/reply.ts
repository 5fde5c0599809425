// What the provider means to answer, and in which broken way it gets onto the wire. Plain data: the wire is ../faults/wire.ts.

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How an answer leaves, if it does. */
export type Delivery =
  | { readonly how: "whole"; readonly reply: Reply; readonly afterMs?: number }
  | { readonly how: "dripped"; readonly reply: Reply; readonly overMs: number }
  | { readonly how: "truncated"; readonly reply: Reply }
  | { readonly how: "garbage" }
  | { readonly how: "reset" }
  | { readonly how: "close" }
  | { readonly how: "silence" };

export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(value) };
}

export function html(status: number, title: string): Reply {
  const body = `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`;
  return { status, headers: { "content-type": "text/html; charset=utf-8" }, body };
}

/** An error in the provider's own form; `more` stands beside it in the body. */
export function refusal(
  status: number,
  code: string,
  message: string,
  more: Readonly<Record<string, unknown>> = {},
): Reply {
  return json(status, { error: { code, message }, ...more });
}

export function whole(reply: Reply): Delivery {
  return { how: "whole", reply };
}
