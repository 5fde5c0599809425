// The tasks as rows of text. Pure: no terminal, no clock.
import { ZERO, formatCredits, micro, parseCredits } from "../../operator/task/credits.ts";
import type { MicroCredits } from "../../operator/task/brand.ts";
import type { TaskStatus } from "../../operator/task/resource.ts";
import { isSettled } from "../operator/watcher.ts";
import type { SeenTask } from "../operator/watcher.ts";

export interface Row {
  readonly name: string;
  readonly shows: string;
  readonly phase: string;
  readonly reason: string;
  readonly attempt: string;
  readonly job: string;
  readonly credits: string;
  readonly seconds: string;
  /** Nothing more happens to it by itself. */
  readonly settled: boolean;
}

/** The row of a task, as of `nowMs`. Its seconds count from its creation, and stop at its end. */
export function rowOf(task: SeenTask, shows: string, nowMs: number): Row {
  const { metadata, status = {} } = task;
  const { attempt, completionTime, phase, providerJobID = "", reason = "" } = status;
  const untilMs = completionTime === undefined ? nowMs : Date.parse(completionTime);
  const seconds = Math.max(0, Math.round((untilMs - Date.parse(metadata.creationTimestamp ?? "")) / 1000));
  return {
    name: metadata.name,
    shows,
    phase: phase ?? "–",
    reason,
    attempt: attempt === undefined ? "" : String(attempt),
    job: providerJobID,
    credits: creditsOf(status.credits),
    seconds: Number.isFinite(seconds) ? String(seconds) : "",
    settled: isSettled(task),
  };
}

/** What was held for all attempts, told by where it is now: `0.01 paid, 0.01 back`. */
export function creditsOf(credits: TaskStatus["credits"]): string {
  if (!credits) return "";
  const read = (text: string): MicroCredits => parseCredits(text) ?? ZERO;
  const [reserved, settled, released] = [read(credits.reserved), read(credits.settled), read(credits.released)];
  const parts = [
    { amount: micro(reserved - settled - released), word: "held" },
    { amount: settled, word: "paid" },
    { amount: released, word: "back" },
  ];
  return parts.flatMap(({ amount, word }) => (amount > ZERO ? [`${formatCredits(amount)} ${word}`] : [])).join(", ");
}

interface Column {
  readonly title: string;
  readonly of: (row: Row) => string;
  readonly right?: boolean;
  /** At least this wide, so that the columns after it stand still while it changes. */
  readonly min?: number;
  /** At most this wide; longer texts end in "…". */
  readonly max?: number;
}

const SHOWS: Column = { title: "WHAT IT SHOWS", of: ({ shows }) => shows };
const JOB: Column = { title: "JOB", of: ({ job }) => job, min: 13, max: 13 };
const ATTEMPT: Column = { title: "ATTEMPT", of: ({ attempt }) => attempt, right: true };
const CREDITS: Column = { title: "CREDITS", of: ({ credits }) => credits, min: 20 };

const COLUMNS: readonly Column[] = [
  { title: "NAME", of: ({ name }) => name },
  SHOWS,
  { title: "PHASE", of: ({ phase }) => phase, min: 13 },
  { title: "REASON", of: ({ reason }) => reason, min: 19 },
  ATTEMPT,
  JOB,
  CREDITS,
  { title: "SECONDS", of: ({ seconds }) => seconds, right: true },
];

/** What a narrow terminal does without, the first one first. */
const DISPENSABLE: readonly Column[] = [JOB, ATTEMPT, CREDITS, SHOWS];
const GAP = "  ";

export interface Area {
  readonly width: number;
  readonly height: number;
}

export interface Line {
  readonly text: string;
  /** The row that the line shows; undefined for the heading and the count of hidden rows. */
  readonly row: Row | undefined;
}

/** Lines that fit the area. Columns, and then rows that are settled, give way where it is too small. */
export function tableOf(rows: readonly Row[], area: Area): readonly Line[] {
  const { shown, hidden } = visibleRows(rows, area.height - 2);
  const columns = columnsFor(rows, area.width);
  const fit = (text: string): string => shortened(text.trimEnd(), area.width);
  const heading = columns.map(({ column, width }) => cell(column.title, column, width)).join(GAP);
  const lines = shown.map((row) => ({
    text: fit(columns.map(({ column, width }) => cell(column.of(row), column, width)).join(GAP)),
    row,
  }));
  const rest = hidden === 0 ? [] : [{ text: fit(`… and ${hidden} more that are settled`), row: undefined }];
  return [{ text: fit(heading), row: undefined }, ...lines, ...rest];
}

function visibleRows(rows: readonly Row[], max: number): { readonly shown: readonly Row[]; readonly hidden: number } {
  const excess = rows.length - Math.max(1, max);
  if (excess <= 0) return { shown: rows, hidden: 0 };
  const gone = new Set(rows.filter(({ settled }) => settled).slice(0, excess));
  const shown = rows.filter((row) => !gone.has(row)).slice(0, Math.max(1, max));
  return { shown, hidden: rows.length - shown.length };
}

interface Sized {
  readonly column: Column;
  readonly width: number;
}

function columnsFor(rows: readonly Row[], width: number): readonly Sized[] {
  const sized = (column: Column): Sized => {
    const widest = Math.max(column.min ?? 0, column.title.length, ...rows.map((row) => column.of(row).length));
    return { column, width: Math.min(widest, column.max ?? widest) };
  };
  let columns = COLUMNS.map(sized);
  for (const dispensable of DISPENSABLE) {
    const total = columns.reduce((sum, column) => sum + column.width + GAP.length, -GAP.length);
    if (total <= width) break;
    columns = columns.filter(({ column }) => column !== dispensable);
  }
  return columns;
}

function cell(text: string, { right }: Column, width: number): string {
  const short = shortened(text, width);
  return right ? short.padStart(width) : short.padEnd(width);
}

function shortened(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}
