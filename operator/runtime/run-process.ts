// A process that is one lifecycle: from its making to its exit code. What it is made of is its caller's.
import type { Lifecycle } from "./lifecycle.ts";

/** As sysexits has it: nothing but another configuration helps, so a restart is no use. */
const BAD_CONFIGURATION = 78;

/**
 * Runs until SIGTERM or SIGINT, at once at a second one, and exits: 0 after an orderly end, 78 when `make` throws, whose message is
 * all that is said, and 1 for everything else.
 */
export async function runProcess(make: () => Lifecycle): Promise<void> {
  const lifecycle = madeOrExit(make);
  const stop = new AbortController();
  const force = new AbortController();
  for (const name of ["SIGTERM", "SIGINT"] as const) {
    process.on(name, () => {
      // A second signal is an impatient one.
      if (stop.signal.aborted) force.abort(new Error(`second ${name}`));
      stop.abort(new Error(name));
    });
  }
  const outcome = await lifecycle.run({ stop: stop.signal, force: force.signal });
  process.exit(outcome.ended === "stopped" && outcome.leftBehind.length === 0 ? 0 : 1);
}

function madeOrExit(make: () => Lifecycle): Lifecycle {
  try {
    return make();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : "cannot start"}\n`);
    process.exit(BAD_CONFIGURATION);
  }
}
