// Books every CreditGrant once and tells so in its status. Runs on the leader of the grant's shard. Status permits nothing: while it does not
// say applied, the ledger is asked, and knows by the grant's key. It may forbid: what it calls applied is not booked again.
import { EVENTS } from "../observe/events.ts";
import { systemClock, type Clock } from "../runtime/clock.ts";
import { makeController, type Controller, type ControllerDeps } from "../runtime/controller.ts";
import { makeOwnWrites, type OwnWrites } from "../runtime/own-writes.ts";
import { keyOf } from "../runtime/objects.ts";
import type { Next } from "../runtime/pass.ts";
import type { Recorder } from "../runtime/recorder.ts";
import type { Reflector } from "../runtime/reflector.ts";
import type { Resource } from "../runtime/resources.ts";
import { anyOf, enqueueOnChange, specOrCommand } from "../runtime/triggers.ts";
import type { MicroCredits } from "../task/brand.ts";
import type { GrantSpec } from "../task/grant-resource.ts";
import { readGrant, readGrantStatus, type WireGrant } from "./grant-object.ts";
import { pinGrant, reportGrant } from "./grant-writes.ts";

export interface Grant {
  /** The business key: applying the same one again changes nothing and answers the same. */
  readonly uid: string;
  readonly namespace: string;
  readonly amount: MicroCredits;
  readonly reason: string;
  /** Given back of what this attempt settled; undefined: new credits. */
  readonly refund: GrantSpec["refund"];
}

export type GrantOutcome =
  | { readonly outcome: "applied"; readonly transactionId: string }
  /** The ledger does not take it: it has this key with other contents, or a refund has nothing to be taken from. */
  | { readonly outcome: "refused"; readonly message: string };

export interface GrantsDeps extends Pick<ControllerDeps, "log" | "metrics" | "mayAct"> {
  /** Made with the transform `slimGrant`. */
  readonly reflector: Reflector<WireGrant>;
  readonly resource: Pick<Resource<WireGrant>, "patchStatus" | "jsonPatch">;
  /** Throws when the books can't be reached, or this process no longer leads. */
  readonly applyGrant: (grant: Grant, signal: AbortSignal) => Promise<GrantOutcome>;
  /** There are new credits: tasks that wait for some must be woken. May be called again for the same grant. */
  readonly onApplied: (namespace: string) => void;
  readonly recorder: Pick<Recorder, "record">;
  /** Whether a key is for this controller. Default: all are. */
  readonly isOurs?: (key: string) => boolean;
  readonly clock?: Clock;
}

interface World extends GrantsDeps {
  readonly clock: Clock;
  readonly own: OwnWrites<WireGrant>;
}

/** Its triggers are registered at once; passes are made while the controller runs. */
export function makeGrantsController(deps: GrantsDeps): Controller {
  const { reflector, log, metrics, mayAct, clock = systemClock, isOurs = () => true } = deps;
  const world: World = { ...deps, clock, own: makeOwnWrites<WireGrant>(reflector) };
  const controller = makeController({
    name: "grants",
    reconcile: (key, signal) => pass(world, key, signal),
    keys: () => [...reflector.keys()].filter(isOurs),
    ...(log && { log }),
    ...(metrics && { metrics }),
    ...(mayAct && { mayAct }),
    clock,
  });
  enqueueOnChange(reflector, controller, {
    when: anyOf(specOrCommand(), hasLostStatus),
    keys: (object) => [keyOf(object)].filter(isOurs),
  });
  return controller;
}

/** Somebody wiped it. It is a view, and is made again. */
function hasLostStatus(next: WireGrant | undefined, previous: WireGrant | undefined): boolean {
  const wasApplied = readGrantStatus(previous?.status).applied === true;
  return wasApplied && readGrantStatus(next?.status).applied !== true;
}

/**
 * What the ledger has once refused stays refused, though it would take it by now: the person was told to make another one, and both
 * would give.
 */
function isDecided({ metadata, status }: WireGrant): boolean {
  const { applied, conditions = [] } = readGrantStatus(status);
  const said = conditions.find(({ type }) => type === "Applied");
  const isRefused = said?.reason === "GrantRefused" && said.observedGeneration === metadata.generation;
  return applied === true || isRefused;
}

async function pass(world: World, key: string, signal: AbortSignal): Promise<Next> {
  const object = world.own.get(key);
  if (!object || object.metadata.deletionTimestamp !== undefined) return "rest";
  if (isDecided(object)) return "rest";

  const grant = readGrant(object);
  if (grant.outcome === "unreadable") {
    await reportGrant(world, { object, reason: "GrantUnreadable", message: grant.message }, signal);
    return "rest";
  }

  // First the key, then the books: credits booked under a key that a restored object does not carry come twice.
  const { pinned, uid } = await pinGrant(world, object, signal);
  const { namespace = "" } = pinned.metadata;
  const { amount, reason, refund } = grant;
  const booked = await world.applyGrant({ uid, namespace, amount, reason, refund }, signal);
  if (booked.outcome === "refused") {
    world.log?.("error", EVENTS.grantRefused, { grant: key, problem: booked.message });
    await reportGrant(world, { object: pinned, reason: "GrantRefused", message: booked.message }, signal);
    return "rest";
  }

  world.log?.("info", EVENTS.grantApplied, { grant: key, transactionId: booked.transactionId });
  world.onApplied(namespace);
  await reportGrant(world, { object: pinned, reason: "GrantApplied", transactionId: booked.transactionId }, signal);
  return "rest";
}
