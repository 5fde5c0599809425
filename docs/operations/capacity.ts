// How much of what an installation needs, by Little's law: what is in flight = how many come a second x how long each stays.
// node docs/operations/capacity.ts --tasks-per-minute 120 --job-seconds 90 --output-megabytes 20
import { parseArgs } from "node:util";
import { firstPollMs, pollMs } from "../../operator/task/schedule.ts";

export interface Load {
  readonly tasksPerMinute: number;
  /** From the submit to the provider's "done". */
  readonly jobSeconds: number;
  /** Of all outputs of a task together. */
  readonly outputMegabytes: number;
  /** Of one download, as measured between provider, cluster and bucket. */
  readonly megabytesPerSecond: number;
}

export interface Need {
  /** Quota `inFlight`: fewer, and tasks queue up without end. */
  readonly jobsInFlight: number;
  /** Queries a second: of a job the first after a second, then ever more rarely, every 15 s at last. */
  readonly queriesPerSecond: number;
  /** `operator.fetchConcurrency`. */
  readonly downloads: number;
  /** For `operator.resources`: 180 MiB, 25 MiB a download and 4 KiB an object in the cache for an hour. */
  readonly memoryMebibytes: number;
}

/** Waiting time grows without bound as use nears one: pools are planned to be busy seven tenths of the time. */
const PLANNED_USE = 0.7;
const BASE_MEBIBYTES = 180;
const DOWNLOAD_MEBIBYTES = 25;
const OBJECT_MEBIBYTES = 4 / 1024;
const MINUTES_KEPT = 60;

export function needOf({ jobSeconds, megabytesPerSecond, outputMegabytes, tasksPerMinute }: Load): Need {
  const perSecond = tasksPerMinute / 60;
  const inFlight = perSecond * jobSeconds;
  const downloads = Math.ceil((perSecond * outputMegabytes) / megabytesPerSecond / PLANNED_USE);
  const objects = tasksPerMinute * MINUTES_KEPT;
  return {
    jobsInFlight: Math.ceil(inFlight / PLANNED_USE),
    queriesPerSecond: Math.ceil(perSecond * queriesOf(jobSeconds)),
    downloads,
    memoryMebibytes: Math.ceil(BASE_MEBIBYTES + downloads * DOWNLOAD_MEBIBYTES + objects * OBJECT_MEBIBYTES),
  };
}

/** How often a job of this length is asked about: while it runs, and once more, which finds it ready. */
function queriesOf(jobSeconds: number): number {
  const middle = 0.5;
  let running = 0;
  for (let atMs = firstPollMs(middle); atMs < jobSeconds * 1000; atMs += pollMs(running - 1, undefined, middle)) {
    running += 1;
  }
  return running + 1;
}

function main(): void {
  const option = (byDefault: number): { type: "string"; default: string } => ({
    type: "string",
    default: String(byDefault),
  });
  const { values } = parseArgs({
    options: {
      "tasks-per-minute": option(60),
      "job-seconds": option(60),
      "output-megabytes": option(5),
      "megabytes-per-second": option(20),
    },
  });
  const need = needOf({
    tasksPerMinute: Number(values["tasks-per-minute"]),
    jobSeconds: Number(values["job-seconds"]),
    outputMegabytes: Number(values["output-megabytes"]),
    megabytesPerSecond: Number(values["megabytes-per-second"]),
  });
  process.stdout.write(`${JSON.stringify(need, undefined, 2)}\n`);
}

if (import.meta.main) main();
