// Which part of an output a GET asks for, by Range, If-Range and If-Match. Pure.

export type Part =
  | { readonly type: "whole" }
  | { readonly type: "part"; readonly from: number; readonly to: number }
  | { readonly type: "unsatisfiable" }
  | { readonly type: "changed" };

export interface Conditions {
  readonly range?: string | undefined;
  readonly ifRange?: string | undefined;
  readonly ifMatch?: string | undefined;
}

const WHOLE: Part = { type: "whole" };

/** `to` is exclusive. Several ranges at once are answered with the whole. */
export function partOf({ range, ifRange, ifMatch }: Conditions, etag: string, bytes: number): Part {
  if (![undefined, "*", etag].includes(ifMatch)) return { type: "changed" };
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return WHOLE;

  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? [];
  if (!first) return last ? checked(Math.max(0, bytes - Number(last)), bytes) : WHOLE;
  return checked(Number(first), last ? Math.min(bytes, Number(last) + 1) : bytes);
}

function checked(from: number, to: number): Part {
  return from < to ? { type: "part", from, to } : { type: "unsatisfiable" };
}
