// The command line: what can be typed, and which command it is. It parses and explains; commands act.
import { Command, InvalidArgumentError, Option } from "commander";
import { PHASES } from "../operator/task/resource.ts";
import type { Phase } from "../operator/task/phase.ts";
import { getAssets, listAssets, type GetOptions } from "./commands/assets.ts";
import { cancelTasks, resolveTask, type ResolveOptions } from "./commands/change.ts";
import { showCredits, type CreditsOptions } from "./commands/credits.ts";
import { list, listTasks, type ListOptions } from "./commands/list.ts";
import { submitTask, type SubmitOptions } from "./commands/submit.ts";
import { waitForTask, type WaitOptions } from "./commands/wait.ts";
import { explainTask } from "./commands/why.ts";
import { PROVIDERS } from "./cluster/kinds.ts";
import { parseDuration } from "./output/quantities.ts";
import type { ExitCode } from "./failure.ts";
import { FORMATS, type Format } from "./output/format.ts";
import type { Session } from "./session.ts";

/** The options of every command. */
export interface CommonOptions {
  readonly namespace?: string;
  readonly context?: string;
  readonly kubeconfig?: string;
  readonly output?: Exclude<Format, "table">;
  readonly account?: string;
  readonly evidence: string;
  readonly rest: string;
}

/** Runs a command with a session made of the options that were typed, and notes how it ended. */
export type Run = (options: CommonOptions, act: (session: Session) => Promise<ExitCode>) => Promise<void>;

