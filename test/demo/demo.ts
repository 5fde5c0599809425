// The demo from curtain to curtain: set up, play, report, stay, clean up. Prints through the screen it is given.
import { mkdtemp, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeProviderAdmin } from "../provider/client.ts";
import type { ProviderAdmin } from "../provider/client.ts";
import { watchTasks } from "../operator/watcher.ts";
import type { SeenTask, TaskWatcher } from "../operator/watcher.ts";
import { ROLES } from "./cast.ts";
import { embeddedStage, existingStage } from "./cluster.ts";
import type { Stage } from "./cluster.ts";
import { collect } from "./evidence.ts";
import type { Figures } from "./figures.ts";
import { startKeeper } from "./keeper.ts";
import type { Keeper } from "./keeper.ts";
import type { DemoOptions } from "./options.ts";
import { report } from "./report.ts";
import type { Screen } from "./screen.ts";
import { keyOf, play, setUpTenants } from "./story.ts";
import { rowOf } from "./table.ts";
import { VARIABLES } from "./tempo.ts";
import { nextLines, reviewOf, writeObjects } from "./try-next.ts";

export interface Demo {
  readonly options: Pick<DemoOptions, "kubeconfig" | "once">;
  readonly screen: Screen;
  /** Prints a line below the table. */
  readonly print: (text: string) => void;
  readonly signal: AbortSignal;
  /** The figures are known: told once, before the demo stays up. */
  readonly judged: (figures: Figures, problems: readonly string[]) => void;
}

const REDRAW_MS = 200;

/** Runs it. Rejects when it can't be set up or played, or with the signal's reason; everything is ended before. */
export async function runDemo(demo: Demo): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "generation-operator-demo-"));
  try {
    await onStage(demo, folder);
  } catch (error) {
    // Nothing to look at in a demo that was broken off; in one that failed, there may be the operator's log.
    if (demo.signal.aborted) await rm(folder, { recursive: true, force: true });
    else await rmdir(folder).catch(() => undefined);
    throw error;
  }
}

async function onStage(demo: Demo, folder: string): Promise<void> {
  const { options, screen, signal } = demo;
  const say = (text: string): void => {
    screen.say(text);
  };
  const stage =
    options.kubeconfig === undefined
      ? await embeddedStage(say, signal)
      : await existingStage(options.kubeconfig, say, signal);
  say(`what there is to look at stays in ${folder}: some files, and the operator's log`);
  const variables = { ...VARIABLES, ...stage.variables };
  const keeper = startKeeper(stage.installation, { variables, logFile: join(folder, "operator.log"), say });
  try {
    await perform({ ...demo, folder, stage, keeper });
  } finally {
    screen.finish();
    await stage.clean(() => keeper.stop()).finally(() => stage.stop());
  }
}

interface Performance extends Demo {
  readonly folder: string;
  readonly stage: Stage;
  readonly keeper: Keeper;
}

async function perform(performance: Performance): Promise<void> {
  const { keeper, options, screen, signal, stage } = performance;
  await setUpTenants(stage);
  signal.throwIfAborted();
  const watcher = await watchTasks(stage.environment);
  const redrawing = follow(stage, watcher, screen);
  const provider = makeProviderAdmin(stage.environment.provider.adminUrl);
  const startedMs = Date.now();
  try {
    await play({ stage, provider, watcher, keeper, signal, say: (text) => screen.say(text) });
    const seconds = (Date.now() - startedMs) / 1000;
    redrawing.draw();
    screen.finish();
    await conclude({ ...performance, watcher, provider, seconds });
    if (!options.once) await untilInterrupted(signal);
  } finally {
    redrawing.stop();
    await watcher.stop();
  }
}

interface Conclusion extends Performance {
  readonly watcher: TaskWatcher;
  readonly provider: ProviderAdmin;
  /** From the first task to the last one's end. */
  readonly seconds: number;
}

async function conclude({
  folder,
  judged,
  options,
  print,
  provider,
  seconds,
  stage,
  watcher,
}: Conclusion): Promise<void> {
  const findings = await collect(stage, provider, { tasks: watcher.all(), seconds });
  const problems = await report({ stage, provider, watcher, folder, print }, findings);
  print("");
  for (const problem of problems) print(`not as it must be: ${problem}`);
  if (problems.length === 0)
    print(`all ${ROLES.length} tasks ended as announced, and the books agree with the provider's`);
  if (!options.once) {
    await writeObjects(stage, folder);
    print("");
    print("Everything stays up until Ctrl-C. In another terminal:");
    for (const line of nextLines(stage, folder, reviewOf(findings.attempts, findings.record))) print(`  ${line}`);
    print("");
  }
  judged(findings.figures, problems);
}

interface Redrawing {
  draw(): void;
  stop(): void;
}

/** Shows each change as it comes, and the seconds as they pass. */
function follow(stage: Stage, watcher: TaskWatcher, screen: Screen): Redrawing {
  const shows = new Map(ROLES.map((role) => [keyOf(stage, role), role.shows]));
  const order = [...shows.keys()];
  const told = new Map<string, string>();
  const draw = (): void => {
    const known = new Map(watcher.all().map((task) => [keyOfTask(task), task]));
    const keys = [...order, ...[...known.keys()].filter((key) => !shows.has(key))];
    const now = Date.now();
    screen.show(
      keys.flatMap((key) => {
        const task = known.get(key);
        return task ? [rowOf(task, shows.get(key) ?? "", now)] : [];
      }),
    );
  };
  watcher.onChange((key, task) => {
    const state = stateOf(task);
    if (!task || state === undefined || told.get(key) === state) return;
    told.set(key, state);
    screen.changed(rowOf(task, shows.get(key) ?? "", Date.now()), task.status?.message ?? "");
  });
  const timer = setInterval(draw, REDRAW_MS);
  return { draw, stop: () => clearInterval(timer) };
}

/** What must change to be worth a line; undefined before the operator has said anything. */
function stateOf(task: SeenTask | undefined): string | undefined {
  const { attempt = 0, phase, reason = "" } = task?.status ?? {};
  return phase && `${phase} ${reason} ${attempt}`;
}

function keyOfTask({ metadata }: SeenTask): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

function untilInterrupted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
