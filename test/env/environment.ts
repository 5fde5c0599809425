// The real parts that tests, demo and benchmarks run against, together: started in parallel on free loopback ports in a
// temporary folder, and gone (processes and folder) when their owner stops them, ends, or is killed.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { attach, type AttachedEnvironment, type Coordinates } from "./attach.ts";
import { ensureBinaries } from "./binaries.ts";
import { OBJECT_STORE, type Binaries } from "./binary-search.ts";
import { startControlPlane, type ControlPlaneOptions } from "./control-plane.ts";
import { startGuardian, type Guardian } from "./guardian-client.ts";
import { startObjectStore } from "./object-store.ts";
import { startPostgres, type PostgresOptions } from "./postgres.ts";
import { startProvider } from "./provider.ts";
import { makeStart, type Start, type Started, type Timing } from "./start.ts";

export interface EnvironmentOptions {
  /** Etcd, kube-apiserver and kube-controller-manager. */
  readonly controlPlane?: boolean | ControlPlaneOptions;
  readonly controllerManager?: boolean;
  readonly postgres?: boolean | PostgresOptions;
  readonly s3?: boolean;
  readonly provider?: boolean;
  /** Hears about slow beginnings, such as the first build; standard error unless told. */
  readonly say?: (line: string) => void;
}

export interface Environment extends AttachedEnvironment {
  /** Names what `attachTo` of attach.ts reads, for other processes. */
  readonly coordinatesPath: string;
  readonly timings: readonly Timing[];
  /** Ends every process and removes the folder; resolves when both are done. */
  stop(): Promise<void>;
}

/** Leave out every part but these: `only("postgres")`. */
export function only(...parts: readonly ("controlPlane" | "postgres" | "s3" | "provider")[]): EnvironmentOptions {
  const has = (part: (typeof parts)[number]) => parts.includes(part);
  return { controlPlane: has("controlPlane"), postgres: has("postgres"), s3: has("s3"), provider: has("provider") };
}

function find(options: EnvironmentOptions): Promise<Binaries> {
  const wanted = { controlPlane: options.controlPlane !== false, objectStore: options.s3 ?? true };
  return ensureBinaries(process.env, wanted, sayOf(options));
}

function sayOf({ say }: EnvironmentOptions): (line: string) => void {
  return say ?? ((line) => void process.stderr.write(`${line}\n`));
}

type Addresses = Omit<Coordinates, "folder" | "socketPath" | "plans">;

function postgresOptions(wanted: EnvironmentOptions["postgres"]): PostgresOptions | undefined {
  if (wanted === false) return undefined;
  return typeof wanted === "object" ? wanted : {};
}

/** Everything that was asked for, in parallel. */
async function startParts(start: Start, options: EnvironmentOptions, binaries: Binaries): Promise<Addresses> {
  const { controlPlane = true, controllerManager = true, provider = true } = options;
  const plane: ControlPlaneOptions = typeof controlPlane === "object" ? controlPlane : {};
  const postgres = postgresOptions(options.postgres);
  const store = binaries[OBJECT_STORE];
  const [cluster, database, objects, simulator] = await Promise.all([
    controlPlane ? startControlPlane(start, binaries, { ...plane, withManager: controllerManager }) : undefined,
    postgres && startPostgres(start, postgres, process.env.GENOP_POSTGRES),
    store === undefined ? undefined : startObjectStore(start, store),
    provider ? startProvider(start) : undefined,
  ]);
  return { controlPlane: cluster, postgres: database, s3: objects, provider: simulator };
}

function environmentOf(guardian: Guardian, coordinates: Coordinates, started: Started): Environment {
  const coordinatesPath = join(coordinates.folder, "environment.json");
  writeFileSync(coordinatesPath, JSON.stringify(coordinates), { mode: 0o600 });
  const own = { coordinatesPath, timings: started.timings, stop: () => guardian.end() };
  return Object.assign(attach(coordinates), own);
}

/**
 * Starts an environment and resolves when every part of it answers. Throws one sentence when a program is missing, or
 * with a part's last words when it does not start; nothing is left behind then. An abort of `signal` ends the start, not
 * a started environment.
 */
export async function startEnvironment(options: EnvironmentOptions = {}, signal?: AbortSignal): Promise<Environment> {
  const binaries = await find(options);
  const guardian = await startGuardian();
  const { folder, socketPath } = guardian;
  const failed = new AbortController();
  const either = AbortSignal.any([failed.signal, ...(signal ? [signal] : [])]);
  const { start, started } = makeStart({ guardian, signal: either, say: sayOf(options) });
  try {
    const addresses = await startParts(start, options, binaries);
    return environmentOf(guardian, { folder, socketPath, plans: started.plans, ...addresses }, started);
  } catch (error) {
    failed.abort(error);
    await guardian.end();
    throw error;
  }
}
