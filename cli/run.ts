// One run of the command line: words in, an exit code out. Everything of the process that it needs is given to it.
import { CommanderError, type Command } from "commander";
import { makeCluster } from "./cluster/client.ts";
import { chooseCluster } from "./cluster/config.ts";
import { makeServices } from "./cluster/services.ts";
import { COMPLETION_MS, complete } from "./completion.ts";
import { EXIT, Failure, type ExitCode } from "./failure.ts";
import { makeTerminal, type Streams } from "./output/terminal.ts";
import { makeProgram, type CommonOptions } from "./program.ts";
import type { Session } from "./session.ts";

export interface Process extends Omit<Streams, "noColour"> {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
}

/** Never throws what a user can cause: that is told on standard error, as one sentence. */
export async function runCommandLine(words: readonly string[], own: Process): Promise<ExitCode> {
  const { err, out, signal, variables } = own;
  let ending: ExitCode = EXIT.done;
  const program = makeProgram({
    variables,
    run: async (options, act) => {
      ending = await withSession(own, options, act);
    },
  });
  quiet(program, own);
  try {
    if (words[0] === "__complete") {
      const lines = await complete(program, words.slice(1), (typed, ask) =>
        asked(own, { ...defaults(program), ...typed }, ask),
      );
      out.write(`${lines.join("\n")}\n`);
    } else {
      await program.parseAsync([...words], { from: "user" });
    }
    return ending;
  } catch (error) {
    if (signal.aborted) return EXIT.interrupted;
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.failed; // it has been told
    if (!(error instanceof Failure)) throw error;
    err.write(`${error.message}\n`);
    return error.exitCode;
  }
}

/** The parser never ends the process, and speaks as everything else does. */
function quiet(command: Command, { err, out }: Process): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => void out.write(text),
    writeErr: (text) => void err.write(text),
    outputError: (text, write) => write(`cannot understand this: ${text.replace(/^error: /, "")}`),
  });
  for (const inner of command.commands) quiet(inner, { err, out, variables: {}, signal: new AbortController().signal });
}

function defaults(program: Command): CommonOptions {
  return program.opts<CommonOptions>();
}

async function withSession<Answer>(
  own: Process,
  options: CommonOptions,
  act: (session: Session) => Promise<Answer>,
): Promise<Answer> {
  const { signal, variables } = own;
  const { kubeConfig, namespace } = chooseCluster({
    kubeconfig: options.kubeconfig,
    context: options.context,
    namespace: options.namespace,
  });
  const cluster = makeCluster(kubeConfig);
  const { account, evidence, rest } = options;
  try {
    return await act({
      cluster,
      services: makeServices(cluster, { account, evidence, rest }),
      namespace,
      format: options.output ?? "table",
      terminal: makeTerminal({ ...own, noColour: variables.NO_COLOR }),
      signal,
      now: () => new Date(),
    });
  } finally {
    await cluster.close();
  }
}

/** For completion: no answer is no candidates. */
async function asked(
  own: Process,
  options: CommonOptions,
  ask: (session: Session) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const signal = AbortSignal.any([own.signal, AbortSignal.timeout(COMPLETION_MS)]);
  return withSession({ ...own, signal }, options, ask).catch(() => []);
}
