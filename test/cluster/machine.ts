// A machine inside this machine: namespaces in which a node may do what it likes. Commands run in it; its files are ours too.
import { mkdirSync, readdirSync, rmdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { ask } from "../env/guardian-client.ts";
import type { Guardian } from "../env/guardian-client.ts";
import type { Command } from "../env/guardian-protocol.ts";
import type { PartName, PartPlan } from "../env/part.ts";
import type { Probe } from "../env/probe.ts";
import { descendantsOf } from "../env/process-tree.ts";
import type { Start } from "../env/start.ts";
import { CGROUPS } from "./capable.ts";

const SCRIPT = join(import.meta.dirname, "machine.sh");
const NAMESPACES = ["--mount", "--net", "--pid", "--ipc"] as const;

type Words = readonly [string, ...string[]];

export interface Machine {
  readonly folder: string;
  /** The control group below which all of its containers are; a name in each hierarchy. */
  readonly controlGroup: string;
  /** The command as it is run from outside. */
  inside(words: Words): Words;
  part(name: PartName, words: Words, ready: Probe): Promise<void>;
  /** Runs a command to its end; throws with its last words. */
  run(name: string, words: Words): Promise<void>;
}

/** Makes the namespaces, with a bridge for pods in them. They end with the guardian, whatever ends it. */
export async function startMachine(start: Start, guardian: Guardian): Promise<Machine> {
  const { folder } = guardian;
  // The signal at the death of the parent is for a guardian that is killed: nobody else would end these.
  const words = ["setpriv", "--pdeathsig", "KILL", "unshare", ...NAMESPACES, "--fork", "--kill-child=KILL"] as const;
  const command: Words = [...words, "--mount-proc", "sh", SCRIPT, folder];
  const plan = planOf(start, "machine", command, { type: "file", path: join(folder, "machine-is-up") });
  await start.part(() => plan);
  const { pid } = await ask(guardian.socketPath, { type: "status", name: "machine" });
  const [first] = descendantsOf(pid ?? 0);
  if (first === undefined) throw new Error("cannot enter the machine: its first process is gone");
  // The guardian keeps its files to itself; what others may not read of an image, its user may not either.
  const others = ["sh", "-c", 'umask 022; exec "$0" "$@"'] as const;
  const inside = (line: Words): Words => [
    "nsenter",
    "--target",
    String(first),
    ...NAMESPACES,
    "--",
    ...others,
    ...line,
  ];
  return {
    folder,
    controlGroup: makeControlGroup(folder),
    inside,
    part: async (name, line, ready) => {
      await start.part(() => planOf(start, name, inside(line), ready));
    },
    run: (name, line) => start.command(planOf(start, name, inside(line), undefined)),
  };
}

function planOf(start: Start, name: PartName, command: Words, ready: Probe): PartPlan;
function planOf(start: Start, name: string, command: Words, ready: undefined): Command;
function planOf(start: Start, name: string, command: Words, ready: Probe | undefined): Command {
  // Nothing of it outlives the namespaces, so nothing has to end in good order.
  return {
    name,
    command,
    logFile: start.logFile(name),
    stopSignal: "SIGTERM",
    quitSignal: "SIGKILL",
    ...(ready && { ready }),
  };
}

/** The hierarchies of version 1, or the single one of version 2. */
function hierarchies(): readonly string[] {
  const folders = readdirSync(CGROUPS)
    .map((name) => join(CGROUPS, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
  return folders.some((path) => basename(path) === "memory") ? folders : [CGROUPS];
}

function makeControlGroup(folder: string): string {
  const name = basename(folder);
  for (const hierarchy of hierarchies()) mkdirSync(join(hierarchy, name), { recursive: true });
  return name;
}

/** Control groups are not of a namespace. Those that are empty go; the kernel keeps those in use. */
export function removeControlGroup(name: string): void {
  for (const hierarchy of hierarchies()) removeGroup(join(hierarchy, name));
}

function removeGroup(path: string): void {
  const entries = statSync(path, { throwIfNoEntry: false }) ? readdirSync(path, { withFileTypes: true }) : undefined;
  if (entries === undefined) return;
  for (const entry of entries) if (entry.isDirectory()) removeGroup(join(path, entry.name));
  try {
    rmdirSync(path);
  } catch {
    // a process is just dying in it: the next cluster tries again
  }
}

/** What is left of machines whose folder is gone. */
export function removeOldControlGroups(prefix: string, isGone: (name: string) => boolean): void {
  const names = hierarchies().flatMap((hierarchy) => readdirSync(hierarchy).filter((name) => name.startsWith(prefix)));
  for (const name of new Set(names)) if (isGone(name)) removeControlGroup(name);
}
