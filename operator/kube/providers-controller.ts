// Keeps the registry of providers like the GenerationProvider objects and their Secrets, and tells in status how they
// stand. Runs on every replica; only the one that may report writes. Talks to no provider.
import { EVENTS } from "../observe/events.ts";
import { systemClock, type Clock, type Random } from "../runtime/clock.ts";
import { makeController, type Controller, type ControllerDeps } from "../runtime/controller.ts";
import { keyOf } from "../runtime/objects.ts";
import { makeOwnWrites, type OwnWrites } from "../runtime/own-writes.ts";
import type { Next } from "../runtime/pass.ts";
import type { Recorder } from "../runtime/recorder.ts";
import type { Reflector } from "../runtime/reflector.ts";
import type { Resource } from "../runtime/resources.ts";
import { enqueueOnChange, specOrCommand } from "../runtime/triggers.ts";
import type { ProviderSpec } from "../task/provider-resource.ts";
import { sha256 } from "./canonical.ts";
import type { ConditionWanted } from "./conditions.ts";
import { conditionsOf, isUnusable } from "./provider-conditions.ts";
import type { CredentialFound, ProviderKnown, UsageKnown } from "./provider-conditions.ts";
import { findCredential, findWebhookSecret } from "./provider-credential.ts";
import { readProvider, readProviderStatus, type ProviderRead, type WireProvider } from "./provider-object.ts";
import type { ProviderInput, ProviderRegistry } from "./provider-registry.ts";
import { writeProviderStatus } from "./provider-status.ts";
import type { LiveQuotas } from "./quota.ts";
import type { Secrets } from "./secrets.ts";

export interface ProviderCounts {
  readonly inFlight: number;
  readonly waiting: number;
}

export interface ProvidersDeps extends Pick<ControllerDeps, "log" | "metrics"> {
  /** Made with the transform `slimProvider`. */
  readonly reflector: Reflector<WireProvider>;
  readonly resource: Pick<Resource<WireProvider>, "patchStatus">;
  /** The operator's own: the only one whose Secrets are credentials. */
  readonly namespace: string;
  /** Made with keepMs 0: each pass must see a rotation. */
  readonly secrets: Secrets;
  readonly quotas: Pick<LiveQuotas, "standing" | "onChange">;
  readonly registry: ProviderRegistry;
  /** From the books. When it throws, the numbers in status stay as they are. */
  readonly counts: (name: string, signal: AbortSignal) => Promise<ProviderCounts>;
  /** How the reading of its usage export stands. When it throws, its condition stays as it is. */
  readonly usage: (name: string, signal: AbortSignal) => Promise<UsageKnown>;
  /** Whether this replica writes status and events: the leader does. */
  readonly mayReport: () => boolean;
  readonly recorder: Pick<Recorder, "record">;
  readonly clock?: Clock;
  readonly random?: Random;
}

export interface ProvidersController {
  readonly controller: Controller;
  /** For metrics: whether each provider could be used when last looked at. */
  ready(): ReadonlyMap<string, boolean>;
}

/** Credentials are read again this often; a rotation is in use after no longer than that. */
const REREAD_MS = 15_000;

/** What the registry was told last, so that it is told again only when something changed. */
interface Told {
  readonly fingerprint: string;
  readonly problems: readonly string[];
}

interface ProvidersWorld extends ProvidersDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly own: OwnWrites<WireProvider>;
  readonly told: Map<string, Told>;
  readonly isReady: Map<string, boolean>;
  /** The reason of Ready that was logged last. */
  readonly said: Map<string, string>;
}

/** Its triggers are registered at once; passes are made while the controller runs. */
export function makeProvidersController(deps: ProvidersDeps): ProvidersController {
  const { reflector, log, metrics, clock = systemClock, random = Math.random } = deps;
  const own = makeOwnWrites<WireProvider>(reflector);
  const world: ProvidersWorld = { ...deps, clock, random, own, told: new Map(), isReady: new Map(), said: new Map() };

  const controller = makeController({
    name: "providers",
    reconcile: (name, signal) => pass(world, name, signal),
    keys: () => reflector.keys(),
    ...(log && { log }),
    ...(metrics && { metrics }),
    ...{ clock, random, settings: { workers: 2 } },
  });
  // Told within the change itself: a provider that exists is never taken for absent, which would reject its tasks.
  reflector.onChange((name, next) => (next ? announce(world, next) : forget(world, name)));
  enqueueOnChange(reflector, controller, { when: specOrCommand() });
  deps.quotas.onChange((names) => names.forEach((name) => controller.enqueue(name)));
  return { controller, ready: () => world.isReady };
}

