// A webhook that comes after the end of its attempt: it makes the provider be asked, and nothing that it says is believed.
import { describe, expect, test } from "@jest/globals";
import { noteReading } from "../../../operator/postgres/inbox.ts";
import { makeLateBooks } from "../../../operator/postgres/late.ts";
import type { ProviderJobId } from "../../../operator/task/brand.ts";
import type { TestDatabase } from "./database.ts";
import { NEVER, wish } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { ownDesk } from "./own-desk.ts";
import { COST, GIVEN_UP, loseJob, rowOf, visit, visitToEnd } from "./late-world.ts";
import type { Lost } from "./late-world.ts";

let database: TestDatabase;
let desk: Desk;
ownDesk({ studio: 1_000_000n }, (opened) => ({ database, desk } = opened));

describe("a webhook that comes after the end", () => {
  async function hear({ attempt }: Lost, jobId: string): Promise<void> {
    const { rows } = await desk.pool.query<{ id: bigint }>(
      "select id from genop.webhook_inbox where attempt_id = $1 order by id desc limit 1",
      [attempt.id],
    );
    const reading = { id: rows[0]?.id ?? 0n, attemptId: attempt.id, verdict: "heard", isHint: true };
    await noteReading(desk.pool, () => desk.epoch, { ...reading, jobId: jobId as ProviderJobId });
  }
  async function send({ attempt }: Lost, digest: string): Promise<void> {
    await database.asSuperuser((client) =>
      client.query("select genop.receive_webhook($1, $2, '{}', '')", [attempt.id, digest]),
    );
  }
  const WEBHOOKS = { webhookAdoption: true };

  test("makes the provider be asked for its job, which is adopted when it is confirmed", async () => {
    const lost = await loseJob(desk, { capabilities: WEBHOOKS });
    expect(await visit(lost)).toBe("nothing new");
    await send(lost, "one");
    await hear(lost, "job-1");
    const [due] = (await makeLateBooks(desk.pool, () => desk.epoch).due(undefined, 500, NEVER)).filter(
      ({ late }) => late.attempt.id === lost.attempt.id,
    );
    expect(due).toMatchObject({ late: { state: "searching", claim: { jobId: "job-1", looks: 0 } } });
    expect(await visitToEnd(lost)).toEqual(["found", "succeeded"]);
    expect(await rowOf(lost)).toMatchObject({ found_by: "webhook", charge: COST });
  });

  test("that names a job which the provider does not know, or another attempt's, is not believed", async () => {
    const lost = await loseJob(desk, { capabilities: WEBHOOKS });
    await send(lost, "one");
    await hear(lost, "no-such-job");
    for (let looks = 0; looks < 3; looks += 1) await visit(lost);
    const other = await desk.accepted(wish({ provider: lost.provider }), "job-1");
    await send(lost, "two");
    await hear(lost, "job-1");
    await visit(lost);
    const { rows } = await desk.pool.query(
      "select count(*)::integer as refused from genop.claims where attempt_id = $1 and refused_at is not null",
      [lost.attempt.id],
    );
    expect([rows, await rowOf(lost)]).toMatchObject([[{ refused: 2 }], { state: "searching" }]);
    await desk.books.end(other, { ...GIVEN_UP, reason: "JobFailed" }, []);
  });
});
