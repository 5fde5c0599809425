// `npm run demo`: reads the command line, runs the demo, and turns its end into an exit code. No logic of its own.
import type { Figures } from "./figures.ts";
import { USAGE, readOptions } from "./options.ts";
import type { DemoOptions } from "./options.ts";
import { canRedraw, makeScreen } from "./screen.ts";

const WRONG = 1;
const WRONG_COMMAND_LINE = 2;
const INTERRUPTED = 130;

async function main(options: DemoOptions): Promise<number> {
  const out = options.json ? process.stderr : process.stdout;
  const startedMs = Date.now();
  const seconds = (): number => (Date.now() - startedMs) / 1000;
  const screen = makeScreen(out, { live: canRedraw(out, process.env), seconds });
  const print = (text: string): void => void out.write(`${text}\n`);
  const interrupted = new AbortController();
  listen(interrupted, print);

  let verdict: { readonly figures: Figures; readonly problems: readonly string[] } | undefined;
  const judged = (figures: Figures, problems: readonly string[]): void => {
    verdict = { figures, problems };
    if (options.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
  };
  try {
    // Loaded only now: a wrong flag is answered at once, and an early Ctrl-C is heard.
    const { runDemo } = await import("./demo.ts");
    await runDemo({ options, screen, print, signal: interrupted.signal, judged });
  } catch (error) {
    if (!interrupted.signal.aborted) {
      print(error instanceof Error ? error.message : String(error));
      return WRONG;
    }
  }
  if (!verdict) return INTERRUPTED;
  if (verdict.problems.length > 0) print(`the demo did not end as it must: ${verdict.problems.join("; ")}`);
  return verdict.problems.length > 0 ? WRONG : 0;
}

/** The first signal ends everything in good order; a second one does not wait for it. */
function listen(interrupted: AbortController, print: (text: string) => void): void {
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => {
      if (interrupted.signal.aborted) process.exit(INTERRUPTED);
      print("ending everything; once more to end at once");
      interrupted.abort(new Error(`interrupted by ${name}`));
    });
  }
}

const options = readOptions(process.argv.slice(2));
if ("wrong" in options) {
  process.stderr.write(`${options.wrong}\n`);
  process.exitCode = WRONG_COMMAND_LINE;
} else if (options.help) {
  process.stdout.write(USAGE);
} else {
  process.exitCode = await main(options);
}
