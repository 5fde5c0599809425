// The short memory of who may do what: how long, how many, and that strangers can't make the API server work.
import { describe, expect, test } from "@jest/globals";
import { makeDoor } from "../../../api-shim/access/door.ts";
import { makePermissions } from "../../../operator/access/permissions.ts";
import { makeRate } from "../../../operator/runtime/rate.ts";
import { makeShortMemory } from "../../../operator/access/short-memory.ts";
import { makeTokens } from "../../../operator/access/tokens.ts";
import { KubeError } from "../../../operator/runtime/errors.ts";
import type { KubeRequest } from "../../../operator/runtime/sender.ts";
import type { Transport } from "../../../operator/runtime/transport.ts";
import { makeManualClock } from "../runtime/manual-clock.ts";

interface Cluster {
  readonly transport: Transport;
  readonly asked: KubeRequest[];
  /** Tokens that are good, and actions ("verb namespace/name") that are allowed. */
  readonly good: Set<string>;
  readonly allowed: Set<string>;
  isDown: boolean;
}

interface Body {
  readonly spec: {
    readonly token: string;
    readonly resourceAttributes: { readonly verb: string; readonly namespace: string; readonly name?: string };
  };
}

function cluster(): Cluster {
  const made: Cluster = {
    asked: [],
    good: new Set(["good"]),
    allowed: new Set(["get studio/"]),
    isDown: false,
    transport: {
      request: (request) => {
        made.asked.push(request);
        if (made.isDown)
          return Promise.reject(new KubeError({ status: 0, reason: "Timeout", method: "POST", path: "/" }));
        const { resourceAttributes, token } = (request.body as Body).spec;
        if (request.path.endsWith("tokenreviews")) {
          const user = { username: "system:serviceaccount:studio:maker", uid: "1", groups: ["g"] };
          return Promise.resolve({ status: made.good.has(token) ? { authenticated: true, user } : { user: {} } });
        }
        const { name = "", namespace, verb } = resourceAttributes;
        return Promise.resolve({ status: { allowed: made.allowed.has(`${verb} ${namespace}/${name}`) } });
      },
      stream: () => {
        throw new Error("nothing is watched");
      },
      close: () => Promise.resolve(),
    },
  };
  return made;
}

function door({ transport }: Cluster, clock = makeManualClock(), burst = 1_000): ReturnType<typeof makeDoor> {
  return makeDoor({
    tokens: makeTokens({ transport, clock, audiences: [] }),
    permissions: makePermissions({ transport, clock }),
    rate: makeRate(clock, { perSecond: 1, burst, maxNames: 10 }),
  });
}

const GET = { verb: "get", resource: "generationtasks" } as const;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe("the door", () => {
  test("asks once for many requests at the same time, and again when it has forgotten", async () => {
    const api = cluster();
    const clock = makeManualClock();
    const { admit } = door(api, clock);
    await Promise.all(Array.from({ length: 50 }, () => admit(bearer("good"), GET, undefined)));
    expect(api.asked).toHaveLength(2);
    clock.freeze(9_000);
    await admit(bearer("good"), GET, undefined);
    expect(api.asked).toHaveLength(2);
    clock.freeze(2_000);
    api.good.clear(); // the token was revoked
    await expect(admit(bearer("good"), GET, undefined)).rejects.toMatchObject({ code: "unauthenticated" });
  });

  test("lets nobody in while the API can't be asked, and does not remember that", async () => {
    const api = cluster();
    const { admit } = door(api);
    api.isDown = true;
    await expect(admit(bearer("good"), GET, undefined)).rejects.toMatchObject({ code: "cluster-unavailable" });
    api.isDown = false;
    await expect(admit(bearer("good"), GET, undefined)).resolves.toMatchObject({ namespace: "studio" });
  });

  test("a right to one object opens that one only", async () => {
    const api = cluster();
    api.allowed.clear();
    api.allowed.add("get studio/mine");
    const { admit } = door(api);
    await expect(admit(bearer("good"), GET, "mine")).resolves.toBeDefined();
    await expect(admit(bearer("good"), GET, "other")).rejects.toMatchObject({ code: "forbidden" });
    await expect(admit(bearer("good"), GET, undefined)).rejects.toMatchObject({ code: "forbidden" });
  });

  test("a namespace that asks too often is told when to come again, and nobody else is; who may not ask there uses nothing up", async () => {
    const api = cluster();
    api.allowed.add("get other/");
    const clock = makeManualClock();
    const { admit } = door(api, clock, 2);
    const inOther = { ...bearer("good"), "x-genop-namespace": "other" };
    for (let times = 0; times < 5; times += 1) {
      const verb = { verb: "delete", resource: "generationtasks" } as const;
      await expect(admit(bearer("good"), verb, undefined)).rejects.toMatchObject({ code: "forbidden" });
    }
    await admit(bearer("good"), GET, undefined);
    await admit(bearer("good"), GET, undefined);
    await expect(admit(bearer("good"), GET, undefined)).rejects.toMatchObject({
      code: "too-many-requests",
      details: { retryAfterSeconds: 1 },
    });
    await expect(admit(inOther, GET, undefined)).resolves.toMatchObject({ namespace: "other" });
    clock.freeze(1_000);
    await expect(admit(bearer("good"), GET, undefined)).resolves.toMatchObject({ namespace: "studio" });
  });

  test("ten thousand made-up tokens are some hundred questions, and the honest one still gets in afterwards", async () => {
    const api = cluster();
    const clock = makeManualClock();
    const { admit } = door(api, clock);
    const strangers = Array.from({ length: 10_000 }, (_, index) =>
      admit(bearer(`made-up-${index}`), GET, undefined).catch((error: unknown) => (error as { code: string }).code),
    );
    expect(new Set(await Promise.all(strangers))).toEqual(new Set(["unauthenticated", "overloaded"]));
    expect(api.asked.length).toBeLessThanOrEqual(201);
    clock.freeze(1_000);
    await expect(admit(bearer("good"), GET, undefined)).resolves.toBeDefined();
  });

  test.each([
    { what: "no header", headers: {}, code: "unauthenticated" },
    { what: "another scheme", headers: { authorization: "Basic Z29vZA==" }, code: "unauthenticated" },
    { what: "a token with a space", headers: { authorization: "Bearer go od" }, code: "unauthenticated" },
    {
      what: "a namespace that is none",
      headers: { ...bearer("good"), "x-genop-namespace": "../kube-system" },
      code: "invalid-request",
    },
    {
      what: "a namespace without a right",
      headers: { ...bearer("good"), "x-genop-namespace": "kube-system" },
      code: "forbidden",
    },
  ])("$what is answered $code", async ({ code, headers }) => {
    await expect(door(cluster()).admit(headers, GET, undefined)).rejects.toMatchObject({ code });
  });
});

test("a short memory never holds more than it may, and no failure", async () => {
  const memory = makeShortMemory<number>({ clock: makeManualClock(), keepMs: () => 1000, maxKept: 10 });
  for (let index = 0; index < 1000; index += 1) await memory.get(String(index), () => Promise.resolve(index));
  expect(memory.size()).toBe(10);
  await expect(memory.get("bad", () => Promise.reject(new Error("down")))).rejects.toThrow("down");
  expect(await memory.get("bad", () => Promise.resolve(1))).toBe(1);
});
