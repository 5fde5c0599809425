// What may happen to two tasks of one wish in one namespace, in any order: one account, one provider with one list of jobs, places for
// both. What is true of each alone is the business of orders.ts; here it is what one may do to the other.
import type { ProviderJobId } from "../../operator/task/brand.ts";
import { isFinal } from "../../operator/task/phase.ts";
import type { Phase } from "../../operator/task/phase.ts";
import { NOON } from "../builders/seen.ts";
import { makeTwins } from "../fakes/world.ts";
import type { World, WorldOptions } from "../fakes/world.ts";

const HOUR = 3_600_000;

type Deed = (own: World, other: World) => unknown;

/** Its jobs, by the provider's own record of whose they are. */
const jobsOf = ({ books, provider }: World) =>
  provider.jobs.filter(({ ref }) => books.attempts.some(({ id }) => id === ref));

/** A person who looks, does not lie, and is heard. */
async function decide(own: World): Promise<void> {
  const [job] = jobsOf(own);
  const attempt = own.status().attempt ?? 0;
  own.edit({
    wish: { resolution: job ? { attempt, decision: "BindJob", jobID: job.id } : { attempt, decision: "NotCreated" } },
  });
  await own.run(undefined, 2);
}

/** A person who takes the other's job for this one's, though the books have it for the other. */
function mistake(own: World, other: World): void {
  const [job] = bound(other);
  const attempt = own.status().attempt ?? 0;
  if (job) own.edit({ wish: { resolution: { attempt, decision: "BindJob", jobID: job.jobId } } });
}

function tell(own: World, about: World): void {
  const [job] = jobsOf(about);
  if (job) own.books.claim(job.id);
}

const DEEDS = {
  passes: (own) => own.run(undefined, 6),
  pass: (own) => own.run(undefined, 1),
  "webhook about its own": (own) => tell(own, own),
  "webhook about the other's": tell,
  decide,
  mistake,
  cancel: (own) => own.edit({ wish: { cancelRequested: true } }),
  delete: (own) => own.edit({ deletedAt: NOON }),
} as const satisfies Record<string, Deed>;
type DeedName = keyof typeof DEEDS;

export interface Event {
  /** The first task, or the second. */
  readonly of: 0 | 1;
  readonly deed: DeedName | "hours";
}

const bothDo = (deed: DeedName): readonly Event[] => [
  { of: 0, deed },
  { of: 1, deed },
];
export const EVENTS: readonly Event[] = [
  ...(Object.keys(DEEDS) as readonly DeedName[]).flatMap(bothDo),
  { of: 0, deed: "hours" },
];

export const wordsOf = (events: readonly Event[]): string => events.map(({ of, deed }) => `${of}: ${deed}`).join(", ");

/** What a story went through: for "sometimes". */
export type Sight =
  | "both succeeded"
  | "one waited for credits"
  | "one waited for the other's place"
  | "the other's job looked like its own"
  | "a claim of the other's job refused"
  | "one ended unknown, and the other succeeded";

export interface Story {
  readonly provider: WorldOptions;
  readonly events: readonly Event[];
}

/** Rounds in which both come to rest. */
const ROUNDS = 40;

/** Tells the story, then lets both come to rest in turn. Throws at the first step after which the model is broken. */
export async function playTwins({ events, provider }: Story): Promise<ReadonlySet<Sight>> {
  const twins = makeTwins(provider);
  const sights = new Set<Sight>();
  const granted = twins[0].books.credits().available;
  let before = twins.map(phaseOf);
  const look = (): void => {
    for (const sight of SIGHTS) if (WITNESSES[sight](twins)) sights.add(sight);
    check({ twins, before, granted });
    before = twins.map(phaseOf);
  };
  for (const { deed, of } of events) {
    const [own, other] = of === 0 ? twins : ([twins[1], twins[0]] as const);
    if (deed === "hours") own.wait(2 * HOUR);
    else await DEEDS[deed](own, other);
    look();
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const rests = await Promise.all(twins.map(comesToRest));
    look();
    if (rests.every(Boolean)) break;
  }
  return sights;
}

