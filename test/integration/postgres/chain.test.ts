// I5: the chain seals each ledger transaction once, in whatever order they commit, and nothing waits for it.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Client } from "pg";
import { inTransaction } from "../../../operator/postgres/fence.ts";
import { post } from "../../../operator/postgres/ledger.ts";
import { sealLedger } from "../../../operator/postgres/seal.ts";
import { runVerify } from "../../../operator/postgres/verify-command.ts";
import { NEVER } from "./desk.ts";
import { openRegistry } from "./registry.ts";
import type { Registry } from "./registry.ts";
import { until } from "./watch.ts";

let registry: Registry;

describe("I5 the chain", () => {
  beforeAll(async () => {
    registry = await openRegistry();
  });
  afterAll(() => registry.database.close());

  test("I5: seals each transaction once, whoever asks and however often; nothing to seal makes no block", async () => {
    await registry.trade("sealed");
    const rounds = await Promise.all(Array.from({ length: 8 }, () => registry.seal()));
    expect(rounds.reduce((sum, { transactions }) => sum + transactions, 0)).toBe(3);
    expect(await registry.seal()).toEqual({ outcome: "done", transactions: 0, head: undefined });
    await registry.trade("sealed");
    expect(await registry.seal()).toMatchObject({ transactions: 3 });
    expect(await registry.verify()).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test("I5: a transaction that took its number before others and commits after them is sealed by the next block", async () => {
    const client = new Client({ connectionString: registry.database.loginUrl });
    await client.connect();
    try {
      await client.query("begin");
      await client.query(
        `insert into genop.ledger_transactions (namespace, operation, business_id, inputs, fingerprint, entry_count, epoch)
         values ('late', 'grant', 'late', '{"amount":"1"}', encode(sha256('{"amount":"1"}'), 'hex'), 2, 0)`,
      );
      await client.query(
        `insert into genop.entries (transaction_id, account_id, asset, amount)
         select (select max(id) from genop.ledger_transactions), id, 'credit', case kind when 'loss' then -1 else 1 end
           from genop.accounts where kind in ('loss', 'revenue')`,
      );
      await registry.trade("early");
      expect(await registry.seal()).toMatchObject({ transactions: 3 });
      await client.query("commit");
    } finally {
      await client.end();
    }
    expect(await registry.seal()).toMatchObject({ transactions: 1 });
    expect(await registry.seal()).toMatchObject({ transactions: 0 });
    expect(await registry.verify()).toMatchObject({ exitCode: 0 });
  });

  test("I5: more than one block's worth is sealed in several blocks", async () => {
    const accounts = [
      { account: "grants", amount: -1n },
      { account: "revenue", amount: 1n },
    ] as const;
    const before = JSON.parse((await registry.verify("--json")).stdout) as { blocks: number; transactions: number };
    await inTransaction(
      registry.desk.pool,
      () => registry.desk.epoch,
      async (transaction) => {
        for (let number = 0; number < 1001; number += 1)
          await post(transaction, {
            namespace: "many",
            operation: "grant",
            businessId: `many-${number}`,
            inputs: { amount: "1" },
            moves: accounts,
          });
      },
    );
    expect(await registry.seal()).toMatchObject({ transactions: 1001 });
    const after = JSON.parse((await registry.verify("--json")).stdout) as typeof before;
    expect([after.blocks - before.blocks, after.transactions - before.transactions]).toEqual([2, 1001]);
  });

  test("I5: nothing waits for the seal: what is posted lately is counted as not sealed, and is no error", async () => {
    await registry.trade("lately");
    const { exitCode, stdout } = await registry.verify("--json");
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { holds: true, unsealed: 3, reports: [] }]);
    await registry.seal();
  });

  test("I5: an earlier term seals nothing", async () => {
    await registry.trade("deposed");
    expect(await sealLedger(registry.desk.pool, () => undefined, NEVER)).toEqual({ outcome: "stale" });
    await registry.seal();
  });

  test.each([
    { what: "a gap", change: "number + 5, hash, repeat('a', 64), transaction_ids, sealed_through" },
    {
      what: "another predecessor",
      change: "number + 1, repeat('b', 64), repeat('a', 64), transaction_ids, sealed_through",
    },
    { what: "less than was sealed", change: "number + 1, hash, repeat('a', 64), transaction_ids, 1" },
    {
      what: "more than it says",
      change: "number + 1, hash, repeat('a', 64), transaction_ids || 9999999::bigint, sealed_through",
    },
  ])("I5: the database refuses a block with $what", async ({ change }) => {
    const insert = `insert into genop.ledger_blocks (number, previous_hash, hash, transaction_ids, sealed_through, epoch)
                    select ${change}, 1 from genop.ledger_blocks order by number desc limit 1`;
    await expect(registry.desk.pool.query(insert)).rejects.toMatchObject({ code: "GN006" });
  });

  test("I5: a block's hash is one, and it seals something", async () => {
    const insert = (hash: string, ids: string) =>
      registry.desk.pool.query(
        `insert into genop.ledger_blocks (number, previous_hash, hash, transaction_ids, sealed_through, epoch)
         select number + 1, hash, ${hash}, ${ids}, sealed_through, 1 from genop.ledger_blocks order by number desc limit 1`,
      );
    await expect(insert("'none'", "transaction_ids")).rejects.toMatchObject({ code: "23514" });
    await expect(insert("repeat('a', 64)", "'{}'")).rejects.toMatchObject({ code: "23514" });
    await expect(insert("hash", "transaction_ids")).rejects.toMatchObject({ constraint: "ledger_blocks_hash_key" });
  });

  test("the reader can't write, and the command would not even if it could", async () => {
    const client = new Client({ connectionString: registry.database.readerUrl });
    await client.connect();
    const refused = await client
      .query("insert into genop.accounts (kind) values ('x')")
      .catch((error: unknown) => error);
    await client.end();
    expect(refused).toMatchObject({ code: "42501" });
    expect(await runVerify([], { VERIFY_DATABASE_URL: registry.database.loginUrl })).toMatchObject({ exitCode: 0 });
  });
});

test("a seal that is under way elsewhere is left to it", async () => {
  registry = await openRegistry();
  try {
    await registry.trade("locked");
    const client = await registry.database.pool().connect();
    try {
      await client.query("begin");
      await client.query("select pg_advisory_xact_lock(1734700912, 4)");
      expect(await registry.seal()).toMatchObject({ transactions: 0 });
      await client.query("rollback");
    } finally {
      client.release();
    }
    await until(async () => (await registry.seal()).transactions === 3);
  } finally {
    await registry.database.close();
  }
});
