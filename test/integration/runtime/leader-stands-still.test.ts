// A leader that stands still for forty seconds, with the times of production: 15 s of lease, 10 s to renew, 2 s between tries.
// A process stopped by SIGSTOP is what a frozen machine, a starved container or a blocked event loop looks like from outside.
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { sharedEnvironment } from "../../env/shared.ts";
import { makeCandidates } from "./candidates.ts";
import { makeCluster } from "./cluster.ts";

const environment = sharedEnvironment();
const STILL_MS = 40_000;

test("a leader that stood still for 40 s is followed meanwhile, writes nothing more when it goes on, and ends", async () => {
  const candidates = await makeCandidates(environment, await makeCluster(environment), {
    ...{ leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 },
  });
  const { writers, until } = candidates;
  const first = candidates.start("first");
  await first.led;
  const second = candidates.start("second");
  await until(() => writers.filter((by) => by === "first").length >= 3);

  first.child.kill("SIGSTOP");
  const still = pause(STILL_MS);
  await second.led;
  await until(() => writers.at(-1) === "second");
  await still;
  const before = writers.length;
  first.child.kill("SIGCONT");
  expect(await first.ended).toBe(3);
  await until(() => writers.length >= before + 3); // the second goes on
  const began = writers.indexOf("second");
  expect(writers.slice(began).filter((by) => by === "first")).toEqual([]);
  second.child.kill("SIGTERM");
  expect(await second.ended).toBe(0);
}, 180_000);
