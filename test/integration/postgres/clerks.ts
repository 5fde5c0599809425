// Clients that reserve, settle and release on few accounts, all at once, and write down what they asked and what they were
// answered. When an answer is lost they do what the operator does: look, and say the same again.
import { setTimeout as pause } from "node:timers/promises";
import { PostgresFault } from "../../../operator/postgres/faults.ts";
import type { Beginning } from "../../../operator/reconcile/ports.ts";
import type { Ending } from "../../../operator/task/action.ts";
import type { LiveAttempt } from "../../../operator/task/action.ts";
import { micro } from "../../../operator/task/credits.ts";
import { NEVER, NOT_CREATED, UNLIMITED, wish } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { isLinearizable } from "./linear.ts";
import type { Call, Recorded } from "./linear.ts";

export const RESERVED = 100n;

export interface Office {
  /** Calls by account. */
  readonly history: ReadonlyMap<string, readonly Recorded[]>;
  /** What was acknowledged as ended: its key, its account and its charge. */
  readonly settled: readonly { readonly beginning: Beginning; readonly charge: bigint }[];
  /** How often an answer was lost, and how often a call failed of which nothing can have happened. */
  readonly counts: { readonly unknown: number; readonly nothing: number };
}

export interface OfficeSettings {
  readonly desk: Desk;
  /** Namespaces that have a grant. */
  readonly accounts: readonly string[];
  readonly clients: number;
  readonly seed: number;
  /** Jobs are taken on while this is true, each client by itself. */
  readonly goesOn: (jobsDone: number) => boolean;
}

interface Work extends OfficeSettings {
  readonly history: Map<string, Recorded[]>;
  readonly settled: { readonly beginning: Beginning; readonly charge: bigint }[];
  readonly counts: { unknown: number; nothing: number };
  readonly moment: () => number;
}

const RETRY_MS = 20;
// A lost answer is known in the end, or the database is gone for good.
const MAX_TRIES = 3_000;

/** Resolves when every job that was begun has ended. */
export async function runOffice(settings: OfficeSettings): Promise<Office> {
  let moments = 0;
  const work: Work = {
    ...settings,
    history: new Map(settings.accounts.map((account) => [account, []])),
    settled: [],
    counts: { unknown: 0, nothing: 0 },
    moment: () => (moments += 1),
  };
  await Promise.all(Array.from({ length: settings.clients }, (_, client) => beClient(work, client)));
  return work;
}

/** Numbers in [0, 1) that follow from the seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function beClient(work: Work, client: number): Promise<void> {
  const random = randomFrom(work.seed * 1000 + client);
  for (let jobs = 0; work.goesOn(jobs); jobs += 1) {
    const account = work.accounts[Math.floor(random() * work.accounts.length)] ?? "";
    await doJob(work, account, { client, isRelease: random() < 0.4, charge: BigInt(Math.floor(random() * 101)) });
    if (random() < 0.5) await read(work, account);
  }
}

interface Job {
  readonly client: number;
  readonly isRelease: boolean;
  readonly charge: bigint;
}

async function doJob(work: Work, account: string, { charge, client, isRelease }: Job): Promise<void> {
  const beginning = wish({ namespace: account, provider: `client-${client}`, estimate: micro(RESERVED) });
  if (!(await reserve(work, beginning))) return;
  if (isRelease) return end(work, beginning, { ...NOT_CREATED });
  await insist(() => send(work, beginning));
  await end(work, beginning, { ...NOT_CREATED, reason: "WrittenOff", charge: micro(charge) });
}

/** Whether the credits are held in the end. */
async function reserve(work: Work, beginning: Beginning): Promise<boolean> {
  const { key, namespace } = beginning;
  return insist(async () => {
    const answer = await asked(
      work,
      namespace,
      { type: "reserve", key, amount: RESERVED, answer: "begun" },
      async () => {
        const { outcome } = await work.desk.books.begin(beginning, NEVER);
        if (outcome === "over-budget") throw new Error("cannot be over a budget: there is none");
        return { type: "reserve", key, amount: RESERVED, answer: outcome };
      },
    );
    if (answer?.type === "reserve") return answer.answer !== "short";
    const seen = await look(work, beginning);
    return seen === "live" ? true : undefined;
  });
}