export interface ProgramDeps {
  readonly run: Run;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

const EVIDENCE = "genop-system/genop-evidence:8092";
const REST = "genop-system/genop-rest:8080";

export function makeProgram({ run, variables }: ProgramDeps): Command {
  const program = new Command("kubectl genop")
    .description("Paid AI generation: ask for it, follow it, and find out why a task is where it is.")
    .configureHelp({ showGlobalOptions: true })
    .helpCommand(false)
    .option("-n, --namespace <namespace>", "where; the context's own when absent")
    .option("--context <context>", "the context of the kubeconfig")
    .option("--kubeconfig <file>", "the kubeconfig; KUBECONFIG or ~/.kube/config when absent")
    .addOption(new Option("-o, --output <format>", "how to print").choices(FORMATS))
    .option(
      "--account <name>",
      "ask the services as this service account of the namespace, by a token for ten minutes",
      variables.GENOP_ACCOUNT,
    )
    .option(
      "--evidence <service>",
      "the evidence service: namespace/[https:]name:port or a URL",
      variables.GENOP_EVIDENCE ?? EVIDENCE,
    )
    .option(
      "--rest <service>",
      "the REST face, for assets: namespace/[https:]name:port or a URL",
      variables.GENOP_REST ?? REST,
    );
  const act = (command: Command, run_: (session: Session) => Promise<ExitCode>): Promise<void> =>
    run(command.optsWithGlobals<CommonOptions>(), run_);
  addMaking(program, act);
  addReading(program, act);
  addDeciding(program, act);
  return program;
}

type Act = (command: Command, act: (session: Session) => Promise<ExitCode>) => Promise<void>;

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

function addMaking(program: Command, act: Act): void {
  program
    .command("submit [name]")
    .description("ask for a generation")
    .option("-f, --filename <file>", "GenerationTasks as YAML or JSON; - for standard input")
    .option("--provider <name>", "the GenerationProvider")
    .option("--model <name>", "the provider's own name of the model")
    .option("--input <name=text>", "a value of the input; name:=JSON for what is no text", collect)
    .option("--key <key>", "the idempotency key: one wish, however often it is submitted")
    .option("--max-credits <credits>", "what an attempt may cost at most")
    .option("--dry-run", "let the API server check it, and make nothing")
    .option("--wait", "wait until it succeeded, or cannot any more")
    .option("--timeout <duration>", "how long to wait", milliseconds, HALF_AN_HOUR_MS)
    .action((name: string | undefined, options: SubmitOptions, command: Command) =>
      act(command, (session) => submitTask(session, name, options)),
    );
  program
    .command("wait <task>")
    .description("wait until a task succeeded; exit code 2 when it cannot any more, 124 when the time is over")
    .addOption(
      new Option("--for <phase>", "the phase to wait for").choices(PHASES).default("Succeeded" satisfies Phase),
    )
    .option(
      "--timeout <duration>",
      "how long, such as 30s, 5m or 1h; 30m when it is not said",
      milliseconds,
      HALF_AN_HOUR_MS,
    )
    .action((name: string, options: WaitOptions, command: Command) =>
      act(command, (session) => waitForTask(session, name, options)),
    );
}

function addReading(program: Command, act: Act): void {
  program
    .command("list")
    .description("the tasks")
    .option("-A, --all-namespaces", "of all namespaces")
    .option("-l, --selector <labels>", "only those with these labels")
    .option("-w, --watch", "go on with what changes")
    .addOption(new Option("--phase <phase>", "only those in this phase").choices(PHASES))
    .option("--provider <name>", "only those of this provider")
    .action((options: ListOptions, command: Command) => act(command, (session) => listTasks(session, options)));
  program
    .command("why <task>")
    .description(
      "everything that is known of a task: where it stands, what it waits for, what it costs, what to do next",
    )
    .action((name: string, _: object, command: Command) => act(command, (session) => explainTask(session, name)));
  program
    .command("providers")
    .description("the providers, and whether they are ready")
    .option("-w, --watch", "go on with what changes")
    .action(({ watch = false }: { readonly watch?: boolean }, command: Command) =>
      act(command, (session) =>
        list(session, { kind: PROVIDERS, selection: { namespace: undefined }, what: "providers", watch }),
      ),
    );
  program
    .command("credits")
    .description("the balance of the namespace, and the newest lines of its ledger")
    .option("--lines <count>", "how many lines", whole, "10")
    .action((options: CreditsOptions, command: Command) => act(command, (session) => showCredits(session, options)));
  const assets = program.command("assets").description("what a task made");
  assets
    .command("list <task>")
    .description("the assets of a task")
    .action((name: string, _: object, command: Command) => act(command, (session) => listAssets(session, name)));
  assets
    .command("get <task> [names...]")
    .description("save assets as files, verified")
    .option("-d, --directory <folder>", "where to", ".")
    .option("--force", "replace files that are there")
    .action((task: string, names: readonly string[], options: GetOptions, command: Command) =>
      act(command, (session) => getAssets(session, { task, names }, options)),
    );
}

function addDeciding(program: Command, act: Act): void {
  program
    .command("cancel <tasks...>")
    .description("ask the provider to cancel; a finished job stays paid")
    .action((names: readonly string[], _: object, command: Command) =>
      act(command, (session) => cancelTasks(session, names)),
    );
  program
    .command("resolve <task>")
    .description("decide about a task that needs review")
    .option("--bind-job <id>", "it is this job of the provider")
    .option("--not-created", "there is certainly no job: try again")
    .option("--write-off", "nobody will ever know: give it up")
    .option("--attempt <number>", "the attempt decided upon; the newest when absent", whole)
    .option("--note <text>", "why, for the record")
    .option("--by <name>", "who decided, for the record")
    .action((name: string, options: ResolveOptions, command: Command) =>
      act(command, (session) => resolveTask(session, name, options)),
    );
}

const HALF_AN_HOUR_MS = 30 * 60_000;

function milliseconds(text: string): number {
  const found = parseDuration(text);
  if (found === undefined) throw new InvalidArgumentError("it must be a duration such as 30s, 5m or 1h30m.");
  return found;
}

function whole(text: string): string {
  if (/^\d{1,4}$/.test(text)) return text;
  throw new InvalidArgumentError("it must be a whole number.");
}
