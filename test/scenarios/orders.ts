// What may happen to one task, in any order, against a model of three integers: what was posted, what was made, what is held.
import { isFinal } from "../../operator/task/phase.ts";
import type { Phase } from "../../operator/task/phase.ts";
import type { ProviderJobId } from "../../operator/task/brand.ts";
import { NOON } from "../builders/seen.ts";
import { makeWorld } from "../fakes/world.ts";
import type { World, WorldOptions } from "../fakes/world.ts";

const GRANTED = 1_000_000n;
const HOUR = 3_600_000;

/** A job as the true webhook names it; before there is one it says nothing. */
function tell(world: World): void {
  const [job] = world.provider.jobs;
  if (job) world.books.claim(job.id);
}

/** A person who looks and does not lie: there is a job, or there is none. */
function decide(world: World): void {
  const [job] = world.provider.jobs;
  const attempt = world.status().attempt ?? 0;
  const decision = job ? { decision: "BindJob", jobID: job.id } : { decision: "NotCreated" };
  world.edit({ wish: { resolution: { attempt, ...decision } } });
}

export const EVENTS = {
  pass: (world: World) => world.run(undefined, 1),
  passes: (world: World) => world.run(undefined, 6),
  hours: (world: World) => world.wait(2 * HOUR),
  webhook: tell,
  forgery: (world: World) => world.books.claim("job-of-a-forger" as ProviderJobId),
  mistype: (world: World) => {
    const attempt = world.status().attempt ?? 0;
    world.edit({ wish: { resolution: { attempt, decision: "BindJob", jobID: "jbo-1" } } });
  },
  decide,
  cancel: (world: World) => world.edit({ wish: { cancelRequested: true } }),
  delete: (world: World) => world.edit({ deletedAt: NOON }),
  wipe: (world: World) => world.edit({ reported: {} }),
} as const satisfies Record<string, (world: World) => unknown>;
export type EventName = keyof typeof EVENTS;
export const EVENT_NAMES = Object.keys(EVENTS) as readonly EventName[];

export interface Story {
  readonly provider: WorldOptions;
  readonly events: readonly EventName[];
}

/** What a story went through: for "sometimes". */
export type Sight =
  | "unknown, then found"
  | "unknown, then absent"
  | "a webhook first"
  | "a forgery refused"
  | "a mistyped job refused"
  | "a person decided"
  | "a cancel that came too late"
  | "a cancel that was confirmed"
  | "deleted while unknown"
  | "parked";

/** Tells the story, then lets the task come to rest. Throws at the first step after which the model is broken. */
export async function play({ events, provider }: Story): Promise<ReadonlySet<Sight>> {
  const world = makeWorld(provider);
  const sights = new Set<Sight>();
  let before = world.status().phase;
  for (const event of [...events, "rest"] as const) {
    if (event === "rest") await world.run(undefined, 120);
    else await EVENTS[event](world);
    note(world, events, sights);
    check(world, before);
    before = event === "wipe" ? undefined : (world.status().phase ?? before);
  }
  return sights;
}

type Rule = (world: World, before: string | undefined) => boolean;

const heldIn = (world: World): bigint => {
  const { released, reserved, settled } = world.books.credits();
  return reserved - settled - released;
};

/** Posted ≥ made, made ≤ 1, held ≤ 1; what was granted is available, held or settled; an end stays. Each tells its break. */
const BREAKS: Readonly<Record<string, Rule>> = {
  "two jobs were made": ({ provider }) => provider.jobs.length > 1,
  "a job without a submit": ({ provider }) => provider.submits() < provider.jobs.length,
  "two attempts live": ({ books }) => books.openHolds() > 1,
  "credits came or went": (world) => {
    const { available, settled } = world.books.credits();
    return available + settled + heldIn(world) !== GRANTED;
  },
  "less than nothing is held": (world) => heldIn(world) < 0n,
  "an end was undone": (world, before) => {
    const { phase } = world.status();
    return before !== undefined && isFinal(before as Phase) && phase !== undefined && phase !== before;
  },
  "an ended task holds credits": (world) => world.books.record()?.ended !== undefined && heldIn(world) !== 0n,
  "a job was taken that does not exist": ({ books, provider }) =>
    books.attempts.some(
      (one) => "jobId" in one && one.jobId !== undefined && !provider.jobs.some(({ id }) => id === one.jobId),
    ),
  "a success without its output": ({ published, status }) => status().phase === "Succeeded" && published.size !== 1,
};

function check(world: World, before: string | undefined): void {
  const broken = Object.entries(BREAKS).flatMap(([word, isBroken]) => (isBroken(world, before) ? [word] : []));
  if (broken.length > 0) throw new Error(broken.join("; "));
}

type Witness = (world: World, events: readonly EventName[]) => boolean;

const phasesOf = (world: World): readonly unknown[] => world.statuses.map(({ phase }) => phase);
const wasUnknown = (world: World): boolean => phasesOf(world).includes("SubmitUnknown");
const succeeded = (world: World): boolean => world.status().phase === "Succeeded";

const WITNESSES: Readonly<Record<Sight, Witness>> = {
  "unknown, then found": (world) =>
    wasUnknown(world) && phasesOf(world).lastIndexOf("Polling") > phasesOf(world).indexOf("SubmitUnknown"),
  "unknown, then absent": (world) =>
    wasUnknown(world) &&
    world.books.attempts.some(
      (one) => one.state === "ended" && one.reason === "NotCreated" && one.sentAt !== undefined,
    ),
  "a webhook first": (world, events) =>
    events.includes("webhook") && !events.includes("decide") && wasUnknown(world) && succeeded(world),
  "a forgery refused": ({ books }) => books.refusedClaims() > 0,
  "a mistyped job refused": (world) => (world.status().message ?? "").includes('cannot bind job "jbo-1"'),
  "a person decided": (world, events) =>
    events.includes("decide") && phasesOf(world).includes("NeedsReview") && succeeded(world),
  "a cancel that came too late": (world, events) => events.includes("cancel") && succeeded(world),
  "a cancel that was confirmed": (world) =>
    world.status().reason === "CancelledByUser" && phasesOf(world).includes("Polling"),
  "deleted while unknown": (world) => wasUnknown(world) && world.books.record()?.ended?.reason === "Deleted",
  parked: (world) => phasesOf(world).includes("NeedsReview"),
};
export const SIGHTS = Object.keys(WITNESSES) as readonly Sight[];

function note(world: World, events: readonly EventName[], sights: Set<Sight>): void {
  for (const sight of SIGHTS) if (WITNESSES[sight](world, events)) sights.add(sight);
}
