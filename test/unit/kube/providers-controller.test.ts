import { afterEach, describe, expect, test } from "@jest/globals";
import type { SecretRead } from "../../../operator/kube/secrets.ts";
import { KubeError } from "../../../operator/runtime/errors.ts";
import { wireProvider } from "./objects.ts";
import { makeFakeProviders, type FakeProviders } from "./providers-world.ts";

const unreachable = (): KubeError => new KubeError({ status: 503, reason: "Down", method: "GET", path: "/" });
const holds = (value: string) => (): SecretRead => ({ outcome: "read", value });

let world: FakeProviders;
afterEach(() => world.end());

const states = (): readonly string[] => world.told.map((told) => (told === "removed" ? told : told.state));

describe("while the API server can't be asked for the Secret", () => {
  test("a provider that is not known yet is there, and not usable: its tasks wait and are not rejected", async () => {
    const { promise, resolve } = Promise.withResolvers<SecretRead>();
    world = makeFakeProviders([unreachable, unreachable, () => promise]);
    world.set(wireProvider());
    expect(world.told).toMatchObject([{ state: "unusable", spec: { adapter: "http" } }]);

    await world.until(() => world.reads() === 3);
    expect(states()).toEqual(["unusable"]);
    expect(world.providers.ready().get("acme")).toBe(false);

    resolve({ outcome: "read", value: "hush" });
    await world.until(() => world.patches.length === 1);
    expect(world.told.at(-1)).toMatchObject({ state: "usable", credential: "hush" });
    expect(world.providers.ready().get("acme")).toBe(true);
  });

  test("a credential that is in use stays in use", async () => {
    world = makeFakeProviders([holds("hush"), unreachable]);
    world.set(wireProvider());
    await world.until(() => world.patches.length === 1);
    world.set(wireProvider({ metadata: { generation: 2 } }));
    await world.until(() => world.reads() >= 3);
    expect(states()).toEqual(["unusable", "usable"]);
    expect(world.providers.ready().get("acme")).toBe(true);
  });
});

test("a database that does not answer keeps nothing from being told but the numbers", async () => {
  world = makeFakeProviders([holds("hush")], () => Promise.reject(new Error("no database")));
  world.set(wireProvider());
  await world.until(() => world.patches.length === 1);
  expect(world.patches).toMatchObject([{ status: { conditions: [{ type: "Ready", status: "True" }, {}, {}] } }]);
  expect(world.patches[0]).not.toHaveProperty("status.inFlight");
});

test("a provider that goes while its Secret is read is not put back", async () => {
  const { promise, resolve } = Promise.withResolvers<SecretRead>();
  world = makeFakeProviders([() => promise]);
  world.set(wireProvider());
  await world.until(() => world.reads() === 1);
  world.set(undefined);
  resolve({ outcome: "read", value: "hush" });
  await new Promise(setImmediate);
  expect(states()).toEqual(["unusable", "removed"]);
});

test("another object under the name is told anew, although its generation is the same", async () => {
  world = makeFakeProviders([holds("hush")]);
  world.set(wireProvider());
  await world.until(() => world.patches.length === 1);
  world.set(undefined);
  world.set(wireProvider({ metadata: { uid: "uid-q" } }));
  await world.until(() => states().length === 5);
  expect(states()).toEqual(["unusable", "usable", "removed", "unusable", "usable"]);
});
