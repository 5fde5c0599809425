// kubectl genop on the real API server: its output beside kubectl's, what it tells of a task, and endings of a wait.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import type { TaskKey } from "../../../operator/task/brand.ts";
import { micro } from "../../../operator/task/credits.ts";
import { kubectl } from "../../env/kubectl.ts";
import { NOT_CREATED, wish } from "../postgres/desk.ts";
import { PROMPT, openCounter, type Counter } from "./counter.ts";

let counter: Counter;
let tenant: string;
beforeAll(async () => {
  counter = await openCounter();
  ({ tenant } = counter.world);
  await counter.desk.grant(tenant, 5_000_000n);
});
afterAll(() => counter.close());

describe("list", () => {
  beforeAll(() =>
    counter.task("listed", { phase: "Pending", reason: "QuotaExhausted", message: "waiting" }).then(() => undefined),
  );

  test.each([[[]], [["-o", "name"]]])("prints what kubectl get prints, with %j", async (words) => {
    const { environment } = counter.world;
    const theirs = await kubectl(environment, ["get", "gt", "-n", tenant, ...words]);
    const { code, out } = await counter.genop(["list", ...words]);
    const withoutAges = (text: string): string => text.replaceAll(/ +\S+s$/gm, "");
    expect([code, withoutAges(out)]).toEqual([0, withoutAges(theirs)]);
  });

  test("prints the wide columns, the namespace, and only what is asked for", async () => {
    const { admin } = counter.kubeconfigs;
    const { out } = await counter.genop(["list", "-A", "-o", "wide", "--phase", "Pending"], { kubeconfig: admin });
    const [heading = "", ...rows] = out.trim().split("\n");
    expect(heading).toMatch(/^NAMESPACE +NAME +PROVIDER +MODEL +PHASE .*REASON/);
    expect(rows.filter((row) => row.startsWith(tenant))).toEqual([expect.stringMatching(/listed .*QuotaExhausted/)]);
    expect((await counter.genop(["list", "-l", "no=such"])).err).toBe(`No tasks found in ${tenant} namespace.\n`);
  });

  test("goes on with what changes until Ctrl-C, which is exit code 130", async () => {
    const stop = new AbortController();
    const ended = counter.genop(["list", "-w"], { signal: stop.signal });
    await counter.task("watched", { phase: "Polling", reason: "Running", message: "it runs" });
    // The change was made, so it is on its way or was listed; the interruption must not lose what came before it.
    await counter.genop(["wait", "watched", "--for", "Polling"]);
    stop.abort(new Error("interrupted"));
    expect((await ended).code).toBe(130);
  });

  test("is refused in the API server's own words", async () => {
    const { code, err, out } = await counter.genop(["list"], { kubeconfig: counter.kubeconfigs.stranger });
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(/^cannot list tasks: generationtasks.genop.dev is forbidden: User .*\n$/);
  });
});

