// `npm run bench`: reads the command line, runs one bench, prints its report. No logic of its own.
import type { BenchOptions } from "./bench.ts";
import { benches } from "./benches.ts";
import { watchMachine } from "./machine.ts";
import { readOptions, usageOf, type CommandLine } from "./options.ts";
import { jsonOf, textOf } from "./print.ts";

const WRONG = 1;
const WRONG_COMMAND_LINE = 2;
const INTERRUPTED = 130;

const usage = usageOf(Object.fromEntries(Object.entries(benches).map(([name, { about }]) => [name, about])));
const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function main({ bench, json, rounds, size, bare }: CommandLine): Promise<number> {
  const interrupted = new AbortController();
  listen(interrupted);
  const options: BenchOptions = { rounds, size, bare, signal: interrupted.signal, say };
  try {
    const run = await benches[bench]?.load();
    const machine = watchMachine();
    const report = await run?.(options);
    if (!report) return WRONG_COMMAND_LINE;
    const measured = machine();
    (json ? process.stderr : process.stdout).write(textOf(report, measured));
    if (json) process.stdout.write(`${JSON.stringify(jsonOf(report, measured))}\n`);
    return 0;
  } catch (error) {
    if (interrupted.signal.aborted) return INTERRUPTED;
    say(error instanceof Error ? error.message : String(error));
    return WRONG;
  }
}

/** The first signal ends everything in good order; a second one does not wait for it. */
function listen(interrupted: AbortController): void {
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => {
      if (interrupted.signal.aborted) process.exit(INTERRUPTED);
      say("ending everything; once more to end at once");
      interrupted.abort(new Error(`interrupted by ${name}`));
    });
  }
}

const options = readOptions(process.argv.slice(2), Object.keys(benches));
if (options === "help") {
  process.stdout.write(usage);
} else if ("wrong" in options) {
  process.stderr.write(`${options.wrong}\n\n${usage}`);
  process.exitCode = WRONG_COMMAND_LINE;
} else {
  process.exitCode = await main(options);
}
