// A provider's usage export as lines: JSON ({items: [...]} or a list) or CSV with a header. Columns: job_id, amount, billed_at, and ref if any.
import { numbered } from "../task/bill.ts";
import type { UsageLine } from "../task/bill.ts";
import { parseCredits } from "../task/credits.ts";

/** Throws one sentence that names the line at fault, and quotes nothing of it. */
export function readUsage(text: string): readonly UsageLine[] {
  const rows = /^\s*[[{]/.test(text) ? fromJson(text) : fromCsv(text);
  const lines = rows.map((row, index) => {
    const jobId = textOf(row.job_id);
    const amount = parseCredits(textOf(row.amount));
    const billedAt = new Date(textOf(row.billed_at));
    if (jobId === "" || amount === undefined || Number.isNaN(billedAt.getTime())) {
      throw new Error(
        `cannot read line ${index + 1} of the usage: it needs job_id, amount (a decimal of credits) and billed_at (a time)`,
      );
    }
    const ref = textOf(row.ref);
    return { jobId, ref: ref === "" ? undefined : ref, amount, billedAt };
  });
  return numbered(lines);
}

type Row = Readonly<Record<string, unknown>>;

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
}

function fromJson(text: string): readonly Row[] {
  const value = JSON.parse(text) as { readonly items?: unknown } | readonly unknown[];
  const items: unknown = Array.isArray(value) ? value : (value as { readonly items?: unknown }).items;
  if (!Array.isArray(items)) throw new Error("cannot read the usage: the JSON is no list, and has no list `items`");
  return items.map((item: unknown) => (typeof item === "object" && item !== null ? (item as Row) : {}));
}

function fromCsv(text: string): readonly Row[] {
  const [header = [], ...rows] = cellsOf(text);
  return rows.map((row) => Object.fromEntries(header.map((name, index) => [name.trim(), row[index] ?? ""])));
}

const CELL = /("(?:[^"]|"")*"|[^,"\r\n]*)(,|\r?\n|$)/y;

/** RFC 4180. Empty lines are left out. */
function cellsOf(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [[]];
  let read = 0;
  CELL.lastIndex = 0;
  for (let match = CELL.exec(text); match && match[0] !== ""; match = CELL.exec(text)) {
    const [, raw = "", end] = match;
    rows.at(-1)?.push(raw.startsWith('"') ? raw.slice(1, -1).replaceAll('""', '"') : raw);
    if (end !== ",") rows.push([]);
    read = CELL.lastIndex;
  }
  if (read < text.length) throw new Error("cannot read the usage: a quote is not closed");
  return rows.filter((row) => row.length > 1 || (row[0] ?? "") !== "");
}
