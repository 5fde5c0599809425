// What the command line says. Reads no environment and prints nothing.
import { parseArgs } from "node:util";

export interface DemoOptions {
  /** End by itself when everything has been shown. */
  readonly once: boolean;
  /** Standard output carries one JSON object alone; all else goes to standard error. */
  readonly json: boolean;
  readonly help: boolean;
  /** An existing cluster instead of the embedded control plane. */
  readonly kubeconfig: string | undefined;
}

export const USAGE = `npm run demo -- [--once] [--json] [--kubeconfig PATH]

Shows the life of some generation tasks, good and bad, on the operator as it is, against a provider that is made to
misbehave, and judges the end by the provider's own record. Takes less than a minute after the set-up.

  --once              end when everything has been shown; without it, all stays up for kubectl until Ctrl-C
  --json              print the figures as one JSON object on the last line of standard output, all else on standard error;
                      "seconds" is the time from the first task to the last one's end, without the set-up
  --kubeconfig PATH   use this cluster instead of an embedded control plane; Postgres, object storage and the provider
                      are still embedded, and the operator runs here. It refuses a cluster that has objects of genop.dev,
                      says what it is going to make, and removes it at the end
  --help              print this

Exit code: 0 when everything ended as announced; 1 when it did not, with a sentence that says why; 2 for a wrong command
line; 130 when it was interrupted before it had ended. NO_COLOR, or an output that is no terminal: lines of changes
instead of a table that is redrawn.
`;

/** The options, or one sentence that says what is wrong with them. */
export function readOptions(args: readonly string[]): DemoOptions | { readonly wrong: string } {
  try {
    const { values } = parseArgs({
      args: [...args],
      strict: true,
      allowPositionals: false,
      options: {
        once: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
        kubeconfig: { type: "string" },
      },
    });
    if (values.kubeconfig === "") return { wrong: "cannot use --kubeconfig: name a file" };
    return { ...values, kubeconfig: values.kubeconfig };
  } catch (error) {
    return { wrong: `cannot read the command line: ${sentenceOf(error)}; --help prints the usage` };
  }
}

/** Node's own words are several sentences: the first one names the flag. */
function sentenceOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [first = message] = message.split(/\.(?:\s|$)/);
  return first.charAt(0).toLowerCase() + first.slice(1);
}
