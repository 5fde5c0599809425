// Guards the exec plugin of a kubeconfig, which the library starts, waits for without limit, and quotes when it fails: here it
// is killed when nobody waits for it any more, and nothing that it wrote is passed on, for that may be a token.
import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { orAborted } from "./clock.ts";
import { CredentialError } from "./errors.ts";

const STARTED = "child_process";

/**
 * Waits for what `begin` promises. A process that `begin` starts before its first wait is its plugin. Throws the signal's reason, or
 * that the plugin failed; what fails without having started a process is thrown as it is.
 */
export async function withPlugin<T>(begin: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { plugins, promise } = begun(begin);
  try {
    return await orAborted(promise, signal);
  } catch (error) {
    for (const plugin of plugins) plugin.kill("SIGKILL"); // one that has ended takes no notice
    if (signal.aborted || plugins.length === 0) throw error;
    throw failureOf(plugins);
  }
}

function begun<T>(begin: () => Promise<T>): {
  readonly plugins: readonly ChildProcess[];
  readonly promise: Promise<T>;
} {
  const plugins: ChildProcess[] = [];
  const note = (message: unknown): void => void plugins.push((message as { readonly process: ChildProcess }).process);
  subscribe(STARTED, note);
  try {
    return { plugins, promise: begin() };
  } finally {
    unsubscribe(STARTED, note);
  }
}

/** Without a cause: the library's error is what the plugin wrote. */
const failureOf = ([plugin]: readonly ChildProcess[]): Error =>
  new CredentialError(`the exec plugin of the kubeconfig ${endOf(plugin)}`);

function endOf(plugin: ChildProcess | undefined): string {
  if (plugin?.pid === undefined) return "cannot be started";
  if (plugin.exitCode === 0) return "printed no credential";
  return plugin.exitCode === null ? "was killed" : `ended with ${plugin.exitCode}`;
}
