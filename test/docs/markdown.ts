// The documents as tests see them: files, tables, code blocks, links and what stands in backticks. Judges nothing.
import { readFileSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";

export const ROOT = join(import.meta.dirname, "..", "..");
const NOT_OURS: ReadonlySet<string> = new Set(["node_modules", ".cache", ".git", "coverage"]);

/** Paths from the root, with slashes. */
export const DOCUMENTS: readonly string[] = filesBelow(ROOT, ".md");

/** Paths from the root of all files below a folder whose names end so. */
export function filesBelow(folder: string, ending: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return NOT_OURS.has(entry.name) ? [] : filesBelow(path, ending);
      return entry.name.endsWith(ending) ? [relative(ROOT, path).split(sep).join("/")] : [];
    })
    .sort();
}

export function readText(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** Whether jest runs this file, by the folder of its level. */
export function isTest(file: string): boolean {
  return /^test\/(unit|scenarios|docs|chart|integration|e2e|long|soak)\/.*\.test\.ts$/.test(file);
}

/** The text without fenced blocks: what is a link or a name there is none. */
export function proseOf(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, "");
}

export interface Block {
  readonly language: string;
  readonly text: string;
}

export function blocksOf(text: string): readonly Block[] {
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = "", body = ""]) => ({
    language,
    text: body,
  }));
}

/** The targets of links, as they are written. */
export function linksOf(text: string): readonly string[] {
  return [...proseOf(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
}

/** What stands between single backticks. */
export function wordsOf(text: string): readonly string[] {
  return [...proseOf(text).matchAll(/`([^`\n]+)`/g)].map(([, word = ""]) => word);
}

/** The anchors that a document offers, as GitHub makes them. */
export function anchorsOf(text: string): readonly string[] {
  return [...proseOf(text).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

export type Row = Readonly<Record<string, string>>;

/** The rows of the table that has exactly these columns; all tables of the page that have them, in order. */
export function rowsWith(text: string, columns: readonly string[]): readonly Row[] {
  const lines = text.split("\n").map(cellsOf);
  return lines.flatMap((header, index) =>
    header.join("|") === columns.join("|") ? rowsBelow(lines.slice(index + 2), columns) : [],
  );
}

function rowsBelow(lines: readonly (readonly string[])[], columns: readonly string[]): readonly Row[] {
  const end = lines.findIndex((cells) => cells.length === 0);
  const own = end === -1 ? lines : lines.slice(0, end);
  return own.map((cells) => Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? ""])));
}

/** The cells of a table's line; none for other lines. A bar in a cell is written with a backslash. */
function cellsOf(line: string): readonly string[] {
  if (!/^\|.*\|$/.test(line)) return [];
  return line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/** A cell's text without the backticks around it. */
export function bare(cell = ""): string {
  return cell.replace(/^`(.*)`$/, "$1");
}

/** The backticked words of a cell. */
export function listed(cell = ""): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);
}
