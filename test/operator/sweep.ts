// One operator in peace, until it has swept staging once: what a dead process, or one whose store was away, left there late.
import type { Installation } from "./installation.ts";
import { startOperator } from "./process.ts";

const WAIT_MS = 60_000;

export async function sweepOnce(installation: Installation, logFile: string): Promise<void> {
  const operator = startOperator(installation, { variables: { LOG_LEVEL: "debug" }, logFile });
  await operator.logged(({ event }) => event === "staging.swept", AbortSignal.timeout(WAIT_MS));
  await operator.stop();
}
