// What the command line says. Reads no environment and prints nothing.
import { parseArgs } from "node:util";
import { asError } from "../../operator/runtime/clock.ts";

export interface CommandLine {
  readonly bench: string;
  readonly json: boolean;
  readonly bare: boolean;
  readonly rounds: number | undefined;
  readonly size: number | undefined;
}

/** For benches by name, each with its line. */
export function usageOf(benches: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(benches).map((name) => name.length));
  const lines = Object.entries(benches).map(([name, about]) => `  ${name.padEnd(width)}  ${about}`);
  return `npm run bench -- NAME [--json] [--rounds N] [--size N] [--bare]

Measures one thing in an environment of its own, in turns with what it is compared with, and says which requirements are
met. The figures mean something on a quiet machine only: how busy it was is printed with them.

${lines.join("\n")}

  --json      print one JSON object on the last line of standard output, all else on standard error
  --rounds N  how often each contestant runs
  --size N    how many objects; the requirements are made for the size that is used without it
  --bare      leave out the contestants that must be installed or built first

Exit code: 0 when it was measured, whether or not the requirements are met; 1 when it could not be; 2 for a wrong command
line; 130 when it was interrupted.
`;
}

/** The options, or "help", or one sentence that says what is wrong with them. */
export function readOptions(
  args: readonly string[],
  names: readonly string[],
): CommandLine | "help" | { readonly wrong: string } {
  try {
    const { values, positionals } = parse(args);
    if (values.help) return "help";
    const [bench, ...more] = positionals;
    if (bench === undefined || !names.includes(bench) || more.length > 0) return { wrong: unknown(positionals) };
    const { json, bare } = values;
    return {
      bench,
      json,
      bare,
      rounds: wholeNumber("--rounds", values.rounds),
      size: wholeNumber("--size", values.size),
    };
  } catch (error) {
    return { wrong: sentenceOf(error) };
  }
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    strict: true,
    allowPositionals: true,
    options: {
      json: { type: "boolean", default: false },
      bare: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
      rounds: { type: "string" },
      size: { type: "string" },
    },
  });
}

function unknown(words: readonly string[]): string {
  return words.length === 0
    ? "cannot run a bench: name one"
    : `cannot run "${words.join(" ")}": name one bench of these`;
}

function wholeNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new Error(`cannot use ${flag} ${text}: give a whole number above zero`);
  return Number(text);
}

/** Node's own words are several sentences: the first one names the flag. */
function sentenceOf(error: unknown): string {
  const { message } = asError(error);
  const [first = message] = message.split(/\.(?:\s|$)/);
  return first.startsWith("cannot")
    ? first
    : `cannot read the command line: ${first.charAt(0).toLowerCase()}${first.slice(1)}`;
}
