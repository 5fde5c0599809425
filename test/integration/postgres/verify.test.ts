// I5: what a superuser changes behind the guards' back is found, by anybody who can read.
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { runVerify } from "../../../operator/postgres/verify-command.ts";
import { openRegistry } from "./registry.ts";
import type { Registry } from "./registry.ts";

let registry: Registry;

/** Two blocks: the second is the one of namespace `second`. */
const CHANGES: readonly {
  readonly what: string;
  readonly statement: string;
  readonly block: string;
  readonly says: RegExp;
}[] = [
  {
    what: "an amount, balanced and with its balances made to fit",
    statement: `update genop.entries set amount = amount * 2, balance_after = balance_after + amount
                 where transaction_id = (select min(id) from genop.ledger_transactions where namespace = 'second');
                update genop.balances set balance = balance + 1000
                 where account_id = (select id from genop.accounts where namespace = 'second' and kind = 'available')`,
    block: "2",
    says: /its hash is not that of its content/,
  },
  {
    what: "an amount on one side",
    statement: "update genop.entries set amount = amount + 1 where transaction_id = 1 and amount > 0",
    block: "1",
    says: /not whole.*\(transactions 1\)/,
  },
  {
    what: "the inputs",
    statement: `update genop.ledger_transactions set inputs = inputs || '{"amount":"5"}' where id = 1`,
    block: "1",
    says: /not whole.*\(transactions 1\)/,
  },
  {
    what: "the time of a posting",
    statement:
      "update genop.ledger_transactions set posted_at = posted_at - interval '1 microsecond' where namespace = 'second'",
    block: "2",
    says: /its hash/,
  },
  {
    what: "whose account it is",
    statement: "update genop.accounts set namespace = 'thief' where namespace = 'second' and kind = 'available'",
    block: "2",
    says: /its hash/,
  },
  {
    what: "how a hold was split",
    statement: "update genop.hold_resolutions set settled = settled - 1, released = released + 1",
    block: "1",
    says: /its hash/,
  },
  {
    what: "a transaction taken out",
    statement: `set session_replication_role = replica;
                delete from genop.entries where transaction_id = 1; delete from genop.ledger_transactions where id = 1`,
    block: "1",
    says: /are gone \(transactions 1\)/,
  },
  {
    what: "a block taken out",
    statement: "delete from genop.ledger_blocks where number = 1",
    block: "1",
    says: /the block is missing/,
  },
  {
    what: "a block that seals other transactions",
    statement: "update genop.ledger_blocks set transaction_ids = transaction_ids[1:2] where number = 2",
    block: "2",
    says: /its hash/,
  },
  {
    what: "a block's hash",
    statement: "update genop.ledger_blocks set hash = repeat('a', 64) where number = 1",
    block: "1",
    says: /its hash/,
  },
  {
    what: "a predecessor",
    statement: "update genop.ledger_blocks set previous_hash = repeat('a', 64) where number = 2",
    block: "2",
    says: /does not follow/,
  },
];

describe("I5 a change behind the guards' back", () => {
  beforeEach(async () => {
    registry = await openRegistry();
    for (const namespace of ["first", "second"]) {
      await registry.trade(namespace);
      await registry.seal();
    }
  });
  afterEach(() => registry.database.close());

  test.each(CHANGES)("I5: $what is found, with its block", async ({ block, says, statement }) => {
    expect((await registry.verify()).exitCode).toBe(0);
    await registry.behindTheGuards(statement);
    const { exitCode, stdout } = await registry.verify();
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(says)]);
    expect(JSON.parse((await registry.verify("--json")).stdout)).toMatchObject({ holds: false, broken: { block } });
  });

  test("I5: a chain that was written anew, or cut off, holds in itself, and is found by the block that was noted", async () => {
    const { rows } = await registry.desk.pool.query<{ noted: string }>(
      "select number || ':' || hash as noted from genop.ledger_blocks order by number desc limit 1",
    );
    const noted = rows[0]?.noted ?? "";
    expect(await registry.verify("--anchor", noted)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(noted),
    });
    await registry.behindTheGuards("delete from genop.ledger_blocks where number = 2");
    expect((await registry.verify()).exitCode).toBe(0);
    expect(await registry.verify("--anchor", noted)).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/block 2: .*noted/),
    });
    await registry.desk.grant("second", 1n);
    await registry.seal();
    expect((await registry.verify()).exitCode).toBe(0);
    expect(await registry.verify("--anchor", noted)).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/block 2: .*anew/),
    });
  });

  test("I5: what slipped in long ago and was never sealed is found beside the chain", async () => {
    await registry.desk.grant("third", 1n);
    await registry.behindTheGuards(
      "update genop.ledger_transactions set posted_at = now() - interval '2 hours' where namespace = 'third'",
    );
    expect(await registry.verify()).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/in no block \(transactions 7\)/),
    });
  });

  test("I5: a transaction that two blocks seal is found beside the chain", async () => {
    await registry.desk.pool.query(
      `insert into genop.ledger_blocks (number, previous_hash, hash, transaction_ids, sealed_through, epoch)
       select number + 1, hash, repeat('a', 64), transaction_ids, sealed_through, 1 from genop.ledger_blocks where number = 2`,
    );
    expect(await registry.verify()).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(/block 3: its hash/) });
  });
});

describe("genop-verify", () => {
  test.each([
    { when: "there is no URL", args: [], url: undefined, says: /VERIFY_DATABASE_URL/ },
    { when: "an argument is unknown", args: ["--loud"], url: "postgres://db/genop", says: /unknown argument\nusage/ },
    { when: "an anchor is none", args: ["--anchor", "1:secret"], url: "postgres://db/genop", says: /NUMBER:HASH/ },
    { when: "nobody answers", args: [], url: "postgres://a:secret@127.0.0.1:1/genop", says: /cannot reach Postgres/ },
  ])("ends with 2 and a sentence without values when $when", async ({ args, says, url }) => {
    const { exitCode, stderr, stdout } = await runVerify(args, { VERIFY_DATABASE_URL: url });
    expect([exitCode, stdout, stderr]).toEqual([2, "", expect.stringMatching(says)]);
    expect(stderr).not.toContain("secret");
  });

  test("tells its usage", async () => {
    expect(await runVerify(["--help"], {})).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("--anchor") });
  });
});
