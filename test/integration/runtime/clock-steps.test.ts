// The wall clock of a leader and of the one that waits, set forward and back by an hour: nobody wins or loses by it.
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { LEASES, type Lease } from "../../../operator/runtime/lease.ts";
import { makeResource } from "../../../operator/runtime/resources.ts";
import { sharedEnvironment } from "../../env/shared.ts";
import { makeCandidates } from "./candidates.ts";
import { makeCluster, never } from "./cluster.ts";

const environment = sharedEnvironment();
// Longer than production's in proportion to what is waited for, so that a busy machine is no lost leader.
const SETTINGS = { leaseMs: 8_000, renewDeadlineMs: 7_000, retryMs: 300 };
const HOUR_MS = 3_600_000;

test("clocks that step by an hour, forward and back, at the leader and at the one that waits, change no leader", async () => {
  const cluster = await makeCluster(environment);
  const leases = makeResource<Lease>(cluster.direct, LEASES);
  const candidates = await makeCandidates(environment, cluster, SETTINGS);
  const { writers, until } = candidates;
  const first = candidates.start("first");
  await first.led;
  const second = candidates.start("second");
  await second.stands;
  await until(() => writers.length >= 3);

  const hours: number[] = [];
  for (let step = 0; step < 3; step++) {
    first.child.kill("SIGUSR2");
    second.child.kill("SIGUSR2");
    const before = writers.length;
    await pause(step === 2 ? 0 : SETTINGS.leaseMs + 500); // longer than a lease: whoever believes dates would act now
    await until(() => writers.length >= before + 3);
    const lease = await leases.get(`${cluster.namespace}/lease`, { signal: never });
    const shiftMs = new Date(lease?.spec?.renewTime ?? "").getTime() - Date.now();
    hours.push(Math.round(shiftMs / HOUR_MS));
  }
  expect(hours.slice(0, 2)).toEqual([1, -1]); // they did step
  expect(new Set(writers)).toEqual(new Set(["first"]));
  first.child.kill("SIGTERM");
  expect(await first.ended).toBe(0);
  await second.led;
  await until(() => writers.at(-1) === "second");
}, 300_000);