describe("why", () => {
  beforeAll(() => counter.parkedTask("lost"));

  test("tells attempts, money and the next step on one page", async () => {
    const { code, err, out } = await counter.genop(["why", "lost"]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/#2 NotCreated after \d+m?s: proved never created/);
    expect(out).toMatch(/#3 live/);
    expect(out).toContain("still looked for, in case a job turns up");
    expect(out).toContain("0 paid, 0.006 held, 0.012 given back; the namespace has 4.994 left");
    expect(out).toContain(`kubectl genop resolve lost -n ${tenant} --bind-job JOB_ID`);
    expect(out).not.toContain(PROMPT);
  });

  test("tells programs the same, and no prompt", async () => {
    const { out } = await counter.genop(["why", "lost", "-o", "yaml"]);
    expect(parse(out)).toMatchObject({
      task: { metadata: { name: "lost" }, status: { phase: "NeedsReview" } },
      evidence: {
        attempts: [
          { reason: "WrittenOff", late: { state: "searching" } },
          { reason: "NotCreated", calls: [{ operation: "submit" }] },
          { state: "sent" },
        ],
      },
      account: { available: "4.994", held: "0.006" },
    });
    expect(out).not.toContain(PROMPT);
    expect(out).not.toContain("input");
  });

  test("tells what the object tells when the evidence service is away", async () => {
    const { code, out } = await counter.genop(["why", "lost", "--evidence", "http://127.0.0.1:1"]);
    expect(code).toBe(0);
    expect(out).toContain("Attempts\n  not shown: the service cannot be reached");
    expect(out).toContain("Next        Look in the provider's console");
  });

  test("does not take the record of an earlier object of the name for this one's", async () => {
    const beginning = wish({
      namespace: tenant,
      name: "again",
      key: `${tenant}/older` as TaskKey,
      estimate: micro(1n),
    });
    await counter.desk.begun(beginning);
    await counter.task("again");
    expect((await counter.genop(["why", "again"])).out).toContain("an earlier object of this name only");
  });
});

describe("credits", () => {
  test("are the balance of the ledger, with its newest lines", async () => {
    const { code, out } = await counter.genop(["credits", "--lines", "100", "-o", "json"]);
    const { account } = JSON.parse(out) as {
      readonly account: {
        readonly available: string;
        readonly held: string;
        readonly lines: readonly { readonly available: string; readonly held: string }[];
      };
    };
    const sum = (kind: "available" | "held"): number =>
      account.lines.reduce((total, line) => total + Math.round(Number(line[kind]) * 1e6), 0);
    expect([code, sum("available"), sum("held")]).toEqual([
      0,
      Math.round(Number(account.available) * 1e6),
      Math.round(Number(account.held) * 1e6),
    ]);
  });

  test("are told with what was spent today and this month, which a release gives back", async () => {
    const spent = async (): Promise<readonly [string, string]> => {
      const { out } = await counter.genop(["credits", "-o", "json"]);
      const { account } = JSON.parse(out) as { account: { spent: { day: string; month: string } } };
      return [account.spent.day, account.spent.month];
    };
    const micros = (text: string): number => Math.round(Number(text) * 1e6);
    const before = await spent();
    const beginning = wish({ namespace: counter.world.tenant, estimate: micro(30n) });
    const begun = await counter.desk.begun(beginning);
    const during = await spent();
    expect(during.map((text, at) => micros(text) - micros(before[at] ?? ""))).toEqual([30, 30]);
    await counter.desk.books.end(begun, NOT_CREATED, []);
    expect(await spent()).toEqual(before);
    expect((await counter.genop(["credits"])).out).toContain("SPENT TODAY");
  });

  test("of others are not told", async () => {
    const { code, out } = await counter.genop(["credits"], { kubeconfig: counter.kubeconfigs.stranger });
    expect([code, out]).toEqual([1, ""]);
  });
});

describe("wait", () => {
  test.each([
    { phase: "Succeeded", code: 0, says: "generationtask.genop.dev/waits-succeeded Succeeded" },
    { phase: "Failed", code: 2, says: "it is Failed: it broke" },
    { phase: "NeedsReview", code: 2, says: "it is NeedsReview: it broke" },
  ])("ends with $code when the task becomes $phase", async ({ code, phase, says }) => {
    const name = `waits-${phase.toLowerCase()}`;
    await counter.task(name, { phase: "Polling", reason: "Running", message: "it runs" });
    const ended = counter.genop(["wait", name]);
    await counter.world.setStatus(name, { phase, reason: "Running", message: "it broke" });
    const { code: found, err, out } = await ended;
    expect([found, `${out}${err}`]).toEqual([code, expect.stringContaining(says)]);
  });

  test("ends with 124 when the time is over, and with 1 when there is no such task", async () => {
    await counter.task("waits-on", { phase: "Polling", reason: "Running", message: "it runs" });
    const late = await counter.genop(["wait", "waits-on", "--timeout", "1s"]);
    expect([late.code, late.err]).toEqual([
      124,
      `cannot wait for ${tenant}/waits-on any longer: it is still Polling after 1s\n`,
    ]);
    expect((await counter.genop(["wait", "nobody"])).code).toBe(1);
  });
});
