// Two candidates for one real Lease: an orderly handover takes no time, a lost leader the time of its lease.
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { makeElector, type ElectorEnd, type ElectorSettings } from "../../../operator/runtime/elector.ts";
import { LEASES, type Lease } from "../../../operator/runtime/lease.ts";
import { makeResource } from "../../../operator/runtime/resources.ts";
import { sharedEnvironment } from "../../env/shared.ts";
import { later, makeCluster, never, openWay } from "./cluster.ts";
import type { TcpProxy } from "./tcp-proxy.ts";

const environment = sharedEnvironment();
// A margin of three seconds: both judge by the same clock here, and a busy machine may wake the first one late.
const settings = { leaseMs: 6_000, renewDeadlineMs: 3_000, retryMs: 500 };

interface Candidate {
  readonly proxy: TcpProxy;
  readonly led: Promise<void>;
  /** Resolves when it has seen who leads in its place. */
  readonly waits: () => Promise<void>;
  readonly stop: () => void;
  readonly ended: Promise<ElectorEnd>;
}

async function stand(
  namespace: string,
  identity: string,
  given: ElectorSettings = settings,
  order: string[] = [],
): Promise<Candidate> {
  const led = Promise.withResolvers<undefined>();
  const [stop, force] = [new AbortController(), new AbortController()];
  const { proxy, transport } = await openWay(environment);
  const elector = makeElector({
    ...{ transport, namespace, name: "lease", identity, settings: given },
    onStartedLeading: (_, lost) => {
      order.push(`${identity} leads`);
      led.resolve(undefined);
      lost.addEventListener("abort", () => order.push(`${identity} lost`));
      return new Promise((resolve) => stop.signal.addEventListener("abort", () => resolve()));
    },
  });
  const ended = elector.run({ stop: stop.signal, force: force.signal });
  later(() => {
    stop.abort(new Error("the test is over"));
    force.abort(new Error("the test is over"));
    return ended;
  });
  const waits = async (): Promise<void> => {
    while (elector.leader() === undefined) await pause(10);
  };
  return { proxy, led: led.promise, waits, stop: () => stop.abort(new Error("stop")), ended };
}

test("a leader that stops is followed at once, with an hour between two tries, and the lease says so", async () => {
  const { namespace, direct } = await makeCluster(environment);
  const leases = makeResource<Lease>(direct, LEASES);
  const hour = { leaseMs: 3 * 3_600_000, renewDeadlineMs: 2 * 3_600_000, retryMs: 3_600_000 };
  const a = await stand(namespace, "a", hour);
  await a.led;
  const b = await stand(namespace, "b", hour);
  await b.waits(); // its next try by the clock is an hour away
  a.stop();
  expect(await a.ended).toBe("released");
  await b.led;
  const lease = await leases.get(`${namespace}/lease`, { signal: never });
  expect(lease?.spec).toMatchObject({ holderIdentity: "b", leaseTransitions: 1, leaseDurationSeconds: 10_800 });
  expect(lease?.spec?.renewTime).toMatch(/\.\d{6}Z$/);
}, 60_000);

test("a leader that is cut off stops itself first, and is followed when its lease has expired", async () => {
  const { namespace } = await makeCluster(environment);
  const order: string[] = [];
  const a = await stand(namespace, "a", settings, order);
  await a.led;
  const b = await stand(namespace, "b", settings, order);
  await b.waits();
  a.proxy.refuse(true);
  a.proxy.blackHole();
  await b.led;
  expect(order).toEqual(["a leads", "a lost", "b leads"]);
  expect(await a.ended).toBe("lost");
}, 60_000);
