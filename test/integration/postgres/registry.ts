// A ledger with some trade in it, sealed as the leader does it and verified by a login that can only read.
import { sealLedger } from "../../../operator/postgres/seal.ts";
import type { Sealed } from "../../../operator/postgres/seal.ts";
import { runVerify } from "../../../operator/postgres/verify-command.ts";
import type { VerifyOutcome } from "../../../operator/postgres/verify-command.ts";
import { micro } from "../../../operator/task/credits.ts";
import { openDatabase } from "./database.ts";
import type { TestDatabase } from "./database.ts";
import { NEVER, NOT_CREATED, openDesk, wish } from "./desk.ts";
import type { Desk } from "./desk.ts";

export interface Registry {
  readonly database: TestDatabase;
  readonly desk: Desk;
  seal(): Promise<Sealed>;
  /** A grant, a hold and its resolution: three transactions. */
  trade(namespace: string): Promise<void>;
  verify(...args: readonly string[]): Promise<VerifyOutcome>;
  /** As a superuser, with every trigger asleep. */
  behindTheGuards(statement: string): Promise<void>;
}

const GUARDED = ["ledger_transactions", "entries", "accounts", "holds", "hold_resolutions", "ledger_blocks"];

export async function openRegistry(): Promise<Registry> {
  const database = await openDatabase();
  const desk = await openDesk(database.pool());
  return {
    database,
    desk,
    seal: async () => {
      const sealed = await sealLedger(desk.pool, () => desk.epoch, NEVER);
      if (sealed.outcome === "stale") throw new Error("expected to lead");
      return sealed;
    },
    trade: async (namespace) => {
      await desk.grant(namespace, 1000n);
      const accepted = await desk.accepted(wish({ namespace }));
      await desk.books.end(accepted, { ...NOT_CREATED, reason: "JobFailed", charge: micro(30n) }, []);
    },
    verify: (...args) => runVerify(args, { VERIFY_DATABASE_URL: database.readerUrl }),
    behindTheGuards: (statement) =>
      database.asSuperuser(async (client) => {
        await client.query("begin");
        for (const table of GUARDED) await client.query(`alter table genop.${table} disable trigger all`);
        await client.query(statement);
        for (const table of GUARDED) await client.query(`alter table genop.${table} enable trigger all`);
        await client.query("commit");
      }),
  };
}
