// The end of the demo: accounts, the provider's record beside ours, and the files; and whether all of it is as it must be.
import { join } from "node:path";
import { wrongAssets } from "../operator/verdict.ts";
import type { TaskWatcher } from "../operator/watcher.ts";
import type { ProviderAdmin } from "../provider/client.ts";
import { ROLES } from "./cast.ts";
import type { Stage } from "./cluster.ts";
import { comparisonLines } from "./comparison.ts";
import type { Findings } from "./evidence.ts";
import { objectionTo } from "./expectation.ts";
import { problemsOf } from "./figures.ts";
import { assetLines, assetsOf, download, oneOfEachType } from "./files.ts";
import { accountLines, accountProblem, entryLines } from "./statement.ts";
import { keyOf } from "./story.ts";

export interface Ending {
  readonly stage: Stage;
  readonly provider: ProviderAdmin;
  readonly watcher: TaskWatcher;
  /** Where files to look at go. */
  readonly folder: string;
  readonly print: (text: string) => void;
}

const ENTRIES = 6;

/** Prints it all, and returns one sentence for each thing that is not as it must be. */
export async function report(ending: Ending, findings: Findings): Promise<readonly string[]> {
  const { print, stage } = ending;
  section(print, "Accounts, from the ledger", accountLines(findings.accounts));
  const studio = stage.names.namespace("studio");
  const taskOf = new Map<string, string>(findings.attempts.map(({ attemptId, taskKey }) => [attemptId, taskKey]));
  const names = new Map(findings.tasks.map(({ metadata, status }) => [status?.taskKey ?? "", metadata.name]));
  const entries = entryLines(
    (findings.statements.get(studio)?.lines ?? []).slice(0, ENTRIES),
    (id) => names.get(taskOf.get(id) ?? "") ?? id,
  );
  section(print, `The last entries of ${studio}`, entries);
  section(print, "The provider's own record, and ours", comparisonLines(findings));
  const wrong = await reportFiles(ending, findings);
  return [...objections(ending, findings), ...accountProblems(findings), ...wrong];
}

function section(print: Ending["print"], title: string, lines: readonly string[]): void {
  print("");
  print(title);
  for (const line of lines) print(`  ${line}`);
}

async function reportFiles({ folder, print, provider, stage }: Ending, findings: Findings): Promise<readonly string[]> {
  const { environment } = stage;
  const assets = assetsOf(findings.tasks);
  section(print, `The ${assets.length} files, in the object store at ${environment.s3.endpoint}`, assetLines(assets));
  const wrong = await wrongAssets(environment, provider, findings.tasks);
  const samples = oneOfEachType(assets);
  const files = await download(samples, environment.s3, folder);
  const changed = samples.filter(({ sha256 }, index) => files[index]?.sha256 !== sha256);
  const verdict = wrong.length === 0 ? "all are, byte for byte, what the provider made" : `${wrong.length} are wrong`;
  const lines = files.map(({ path, sha256 }) => `${sha256}  ${path}`);
  section(print, `Read back and compared with status and with the provider: ${verdict}. To look at:`, lines);
  return [
    ...wrong.map((asset) => `an asset is not what the provider made: ${asset}`),
    ...changed.map(({ name, task }) => `an asset is not what its status says: ${join(task, name)}`),
  ];
}

function objections({ stage, watcher }: Ending, { record, reports, figures }: Findings): readonly string[] {
  const unplayed = ROLES.flatMap((role) => {
    const key = keyOf(stage, role);
    const jobs = record.jobs.filter(({ reference }) => reference === key);
    return objectionTo(role, { task: watcher.get(key), phasesSeen: watcher.phasesSeen(key), jobs }) ?? [];
  });
  return [...problemsOf(figures, reports), ...unplayed];
}

function accountProblems({ accounts }: Findings): readonly string[] {
  return accounts.flatMap((account) => accountProblem(account) ?? []);
}
