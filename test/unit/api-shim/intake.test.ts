// Whether new work is taken, from what is known: the backlog, the operator's word on its books, and whether tasks are taken up.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "@jest/globals";
import { makeRate } from "../../../operator/runtime/rate.ts";
import { makeBacklog, type Backlog } from "../../../api-shim/intake/backlog.ts";
import { makeBooks } from "../../../api-shim/intake/books.ts";
import { makeIntake, type Intake } from "../../../api-shim/intake/intake.ts";
import { Problem } from "../../../api-shim/problems.ts";
import { cachedView, type CachedView } from "../../../api-shim/tasks/view.ts";
import { systemClock } from "../../../operator/runtime/clock.ts";
import { makeManualClock } from "../runtime/manual-clock.ts";

function task(name: string, phase?: string, spec: object = {}): CachedView {
  const metadata = { name, namespace: "studio", resourceVersion: "1" };
  return cachedView({ metadata, spec, ...(phase !== undefined && { status: { phase } }) });
}

interface Stand {
  readonly clock: ReturnType<typeof makeManualClock>;
  readonly backlog: Backlog;
  readonly intake: Intake;
  readonly refusals: string[];
  readonly change: (name: string, next: CachedView | undefined, previous?: CachedView) => void;
  /** The problem's code, or "taken". */
  readonly ask: (namespace?: string) => string;
}

function stand(books: "down" | "unknown" | "up" = "unknown", perSecond = 1000): Stand {
  const clock = makeManualClock();
  const backlog = makeBacklog(clock);
  const refusals: string[] = [];
  const intake = makeIntake({
    ...{ backlog, clock, books: { state: () => books } },
    rate: makeRate(clock, { perSecond, burst: perSecond, maxNames: 2 }),
    refused: (code) => void refusals.push(code),
    settings: { maxBacklog: 3, maxBacklogPerNamespace: 2, untakenMs: 10_000 },
  });
  return {
    ...{ clock, backlog, intake, refusals },
    change: (name, next, previous) => backlog.changed(`studio/${name}`, next, previous, { initial: false }),
    ask: (namespace = "studio") => {
      try {
        intake.admit(namespace);
        return "taken";
      } catch (error) {
        return error instanceof Problem ? error.code : "thrown";
      }
    },
  };
}

describe("the backlog", () => {
  test("counts who waits, and forgets who goes on, is suspended, or is deleted", () => {
    const { backlog, change } = stand();
    change("a", task("a"));
    change("b", task("b"));
    expect([backlog.waiting(), backlog.waitingIn("studio"), backlog.waitingIn("other")]).toEqual([2, 2, 0]);
    change("a", task("a", "Submitting"), task("a"));
    change("b", task("b", "Pending", { suspend: true }), task("b"));
    expect(backlog.waiting()).toBe(0);
    change("b", task("b", "Pending"), task("b", "Pending", { suspend: true }));
    change("b", undefined, task("b", "Pending"));
    expect([backlog.waiting(), backlog.waitingIn("studio")]).toEqual([0, 0]);
  });

  test("over a namespace's limit, and over that of all, new tasks are refused until there is room", () => {
    const { ask, change, refusals } = stand();
    change("a", task("a", "Pending"));
    expect(ask()).toBe("taken");
    change("b", task("b", "Pending"));
    expect([ask(), ask("other")]).toEqual(["backlog-full", "taken"]);
    change("c", task("c", "Pending"));
    expect(ask("other")).toBe("backlog-full");
    change("a", task("a", "Polling"), task("a", "Pending"));
    change("b", task("b", "Polling"), task("b", "Pending"));
    expect(ask()).toBe("taken");
    expect(refusals).toEqual(["backlog-full", "backlog-full"]);
  });
});

describe("tasks that nobody takes up", () => {
  test("close the intake after a time, but for a probe now and then, and open it when the operator is back", () => {
    const { ask, change, clock } = stand();
    change("a", task("a"));
    clock.freeze(9_000);
    expect(ask()).toBe("taken");
    clock.freeze(2_000);
    expect([ask(), ask()]).toEqual(["books-unavailable", "books-unavailable"]);
    clock.freeze(10_000);
    expect([ask(), ask()]).toEqual(["taken", "books-unavailable"]);
    change("a", task("a", "Pending"), task("a"));
    expect(ask()).toBe("taken");
  });

  test("one that is late for a reason of its own is outlived by the next that is taken up", () => {
    const { ask, backlog, change, clock } = stand();
    change("strange", task("strange"));
    clock.freeze(11_000);
    change("next", task("next"));
    change("next", task("next", "Submitting"), task("next"));
    expect([backlog.untakenMs(), ask()]).toEqual([0, "taken"]);
  });

  test("one that is deleted is waited for no longer", () => {
    const { backlog, change, clock } = stand();
    change("a", task("a"));
    clock.freeze(11_000);
    change("a", undefined, task("a"));
    expect(backlog.untakenMs()).toBe(0);
  });
});

test("books that are down close the intake at once; books that nobody knows of do not", () => {
  expect([stand("down").ask(), stand("unknown").ask(), stand("up").ask()]).toEqual([
    "books-unavailable",
    "taken",
    "taken",
  ]);
});

test("a namespace that makes tasks faster than it may is told when to come again; others are not", () => {
  const { ask, clock, intake } = stand("up", 2);
  expect([ask(), ask(), ask(), ask("other")]).toEqual(["taken", "taken", "too-many-requests", "taken"]);
  expect(() => intake.admit("studio")).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ retryAfterSeconds: 1 }) }),
  );
  clock.freeze(500);
  expect(ask()).toBe("taken");
});

describe("the operator's word", () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.close();
      server.closeAllConnections();
    }
  });

  /** A metrics page that tells these failures, one scrape after the other, and then the last one for ever. */
  async function told(
    pages: readonly ({ readonly started: number; readonly failures: number } | "broken")[],
  ): Promise<string[]> {
    const states: string[] = [];
    const stop = new AbortController();
    let scrapes = 0;
    const server = createServer((_request, response) => {
      if (scrapes > 0) states.push(books.state());
      const page = pages[scrapes];
      scrapes += 1;
      if (page === undefined) stop.abort(new Error("the test is over"));
      if (page === undefined || page === "broken") response.writeHead(500).end();
      else
        response.end(
          `process_start_time_seconds ${page.started}\ngenop_metrics_collect_failures_total ${page.failures}\n`,
        );
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
    const books = makeBooks({ url, clock: systemClock, log: () => undefined, everyMs: 1 });
    await books.run(stop.signal);
    return states;
  }

  test("a failure more than before means down, none more means up", async () => {
    const pages = [3, 3, 4, 5, 5].map((failures) => ({ started: 1, failures }));
    expect(await told(pages)).toEqual(["up", "up", "down", "down", "up"]);
  });

  test("another process with old failures means nothing", async () => {
    const pages = [
      { started: 1, failures: 0 },
      { started: 2, failures: 9 },
      { started: 1, failures: 0 },
      { started: 2, failures: 10 },
    ];
    expect(await told(pages)).toEqual(["up", "up", "up", "down"]);
  });

  test("a page that can't be read proves nothing about the books", async () => {
    const pages = [
      { started: 1, failures: 1 },
      { started: 1, failures: 2 },
      "broken",
      { started: 1, failures: 2 },
    ] as const;
    expect(await told(pages)).toEqual(["up", "down", "unknown", "up"]);
  });
});