function announce(world: ProvidersWorld, object: WireProvider): void {
  const name = keyOf(object);
  if (world.told.has(name)) return;
  const read = readProvider(object);
  const message = `the credential of provider ${name} was not read yet`;
  world.registry.put(name, { state: "unusable", spec: "spec" in read ? read.spec : undefined, message });
  world.told.set(name, { fingerprint: "", problems: [message] });
  world.isReady.set(name, false);
}

function forget(world: ProvidersWorld, name: string): void {
  world.log?.("info", EVENTS.providerRemoved, { provider: name });
  world.registry.remove(name);
  world.told.delete(name);
  world.isReady.delete(name);
  world.said.delete(name);
}

async function pass(world: ProvidersWorld, name: string, signal: AbortSignal): Promise<Next> {
  const object = world.own.get(name);
  if (!object || !world.reflector.has(name)) return "rest";

  const read = readProvider(object);
  const credential: CredentialFound =
    read.outcome === "read"
      ? await findCredential(world.secrets, world.namespace, read.spec, signal)
      : { state: "none-needed" };
  const webhookSecret =
    read.outcome === "read" ? await findWebhookSecret(world.secrets, world.namespace, read.spec, signal) : undefined;
  if (!world.reflector.has(name)) return "rest"; // it went while its Secret was read

  const known: ProviderKnown = {
    generation: object.metadata.generation ?? 0,
    unreadable: read.outcome === "read" ? undefined : read.message,
    credential,
    problems: tell(world, object, { read, credential, webhookSecret }),
    lockedOut: world.registry.lockedOut(name),
    quota: world.quotas.standing(name),
    usage: read.outcome === "read" ? await usageKnown(world, object, read.spec, signal) : undefined,
  };
  const conditions = conditionsOf(known);
  noteReadiness(world, name, conditions);
  if (world.mayReport()) await writeProviderStatus(world, { object, conditions }, signal);
  return { afterMs: REREAD_MS * (0.8 + 0.4 * world.random()) };
}

/** Only who reports needs to know. */
async function usageKnown(
  { mayReport, usage }: ProvidersWorld,
  object: WireProvider,
  { http }: ProviderSpec,
  signal: AbortSignal,
): Promise<UsageKnown | undefined> {
  if (!http?.usage || !mayReport()) return undefined;
  try {
    return await usage(keyOf(object), signal);
  } catch {
    signal.throwIfAborted();
    const before = readProviderStatus(object.status).conditions?.find(({ type }) => type === "UsageRead");
    return { state: "unasked", before };
  }
}

/** Said once each time it changes, and once at the start. */
function noteReadiness(world: ProvidersWorld, name: string, conditions: readonly ConditionWanted[]): void {
  const ready = conditions.find(({ type }) => type === "Ready");
  const isReady = ready?.status === "True";
  const said = world.said.get(name);
  world.isReady.set(name, isReady);
  world.said.set(name, ready?.reason ?? "");
  if (said === ready?.reason) return;
  if (isReady) world.log?.("info", EVENTS.providerReady, { provider: name });
  else world.log?.("warn", EVENTS.providerNotReady, { provider: name, reason: ready?.reason });
}

interface Found {
  readonly read: ProviderRead;
  readonly credential: CredentialFound;
  readonly webhookSecret: string | undefined;
}

/** Hands the provider to the registry if it is not as it was; answers what the registry can't use of it. */
function tell(
  world: ProvidersWorld,
  object: WireProvider,
  { read, credential, webhookSecret }: Found,
): readonly string[] {
  const name = keyOf(object);
  const secret = credential.state === "read" ? sha256(credential.value) : credential.state;
  const fingerprint = [object.metadata.uid, object.metadata.generation, secret, sha256(webhookSecret ?? "")].join("/");
  const before = world.told.get(name);
  if (before?.fingerprint === fingerprint) return before.problems;

  const problems = world.registry.put(name, inputOf({ read, credential, webhookSecret }));
  world.told.set(name, { fingerprint, problems });
  return problems;
}

function inputOf({ credential, read, webhookSecret }: Found): ProviderInput {
  if (read.outcome === "unreadable") return { state: "unusable", spec: undefined, message: read.message };
  const { spec } = read;
  if (isUnusable(credential)) return { state: "unusable", spec, message: credential.message };
  const value = credential.state === "read" ? credential.value : undefined;
  return { state: "usable", spec, credential: value, webhookSecret };
}
