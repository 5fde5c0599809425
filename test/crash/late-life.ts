// What goes on after an attempt was given up, in minutes made seconds: the laboratory makes each look due, lets the provider show its job
// when it was sought twice in vain, and waits until the search is over and the task says so.
import { setTimeout as pause } from "node:timers/promises";
import type { JobRecord } from "../provider/admin/contents.ts";
import type { LateLife } from "./behaviour.ts";
import { ATTEMPTS, keyOf } from "./bench.ts";
import type { Bench, Place } from "./bench.ts";
import { tell } from "./reactions.ts";

const LOOK_EVERY_MS = 200;
/** Visits in a state before something happens. */
const VISITS = 2;

interface Search {
  readonly state: "searching" | "found" | "over";
  readonly looks: number;
}

/** Resolves when nothing is left to happen: the search is over and told, or no job was ever made. Rejects on abort. */
export async function liveLate(bench: Bench, place: Place, life: LateLife, signal: AbortSignal): Promise<void> {
  const done = new Set<Deed>();
  for (let search = await hasten(bench, place); isOn(search); search = await hasten(bench, place)) {
    const deed = deedFor(search, life);
    if (deed && !done.has(deed)) {
      const [job] = (await bench.provider.record({ reference: keyOf(place) })).jobs;
      if (!job) return;
      await DEEDS[deed](bench, place, job);
      done.add(deed);
    }
    await pause(LOOK_EVERY_MS, undefined, { signal });
  }
  await bench.watcher.until(`the late job of ${keyOf(place)} to be told of`, () => isTold(bench, place), signal);
}

function isOn(search: Search | undefined): search is Search {
  return search !== undefined && search.state !== "over";
}

function isTold({ watcher }: Bench, place: Place): boolean {
  const { conditions = [] } = watcher.get(keyOf(place))?.status ?? {};
  return conditions.some(({ reason }) => reason === "LateJobOver");
}

type Deed = keyof typeof DEEDS;

/** What the provider does at this point of the search. */
const DEEDS = {
  show: ({ provider }: Bench, _place: Place, { id }: JobRecord) => provider.show(id),
  tell: (bench: Bench, place: Place) => tell(bench, place),
  finish: async ({ provider }: Bench, _place: Place, { finishedAt, id }: JobRecord) => {
    if (finishedAt === null) await provider.finish(id);
  },
} as const;

function deedFor({ looks, state }: Search, { runsOn, toldBy }: LateLife): Deed | undefined {
  if (looks < VISITS) return undefined;
  if (state === "searching") return toldBy === "look" ? "show" : "tell";
  return runsOn ? "finish" : undefined;
}

/** The search of the task, due at once; undefined when there is none. */
async function hasten({ books }: Bench, { name, namespace }: Place): Promise<Search | undefined> {
  await books.query(
    `update genop.late_searches set next_at = clock_timestamp()
      where attempt_id in (select id from ${ATTEMPTS} mine) and state <> 'over' and next_at > clock_timestamp()`,
    [namespace, name],
  );
  const { rows } = await books.query<Search>(
    `select late.state, late.looks from genop.late_searches late join ${ATTEMPTS} mine on mine.id = late.attempt_id`,
    [namespace, name],
  );
  return rows[0];
}
