// Two candidates for one real Lease: an orderly handover takes no time, a lost leader the time of its lease.
import { expect, test } from "@jest/globals";
import { makeElector, type ElectorEnd } from "../../../operator/runtime/elector.ts";
import { LEASES, type Lease } from "../../../operator/runtime/lease.ts";
import { makeResource } from "../../../operator/runtime/resources.ts";
import { sharedEnvironment } from "../../env/shared.ts";
import { later, makeCluster, never, openWay } from "./cluster.ts";
import type { TcpProxy } from "./tcp-proxy.ts";

const environment = sharedEnvironment();
const settings = { leaseMs: 3_000, renewDeadlineMs: 2_000, retryMs: 500 };

interface Candidate {
  readonly proxy: TcpProxy;
  /** Resolves with the moment at which it began to lead. */
  readonly led: Promise<number>;
  readonly lostAtMs: Promise<number>;
  readonly stop: () => void;
  readonly ended: Promise<ElectorEnd>;
}

async function stand(namespace: string, identity: string): Promise<Candidate> {
  const { proxy, transport } = await openWay(environment);
  const stop = new AbortController();
  const force = new AbortController();
  const led = Promise.withResolvers<number>();
  const lost = Promise.withResolvers<number>();
  const elector = makeElector({
    ...{ transport, namespace, name: "lease", identity, settings },
    onStartedLeading: (_, signal) => {
      led.resolve(performance.now());
      return new Promise((resolve) => {
        signal.addEventListener("abort", () => lost.resolve(performance.now()));
        stop.signal.addEventListener("abort", () => resolve());
      });
    },
  });
  const ended = elector.run({ stop: stop.signal, force: force.signal });
  later(() => {
    stop.abort(new Error("the test is over"));
    force.abort(new Error("the test is over"));
    return ended;
  });
  return { proxy, led: led.promise, lostAtMs: lost.promise, stop: () => stop.abort(new Error("stop")), ended };
}

test("a leader that stops is followed within a second, and the lease says so", async () => {
  const { namespace, direct } = await makeCluster(environment);
  const leases = makeResource<Lease>(direct, LEASES);
  const a = await stand(namespace, "a");
  await a.led;
  const b = await stand(namespace, "b");
  const stoppedMs = performance.now();
  a.stop();
  expect(await a.ended).toBe("released");
  expect((await b.led) - stoppedMs).toBeLessThan(1_000);
  const lease = await leases.get(`${namespace}/lease`, { signal: never });
  expect(lease?.spec).toMatchObject({ holderIdentity: "b", leaseTransitions: 1, leaseDurationSeconds: 3 });
}, 60_000);

test("a leader that is cut off stops itself first, and is followed when its lease has expired", async () => {
  const { namespace } = await makeCluster(environment);
  const a = await stand(namespace, "a");
  await a.led;
  const b = await stand(namespace, "b");
  a.proxy.refuse(true);
  a.proxy.blackHole();
  const cutMs = performance.now();
  const lostMs = (await a.lostAtMs) - cutMs;
  const followedMs = (await b.led) - cutMs;
  expect(lostMs).toBeLessThanOrEqual(2_200);
  expect(followedMs).toBeGreaterThan(lostMs);
  expect(followedMs).toBeLessThan(6_000);
  expect(await a.ended).toBe("lost");
}, 60_000);
