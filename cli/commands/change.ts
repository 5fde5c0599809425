// `cancel` and `resolve`: what a person decides about a task, written into its spec. The operator answers in its status.
import { EXIT, Failure, type ExitCode } from "../failure.ts";
import type { Session } from "../session.ts";
import { changeSpec, readTask, tellChange } from "./tasks.ts";

/** One that can't be cancelled keeps none of the others: jobs that run cost money. */
export async function cancelTasks(session: Session, names: readonly string[]): Promise<ExitCode> {
  let ending: ExitCode = EXIT.done;
  for (const name of names) {
    const doing = `cancel ${session.namespace}/${name}`;
    try {
      const changed = await changeSpec(session, { name, spec: { cancelRequested: true }, doing });
      tellChange(session, changed, "cancel requested");
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      session.terminal.tell(error.message);
      ending = error.exitCode;
    }
  }
  return ending;
}

export interface ResolveOptions {
  readonly bindJob?: string;
  readonly notCreated?: boolean;
  readonly writeOff?: boolean;
  readonly attempt?: string;
  readonly note?: string;
  readonly by?: string;
}

/**
 * The decision counts for the attempt that was looked at, so it is written only into the version that was read: what changed
 * meanwhile is to be looked at again by whoever decides.
 */
export async function resolveTask(session: Session, name: string, options: ResolveOptions): Promise<ExitCode> {
  const doing = `resolve ${session.namespace}/${name}`;
  const decision = decisionOf(options, doing);
  const { metadata, status } = await readTask(session, name, doing);
  if (status.phase !== "NeedsReview") {
    throw new Failure(
      `cannot ${doing}: it is ${status.phase ?? "Pending"} and needs no decision; see kubectl genop why ${name} -n ${session.namespace}`,
    );
  }
  const attempt = options.attempt === undefined ? (status.attempt ?? 0) : numberOf(options.attempt, doing);
  const { by = null, note = null } = options;
  // A merge leaves what is not named: what an earlier decision had is taken away by name.
  const resolution = { jobID: null, attempt, note, by, ...decision };
  const { resourceVersion } = metadata;
  const changed = await changeSpec(session, {
    name,
    spec: { resolution },
    resourceVersion,
    doing,
  });
  tellChange(session, changed, `resolution set for attempt ${attempt}`);
  return EXIT.done;
}

type Decision =
  { readonly decision: "BindJob"; readonly jobID: string } | { readonly decision: "NotCreated" | "WriteOff" };

function decisionOf({ bindJob, notCreated, writeOff }: ResolveOptions, doing: string): Decision {
  const given: readonly (Decision | undefined)[] = [
    bindJob === undefined ? undefined : { decision: "BindJob", jobID: bindJob },
    notCreated ? { decision: "NotCreated" } : undefined,
    writeOff ? { decision: "WriteOff" } : undefined,
  ];
  const [decision, ...others] = given.filter((one) => one !== undefined);
  if (decision && others.length === 0) return decision;
  throw new Failure(`cannot ${doing}: say one of --bind-job JOB_ID, --not-created and --write-off`);
}

function numberOf(text: string, doing: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new Failure(`cannot ${doing}: --attempt must be the number of an attempt`);
}
