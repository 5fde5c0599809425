// The REST face's process: read the configuration, run until a signal, exit. No logic of its own.
import type { Lifecycle } from "../operator/runtime/lifecycle.ts";
import { readConfig } from "./config.ts";
import { makeShim } from "./wiring.ts";

function shimOrExit(): Lifecycle {
  try {
    return makeShim(readConfig(process.env));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : "cannot start"}\n`);
    process.exit(78); // EX_CONFIG
  }
}

async function main(): Promise<void> {
  const shim = shimOrExit();
  const stop = new AbortController();
  const force = new AbortController();
  for (const name of ["SIGTERM", "SIGINT"] as const) {
    process.on(name, () => {
      // A second signal is an impatient one.
      if (stop.signal.aborted) force.abort(new Error(`second ${name}`));
      stop.abort(new Error(name));
    });
  }
  const outcome = await shim.run({ stop: stop.signal, force: force.signal });
  process.exit(outcome.ended === "stopped" && outcome.leftBehind.length === 0 ? 0 : 1);
}

await main();
