// Where the demo is seen: a table that is redrawn in place on a terminal, lines of changes elsewhere. Decides nothing else.
import type { WriteStream } from "node:tty";
import { tableOf } from "./table.ts";
import type { Area, Row } from "./table.ts";

export interface Screen {
  /** What happens, in a sentence; stays above the table. */
  say(text: string): void;
  /** The tasks as they are now. */
  show(rows: readonly Row[]): void;
  /** A task's phase, reason or attempt changed. */
  changed(row: Row, message: string): void;
  /** Leaves the table where it is: what is said from now on comes below it. */
  finish(): void;
}

export interface ScreenOptions {
  readonly live: boolean;
  /** Seconds since the demo began, for the lines. */
  readonly seconds: () => number;
}

/** Whether a table can be redrawn there, and is wanted. */
export function canRedraw(
  out: Pick<WriteStream, "isTTY">,
  variables: Readonly<Record<string, string | undefined>>,
): boolean {
  const { CI = "", NO_COLOR = "", TERM = "" } = variables;
  return out.isTTY && NO_COLOR === "" && CI === "" && TERM !== "dumb";
}

export function makeScreen(out: WriteStream, { live, seconds }: ScreenOptions): Screen {
  const stamp = (): string => `${seconds().toFixed(1).padStart(6)} s  `;
  return live ? liveScreen(out, stamp) : plainScreen(out, stamp);
}

function plainScreen(out: WriteStream, stamp: () => string): Screen {
  const print = (text: string): void => {
    out.write(`${text}\n`);
  };
  return {
    say: (text) => {
      print(text === "" ? "" : `${stamp()}${text}`);
    },
    show: () => undefined,
    changed: (row, message) => {
      print(`${stamp()}${lineOf(row, message)}`);
    },
    finish: () => undefined,
  };
}

function lineOf({ attempt, name, phase }: Row, message: string): string {
  const number = attempt === "" || attempt === "0" ? "" : ` (attempt ${attempt})`;
  return `${name.padEnd(20)} ${phase.padEnd(14)} ${message}${number}`.trimEnd();
}

const UP = (lines: number): string => (lines === 0 ? "" : `\u001B[${lines}A`);
const CLEAR_BELOW = "\r\u001B[0J";
const HIDE_CURSOR = "\u001B[?25l";
const SHOW_CURSOR = "\u001B[?25h";
const PLAIN = "\u001B[0m";
const BOLD = "\u001B[1m";
const GREY = "\u001B[90m";
const COLOURS: Readonly<Record<string, string>> = {
  Succeeded: "\u001B[32m",
  Failed: "\u001B[31m",
  Rejected: "\u001B[31m",
  Cancelled: "\u001B[35m",
  NeedsReview: "\u001B[1;33m",
  SubmitUnknown: "\u001B[33m",
};

function liveScreen(out: WriteStream, stamp: () => string): Screen {
  let drawn = 0;
  let rows: readonly Row[] = [];
  let finished = false;
  const erase = (): string => UP(drawn) + CLEAR_BELOW;
  const draw = (): string => {
    if (rows.length === 0 || finished) return "";
    const lines = tableOf(rows, areaOf(out));
    drawn = lines.length;
    return lines.map(({ row, text }) => `${colourOf(row)}${text}${PLAIN}\n`).join("");
  };
  const redraw = (text: string): void => {
    const before = erase();
    drawn = 0;
    out.write(`${HIDE_CURSOR}${before}${text}${draw()}${SHOW_CURSOR}`);
  };
  return {
    say: (text) => {
      redraw(text === "" ? "\n" : `${GREY}${stamp()}${PLAIN}${text}\n`);
    },
    show: (next) => {
      rows = next;
      if (!finished) redraw("");
    },
    changed: (row, message) => {
      if (finished) redraw(`${GREY}${stamp()}${PLAIN}${lineOf(row, message)}\n`);
    },
    finish: () => {
      redraw("");
      finished = true;
      drawn = 0;
    },
  };
}

/** Lines must not wrap, and the table must not be taller than the screen: it could not be redrawn in place. */
function areaOf({ columns, rows }: WriteStream): Area {
  return { width: (columns || 80) - 1, height: (rows || 24) - 2 };
}

function colourOf(row: Row | undefined): string {
  if (!row) return BOLD;
  return COLOURS[row.phase] ?? "";
}