async function end(work: Work, beginning: Beginning, ending: Ending): Promise<void> {
  const { key, namespace } = beginning;
  const { charge } = ending;
  const attempt = await insist(() => live(work, beginning));
  await insist(async () => {
    const answer = await asked(work, namespace, { type: "end", key, charge, answer: "done" }, async () => {
      const { outcome } = await work.desk.books.end(attempt, ending, []);
      return { type: "end", key, charge, answer: outcome };
    });
    return answer?.type === "end" ? true : undefined;
  });
  work.settled.push({ beginning, charge });
}

async function send(work: Work, beginning: Beginning): Promise<true | undefined> {
  const attempt = await live(work, beginning);
  if (attempt?.state !== "intended") return attempt && true;
  const sent = await faultless(work, () => work.desk.books.markSent(attempt, UNLIMITED, 60_000, NEVER));
  return sent && true;
}

async function live(work: Work, { key }: Beginning): Promise<LiveAttempt | undefined> {
  const facts = await faultless(work, () => work.desk.books.load(key, NEVER));
  if (!facts?.attempt) return undefined;
  if (facts.attempt.state === "ended") throw new Error(`${key} has ended, and nobody ended it`);
  return facts.attempt;
}

async function look(work: Work, { key, namespace }: Beginning): Promise<"none" | "live" | "ended" | undefined> {
  const answer = await asked(work, namespace, undefined, async () => {
    const { attempt } = await work.desk.books.load(key, NEVER);
    const state = attempt === undefined ? "none" : attempt.state === "ended" ? "ended" : "live";
    return { type: "look", key, answer: state };
  });
  return answer?.type === "look" ? answer.answer : undefined;
}

async function read(work: Work, account: string): Promise<void> {
  await asked(work, account, undefined, async () => {
    const { available, held } = await work.desk.reports.accountStatement(account, 1, NEVER);
    return { type: "read", answer: { available, held } };
  });
}

/** Makes a call and writes it down; undefined when there was no answer. `guess`: what it does if it does anything. */
async function asked(
  work: Work,
  account: string,
  guess: Call | undefined,
  make: () => Promise<Call>,
): Promise<Call | undefined> {
  const begunAt = work.moment();
  const record = (call: Call, isUnknown: boolean): void => {
    const answeredAt = isUnknown ? Infinity : work.moment();
    work.history.get(account)?.push({ call, isUnknown, begunAt, answeredAt });
  };
  try {
    const call = await make();
    record(call, false);
    return call;
  } catch (error) {
    if (isLost(work, error) && guess) record(guess, true);
    return undefined;
  }
}

async function faultless<T>(work: Work, make: () => Promise<T>): Promise<T | undefined> {
  try {
    return await make();
  } catch (error) {
    isLost(work, error);
    return undefined;
  }
}

/** The adapter's word is taken: only this fault may have written something. That is what the history proves. */
function isLost({ counts }: Work, error: unknown): boolean {
  if (!(error instanceof PostgresFault)) throw error;
  const lost = error.code === "COMMIT_UNKNOWN";
  if (lost) counts.unknown += 1;
  else counts.nothing += 1;
  return lost;
}

async function insist<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const result = await attempt();
    if (result !== undefined) return result;
    await pause(RETRY_MS);
  }
  throw new Error("gave up: the database never answered");
}

/** What must hold when all is done: nothing acknowledged is lost, nothing is there twice, and the sums are those of the start. */
export async function complaintsOf(desk: Desk, office: Office, granted: bigint): Promise<readonly string[]> {
  const complaints = (await desk.problems()).map((report) => `report_${report} is not empty`);
  for (const [account, calls] of office.history) {
    if (!isLinearizable(calls, granted)) complaints.push(`the history of ${account} is not linearizable`);
    const mine = office.settled.filter(({ beginning }) => beginning.namespace === account);
    const charged = mine.reduce((sum, { charge }) => sum + charge, 0n);
    const { available, held } = await desk.reports.accountStatement(account, 1, NEVER);
    if (held !== 0n || available !== granted - charged)
      complaints.push(`${account} has ${available} and ${held} held, expected ${granted - charged} and 0`);
  }
  for (const { beginning, charge } of office.settled) {
    const { settled } = (await desk.books.load(beginning.key, NEVER)).credits;
    if (settled !== charge) complaints.push(`${beginning.key} was charged ${settled}, expected ${charge}`);
  }
  return complaints;
}
