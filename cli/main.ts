// kubectl-genop: the process around one run of the command line.
import { runCommandLine } from "./run.ts";

const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.once(name, () => stop.abort(new Error("interrupted"))); // a second one ends the process as it always does
}
// Whoever reads us may have seen enough (`| head`): no fault of anybody.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
}

const { env, stderr, stdout } = process;
process.exitCode = await runCommandLine(process.argv.slice(2), {
  ...{ out: stdout, err: stderr, variables: env },
  signal: stop.signal,
});
