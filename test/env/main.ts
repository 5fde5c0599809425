// `npm run env`: keeps an empty environment until Ctrl-C and prints the lines that point a shell's tools to it.
// `--timings` also prints how long each part took to start; any other word is answered with the usage, and starts nothing.
import { once } from "node:events";
import { startEnvironment, type Environment } from "./environment.ts";
import { exportLines } from "./exports.ts";

function timingTable(environment: Environment): string {
  const seconds = (ms: number) => (ms / 1000).toFixed(2).padStart(8);
  const rows = [...environment.timings]
    .sort((a, b) => a.untilMs - b.untilMs)
    .map(({ name, fromMs, untilMs }) => `${name.padEnd(24)}${seconds(untilMs - fromMs)}${seconds(untilMs)}`);
  return [`${"part".padEnd(24)}${"seconds".padStart(8)}${"ready at".padStart(10)}`, ...rows].join("\n");
}

const USAGE = `npm run env -- [--timings]

Starts an API server, Postgres, S3 and the provider simulator, all empty, and prints the lines that point a shell's tools to
them. Ctrl-C ends it. --timings also prints how long each part took to start. GENOP_TEST_PARTS=postgres starts some parts only.
`;
const words = process.argv.slice(2).filter((word) => word !== "--timings");
if (words.length > 0) {
  const asked = words.includes("--help");
  (asked ? process.stdout : process.stderr).write(USAGE);
  process.exit(asked ? 0 : 2);
}

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => interrupted.abort());

try {
  const environment = await startEnvironment({}, interrupted.signal);
  console.log(exportLines(environment).join("\n"));
  if (process.argv.includes("--timings")) console.log(timingTable(environment).replaceAll(/^/gm, "# "));
  console.log("# everything is up; Ctrl-C ends it");
  const keepAlive = setInterval(() => undefined, 60_000);
  if (!interrupted.signal.aborted) await once(interrupted.signal, "abort");
  clearInterval(keepAlive);
  await environment.stop();
} catch (error) {
  if (!interrupted.signal.aborted) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
