// How many connections a process has to the API server, counted where they arrive.
import { expect, test } from "@jest/globals";
import { makeResource } from "../../../operator/runtime/resources.ts";
import { sharedEnvironment } from "../../env/shared.ts";
import { CONFIG_MAPS, follow, makeCluster, never, openWay, type ConfigMap } from "./cluster.ts";

const environment = sharedEnvironment();

test("ten watches and a thousand calls, many at once, share at most four connections", async () => {
  const { namespace } = await makeCluster(environment);
  const { proxy, transport } = await openWay(environment);
  const watches = Array.from({ length: 10 }, () => follow(transport, namespace));
  await Promise.all(watches.map(({ cache }) => cache.whenSynced(never)));

  const maps = makeResource<ConfigMap>(transport, CONFIG_MAPS);
  for (let round = 0; round < 20; round++) {
    const calls = Array.from({ length: 50 }, (_, at) => maps.get(`${namespace}/m${at}`, { signal: never }));
    await Promise.all(calls);
  }
  expect(proxy.accepted()).toBeLessThanOrEqual(4);
}, 60_000);

test("calls that were broken off leave no connection and no stream behind", async () => {
  const { namespace } = await makeCluster(environment);
  const { proxy, transport } = await openWay(environment);
  const maps = makeResource<ConfigMap>(transport, CONFIG_MAPS);
  await maps.get(`${namespace}/a`, { signal: never });
  for (let call = 0; call < 200; call++) {
    const giveUp = new AbortController();
    const result = maps.get(`${namespace}/a`, { signal: giveUp.signal }).catch(() => undefined);
    if (call % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
    giveUp.abort(new Error("no longer needed"));
    await result;
  }
  expect(await maps.get(`${namespace}/a`, { signal: never })).toBeUndefined();
  expect(proxy.accepted()).toBeLessThanOrEqual(2);
}, 60_000);
