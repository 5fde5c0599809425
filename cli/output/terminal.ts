// Where words go: data to standard output, everything else to standard error. Colours and bars only for who looks at a terminal.
import type { Writable } from "node:stream";

export interface Terminal {
  /** Data: a line, or several. */
  write(text: string): void;
  /** What is told beside the data. */
  tell(text: string): void;
  /** Overwrites the last line that was shown so; on a terminal only, and nothing elsewhere. */
  show(line: string): void;
  readonly paint: Paint;
}

export type Colour = "bold" | "dim" | "green" | "red" | "yellow";
export type Paint = (text: string, colour: Colour | undefined) => string;

export interface Streams {
  readonly out: Writable & { readonly isTTY?: boolean };
  readonly err: Writable & { readonly isTTY?: boolean };
  /** The user's NO_COLOR: any text but the empty one means no colours. */
  readonly noColour: string | undefined;
}

const CODES: Readonly<Record<Colour, number>> = { bold: 1, dim: 2, green: 32, red: 31, yellow: 33 };
const CLEAR = "\r\u001b[K";

export function makeTerminal({ err, noColour = "", out }: Streams): Terminal {
  const colours = out.isTTY === true && noColour === "";
  let isShowing = false;
  const cleared = (): string => {
    const was = isShowing;
    isShowing = false;
    return was ? CLEAR : "";
  };
  return {
    write: (text) => void out.write(`${text}\n`),
    tell: (text) => void err.write(`${cleared()}${text}\n`),
    show: (line) => {
      if (err.isTTY !== true) return;
      err.write(line === "" ? cleared() : `${CLEAR}${line}`);
      isShowing = line !== "";
    },
    paint: (text, colour) => (colours && colour ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text),
  };
}

/** Words that others chose, on one line and without what would move the cursor. */
export function printable(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\p{Cc}\p{Cf}]/gu, "\u{fffd}");
}