/** Whether nothing more happens to it by itself. */
async function comesToRest(world: World): Promise<boolean> {
  const passes = await world.run(undefined, 2);
  return passes < 2 || phaseOf(world) === "NeedsReview";
}

interface Moment {
  readonly twins: readonly [World, World];
  /** The phases before this step. */
  readonly before: readonly (string | undefined)[];
  readonly granted: bigint;
}

const phaseOf = (world: World): string | undefined => world.status().phase;
const heldIn = (world: World): bigint => {
  const { released, reserved, settled } = world.books.credits();
  return reserved - settled - released;
};
const sum = (twins: Moment["twins"], part: (world: World) => bigint): bigint => part(twins[0]) + part(twins[1]);

/** Of each attempt the job that the books have for it. */
function bound({ books }: World): readonly { readonly id: string; readonly jobId: ProviderJobId }[] {
  return books.attempts.flatMap((one) => ("jobId" in one && one.jobId ? [{ id: one.id, jobId: one.jobId }] : []));
}

/** Each tells its break. */
const BREAKS: Readonly<Record<string, (moment: Moment) => boolean>> = {
  "I2: two attempts of one task live": ({ twins }) => twins.some(({ books }) => books.openHolds() > 1),
  "I3: two jobs were made for one task": ({ twins }) => twins.some((one) => jobsOf(one).length > 1),
  "I3: a job without a submit": ({ twins: [{ provider }] }) => provider.submits() < provider.jobs.length,
  "I4: an end was undone": ({ before, twins }) =>
    twins.some((one, nth) => {
      const phase = before[nth] as Phase | undefined;
      return phase !== undefined && isFinal(phase) && one.exists() && phaseOf(one) !== phase;
    }),
  "I5: credits came or went": ({ granted, twins }) => {
    const { available } = twins[0].books.credits();
    return available + sum(twins, ({ books }) => books.credits().settled) + sum(twins, heldIn) !== granted;
  },
  "I5: more is held than there was": ({ twins: [{ books }] }) => books.credits().available < 0n,
  "I5: less than nothing is held": ({ twins }) => twins.some((one) => heldIn(one) < 0n),
  "I5: an ended task holds credits": ({ twins }) =>
    twins.some((one) => one.books.record()?.ended !== undefined && heldIn(one) !== 0n),
  "one task has the other's job": ({ twins }) =>
    twins.some((one) => {
      const { jobs } = one.provider;
      return bound(one).some(({ id, jobId }) => jobs.find((job) => job.id === jobId)?.ref !== id);
    }),
  "one job stands for two attempts": ({ twins }) => {
    const jobs = twins.flatMap(bound).map(({ jobId }) => jobId);
    return new Set(jobs).size < jobs.length;
  },
};

function check(moment: Moment): void {
  const broken = Object.entries(BREAKS).flatMap(([word, isBroken]) => (isBroken(moment) ? [word] : []));
  if (broken.length > 0) throw new Error(broken.join("; "));
}

type Witness = (twins: Moment["twins"]) => boolean;

const went = (world: World, phase: string): boolean => world.statuses.some((status) => status.phase === phase);
const told = (world: World, words: string): boolean =>
  world.statuses.some(({ message }) => message?.includes(words) === true);
const waited = (world: World, reason: string): boolean => world.statuses.some((status) => status.reason === reason);

const WITNESSES: Readonly<Record<Sight, Witness>> = {
  "both succeeded": (twins) => twins.every((one) => phaseOf(one) === "Succeeded"),
  "one waited for credits": (twins) => twins.some((one) => waited(one, "InsufficientCredits")),
  "one waited for the other's place": (twins) => twins.some((one) => waited(one, "QuotaExhausted")),
  "the other's job looked like its own": (twins) => twins.some((one) => told(one, "like ours")),
  "a claim of the other's job refused": (twins) =>
    twins.some((one) => one.books.refusedClaims() > 0 || told(one, "cannot bind job")),
  "one ended unknown, and the other succeeded": (twins) =>
    twins.some((one) => went(one, "SubmitUnknown")) && twins.some((one) => phaseOf(one) === "Succeeded"),
};
export const SIGHTS = Object.keys(WITNESSES) as readonly Sight[];
