// Completion by cobra's protocol, which the scripts of kubectl speak in bash, zsh, fish and PowerShell: the words typed so far come as
// arguments, candidates go out a line each, and the last line is a directive. Nothing that goes wrong here is worth a message.
import type { Command, Option } from "commander";
import { getObjectNames } from "./cluster/names.ts";
import { PROVIDERS, TASKS } from "./cluster/kinds.ts";
import type { Session } from "./session.ts";

/** Names come from the cluster, within this time. */
export const COMPLETION_MS = 3_000;

/** The shell adds no file names; or it does. */
const NO_FILES = ":4";
const FILES = ":0";

export type AskCluster = (
  typed: Readonly<Record<string, unknown>>,
  ask: (session: Session) => Promise<readonly string[]>,
) => Promise<readonly string[]>;

/** What is printed for the words, of which the last one is not finished. */
export async function complete(
  program: Command,
  words: readonly string[],
  askCluster: AskCluster,
): Promise<readonly string[]> {
  const typed = read(program, words.slice(0, -1));
  const last = words.at(-1) ?? "";
  const found = await candidates(typed, last, askCluster);
  if (found === "files") return [FILES];
  return [...found.filter((one) => one.startsWith(last)), NO_FILES];
}

interface Typed {
  readonly command: Command;
  readonly args: readonly string[];
  /** By long name, without the dashes. */
  readonly options: Readonly<Record<string, string>>;
  /** Whose value comes next. */
  readonly open: Option | undefined;
}

function read(program: Command, words: readonly string[]): Typed {
  const options: Record<string, string> = {};
  const args: string[] = [];
  let command = program;
  let open: Option | undefined;
  for (const word of words) {
    if (open) {
      options[open.attributeName()] = word;
      open = undefined;
    } else if (word.startsWith("-")) {
      open = optionsOf(command).find(({ long, required, short }) => required && (word === long || word === short));
    } else {
      const inner = args.length === 0 ? command.commands.find((one) => one.name() === word) : undefined;
      if (inner) command = inner;
      else args.push(word);
    }
  }
  return { command, args, options, open };
}

function optionsOf(command: Command): readonly Option[] {
  return [...command.options, ...(command.parent ? optionsOf(command.parent) : [])];
}

const FILE_OPTIONS: ReadonlySet<string> = new Set(["--filename", "--kubeconfig", "--directory"]);

async function candidates(typed: Typed, last: string, askCluster: AskCluster): Promise<readonly string[] | "files"> {
  const { args, command, open, options } = typed;
  if (open) return FILE_OPTIONS.has(open.long ?? "") ? "files" : valuesOf(open, options, askCluster);
  if (last.startsWith("-")) return optionsOf(command).map((option) => `${option.long ?? ""}\t${option.description}`);
  if (command.commands.length > 0) return command.commands.map((one) => `${one.name()}\t${one.description()}`);
  const [takes] = command.registeredArguments;
  const isTask = takes?.name().startsWith("task") === true && (args.length === 0 || takes.variadic);
  if (!isTask) return [];
  const names = await askCluster(options, (session) => getObjectNames(session, TASKS, session.namespace));
  return names.filter((name) => !args.includes(name));
}

async function valuesOf(option: Option, options: Typed["options"], askCluster: AskCluster): Promise<readonly string[]> {
  if (option.argChoices) return option.argChoices;
  if (option.long === "--provider")
    return askCluster(options, (session) => getObjectNames(session, PROVIDERS, undefined));
  return [];
}
