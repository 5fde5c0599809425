// Does what a page says, as its reader would: every line of its shell blocks, in order, in one shell that stops at the first failure.
import { execFile } from "node:child_process";
import { delimiter, dirname } from "node:path";
import { promisify } from "node:util";
import { blocksOf, readText } from "../docs/markdown.ts";
import type { Cluster } from "../env/kubectl.ts";

export interface Walk {
  readonly page: string;
  /** Where the shell stands. */
  readonly folder: string;
  readonly cluster: Cluster;
  readonly variables?: Readonly<Record<string, string>>;
  /** Before the system's own programs. */
  readonly programs?: readonly string[];
  /** What comes after the last line. */
  readonly more?: string;
}

const LANGUAGES: ReadonlySet<string> = new Set(["sh", "bash"]);

/** The texts of a page's shell blocks. */
export const shellBlocksOf = (page: string): readonly string[] =>
  blocksOf(readText(page))
    .filter(({ language }) => LANGUAGES.has(language))
    .map(({ text }) => text);

/** What was printed. Rejects with what was said on standard error when a line fails. */
export async function follow({ cluster, folder, more = "", page, programs = [], variables }: Walk): Promise<string> {
  const PATH = [...programs, dirname(cluster.kubectlPath), process.env.PATH].join(delimiter);
  const env = { PATH, KUBECONFIG: cluster.kubeconfigPath, HOME: folder, ...variables };
  const script = [...shellBlocksOf(page), more].join("\n");
  const { stdout } = await promisify(execFile)("bash", ["-eu", "-o", "pipefail", "-c", script], { cwd: folder, env });
  return stdout;
}
