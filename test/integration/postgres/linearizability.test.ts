// I5: what many clients at once are told about their accounts could have been told by one clerk with one pen, even when answers
// get lost. And the check itself finds what it must find.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { complaintsOf, randomFrom, runOffice } from "./clerks.ts";
import { openDatabase } from "./database.ts";
import type { TestDatabase } from "./database.ts";
import { openDesk } from "./desk.ts";
import { startFaultProxy } from "./fault-proxy.ts";
import type { CommitFate, FaultProxy } from "./fault-proxy.ts";
import { isLinearizable } from "./linear.ts";
import type { Call, Recorded } from "./linear.ts";

const CLIENTS = 16;
const JOBS = Number(process.env.GENOP_JOBS ?? 6);
const LIMIT_MS = 120_000;
/** Enough for a part of the clients: some are told that it is short. */
const GRANTED = 450n;

const seed = Number(process.env.GENOP_SEED ?? Date.now() % 2 ** 31);

let database: TestDatabase;
let proxy: FaultProxy;
beforeAll(async () => {
  database = await openDatabase();
  proxy = await startFaultProxy(database.loginUrl);
  console.log(`seed ${seed}: GENOP_SEED=${seed} repeats its choices`);
});
afterAll(async () => {
  await proxy.close();
  await database.close();
});

async function openAccounts(names: readonly string[]): Promise<void> {
  const desk = await openDesk(database.pool());
  for (const name of names) await desk.grant(name, GRANTED);
}

describe("I5 sixteen clients on three accounts", () => {
  test.each([
    { when: "every answer arrives", lost: 0 },
    { when: "one COMMIT of six, or its answer, is lost", lost: 1 / 6 },
  ])(
    "I5: when $when, their histories are linearizable, nothing acknowledged is lost, and nothing is there twice",
    async ({ lost }) => {
      const accounts = ["red", "green", "blue"].map((name) => `${name}-${lost > 0 ? "lossy" : "calm"}`);
      await openAccounts(accounts);
      const desk = await openDesk(database.pool({ url: proxy.through(database.loginUrl) }));
      const random = randomFrom(seed);
      const fates: readonly CommitFate[] = ["lose-answer", "lose-answer", "lose-commit"];
      proxy.decide(() => (random() < lost ? (fates[Math.floor(random() * fates.length)] ?? "pass") : "pass"));
      const office = await runOffice({ desk, accounts, clients: CLIENTS, seed, goesOn: (jobs) => jobs < JOBS });
      proxy.decide(() => "pass");
      expect(await complaintsOf(desk, office, GRANTED)).toEqual([]);
      expect(office.counts.unknown > 0).toBe(lost > 0);
      expect(office.settled.length).toBeGreaterThan(CLIENTS);
    },
    LIMIT_MS,
  );
});

describe("the check", () => {
  const grow = (calls: readonly (Call & { readonly lost?: true })[]): readonly Recorded[] =>
    calls.map(({ lost, ...call }, place) => ({
      call,
      isUnknown: lost === true,
      begunAt: 2 * place,
      answeredAt: lost ? Infinity : 2 * place + 1,
    }));
  const reserve = (key: string, answer: "begun" | "short" = "begun") =>
    ({ type: "reserve", key, amount: 100n, answer }) as const;
  const read = (available: bigint, held: bigint) => ({ type: "read", answer: { available, held } }) as const;

  test.each<{ what: string; calls: readonly (Call & { readonly lost?: true })[]; isRight: boolean }>([
    { what: "a reserve that is seen", calls: [reserve("a"), read(100n, 100n)], isRight: true },
    { what: "a reserve that is not seen (a lost update)", calls: [reserve("a"), read(200n, 0n)], isRight: false },
    { what: "a lost reserve that happened", calls: [{ ...reserve("a"), lost: true }, read(100n, 100n)], isRight: true },
    { what: "a lost reserve that did not", calls: [{ ...reserve("a"), lost: true }, read(200n, 0n)], isRight: true },
    {
      what: "a lost reserve that happened later",
      calls: [{ ...reserve("a"), lost: true }, read(200n, 0n), read(100n, 100n)],
      isRight: true,
    },
    {
      what: "a lost reserve that happened, and did not",
      calls: [{ ...reserve("a"), lost: true }, read(100n, 100n), read(200n, 0n)],
      isRight: false,
    },
    { what: "more reserved than there is", calls: [reserve("a"), reserve("b"), reserve("c")], isRight: false },
    { what: "a refusal though there is enough", calls: [reserve("a"), reserve("b", "short")], isRight: false },
    {
      what: "an end that is paid twice",
      calls: [
        reserve("a"),
        { type: "end", key: "a", charge: 30n, answer: "done" },
        { type: "end", key: "a", charge: 30n, answer: "done" },
        read(140n, 0n),
      ],
      isRight: false,
    },
    {
      what: "an end of another charge that is acknowledged",
      calls: [
        reserve("a"),
        { type: "end", key: "a", charge: 30n, answer: "done" },
        { type: "end", key: "a", charge: 40n, answer: "done" },
      ],
      isRight: false,
    },
    {
      what: "an acknowledged hold that is gone",
      calls: [reserve("a"), { type: "look", key: "a", answer: "none" }],
      isRight: false,
    },
  ])("judges $what", ({ calls, isRight }) => {
    expect(isLinearizable(grow(calls), 200n)).toBe(isRight);
  });

  test("judges calls at the same time by any order, and calls one after the other by theirs", () => {
    const at = (call: Call, begunAt: number, answeredAt: number): Recorded => ({
      call,
      isUnknown: false,
      begunAt,
      answeredAt,
    });
    const together = [at(read(200n, 0n), 0, 3), at(reserve("a"), 1, 2)];
    expect(isLinearizable(together, 200n)).toBe(true);
    expect(isLinearizable([at(reserve("a"), 0, 1), at(read(200n, 0n), 2, 3)], 200n)).toBe(false);
  });

  test(
    "finds updates that are lost in Postgres itself, by a posting that reads the balance before it writes it",
    async () => {
      const broken = await openDatabase();
      try {
        await broken.asSuperuser((client) => client.query(LOSES_UPDATES));
        const desk = await openDesk(broken.pool());
        await desk.grant("broken", 100_000n);
        const office = await runOffice({ desk, accounts: ["broken"], clients: 4, seed, goesOn: (jobs) => jobs < 4 });
        const complaints = await complaintsOf(desk, office, 100_000n);
        expect(complaints).toContain("the history of broken is not linearizable");
      } finally {
        await broken.close();
      }
    },
    LIMIT_MS,
  );
});

/** Both the lock and the atomic update are taken away: only the balance's own row remembers, and it forgets. */
const LOSES_UPDATES = `
alter table genop.balances drop constraint balances_never_negative;
alter table genop.entries drop constraint entries_version;
create or replace function genop.lock_available(tenant text) returns bigint language sql security definer as $$
  select balance.balance from genop.accounts account join genop.balances balance on balance.account_id = account.id
   where account.namespace = tenant and account.kind = 'available' and account.asset = 'credit'
$$;
create or replace function genop.post_entry() returns trigger language plpgsql security definer as $$
declare
  account genop.accounts;
  before genop.balances;
begin
  select * into account from genop.accounts where id = new.account_id;
  new.asset := account.asset;
  if account.namespace is not null then
    select * into before from genop.balances where account_id = account.id;
    perform pg_sleep(0.005);
    update genop.balances set balance = before.balance + new.amount, version = before.version + 1 where account_id = account.id;
    new.account_version := before.version + 1;
    new.balance_after := before.balance + new.amount;
  end if;
  return new;
end
$$`;
