// Who answers: the shim's process as it is, with its own rights, and the bare route. Each is a process of its own.
import { join } from "node:path";
import type { Environment } from "../../env/environment.ts";
import { variablesOf } from "../../integration/api-shim/fixture.ts";
import { startOperator, type LogLine, type OperatorProcess } from "../../operator/process.ts";
import { usageOf } from "../process-usage.ts";

export interface Face {
  readonly url: string;
  /** CPU seconds and memory so far. */
  usage(): ReturnType<typeof usageOf>;
  /** In good order; rejects when it does not end so. */
  stop(): Promise<void>;
}

/** Where a face runs, and as whom. */
export interface Ground {
  readonly environment: Environment;
  /** Of the account with the shim's rights. */
  readonly kubeconfigPath: string;
}

export const NAMESPACE = "studio";

const SHIM = join(import.meta.dirname, "..", "..", "..", "api-shim", "main.ts");
const BARE = join(import.meta.dirname, "bare-route.ts");
const START_MS = 60_000;

/** What is measured must not be what is refused: there is no operator that takes tasks up, and one caller is as many. */
const NO_REFUSALS = {
  ...{ REQUESTS_PER_SECOND: "100000", REQUESTS_BURST: "100000", UNTAKEN_SECONDS: "3600" },
  ...{ CREATES_PER_SECOND: "10000", CREATES_BURST: "100000" },
  ...{ MAX_BACKLOG: "1000000", MAX_BACKLOG_PER_NAMESPACE: "1000000", MAX_STREAMS_PER_NAMESPACE: "5000" },
};

export function startShim(
  { environment, kubeconfigPath }: Ground,
  variables: Readonly<Record<string, string>> = {},
): Promise<Face> {
  const all = { ...variablesOf(environment, kubeconfigPath), ...NO_REFUSALS, ...variables };
  return faceOf(startOperator({ variables: all }, { main: SHIM, logFile: logOf(environment, "shim") }));
}

export function startBareRoute({ environment, kubeconfigPath }: Ground): Promise<Face> {
  const variables = { KUBECONFIG: kubeconfigPath, NAMESPACE };
  return faceOf(startOperator({ variables }, { main: BARE, logFile: logOf(environment, "bare-route") }));
}

function logOf({ folder }: Environment, name: string): string {
  return join(folder, "logs", `${name}.log`);
}

async function faceOf(process: OperatorProcess): Promise<Face> {
  const isListening = ({ event }: LogLine): boolean => event === "rest.listening";
  const { port } = await process.logged(isListening, AbortSignal.timeout(START_MS));
  return {
    url: `http://127.0.0.1:${String(port)}`,
    usage: () => usageOf(process.pid),
    stop: async () => {
      const how = await process.stop();
      if (how !== 0) throw new Error(`cannot go on: the process ended with ${how} when it was stopped`);
    },
  };
}
