// What belongs to one term, and what wakes tasks of a shard when another process booked credits.
import { expect, test } from "@jest/globals";
import { readConfig } from "../../../operator/config.ts";
import type { WireGrant } from "../../../operator/kube/grant-object.ts";
import type { ChangeHandler } from "../../../operator/runtime/store.ts";
import type { AttemptId } from "../../../operator/task/brand.ts";
import { makePorts } from "../../../operator/wiring/ports.ts";
import type { PortsDeps } from "../../../operator/wiring/ports.ts";
import { wakeOnGrants } from "../../../operator/wiring/wake.ts";

const config = readConfig({ DATABASE_URL: "postgres://app@db/genop", S3_BUCKET: "genop" });

test("that nothing was sent for a mark is known for one term only: the shard may have been another's meanwhile", () => {
  const cache = { get: () => undefined, seen: () => ({ resourceVersion: "", history: 0 }) };
  const deps = { config, caches: { tasks: cache }, submitLimit: () => 1 } as unknown as PortsDeps;
  const portsOf = makePorts({ ...deps, mayWrite: () => true });
  const begin = () => portsOf(() => undefined).pass;
  const [first, later] = [begin(), begin()];
  const id = "attempt" as AttemptId;
  first.unsent.note(id);
  expect([first.unsent.has(id), later.unsent.has(id)]).toEqual([true, false]);
  // What bounds this process bounds all its terms together.
  expect([first.slots.take("submit", "acme") !== undefined, later.slots.take("submit", "acme")]).toEqual([
    true,
    undefined,
  ]);
});

test.each([
  { what: "is booked", before: undefined, after: true, initial: false, woken: ["studio"] },
  { what: "was booked before we looked", before: undefined, after: true, initial: true, woken: [] },
  { what: "is not booked yet", before: undefined, after: undefined, initial: false, woken: [] },
  { what: "changes after it was booked", before: true, after: true, initial: false, woken: [] },
])("a grant that $what wakes $woken", ({ after, before, initial, woken }) => {
  const grant = (applied: boolean | undefined): WireGrant => ({
    metadata: { namespace: "studio", name: "first" },
    ...(applied && { status: { applied: true } }),
  });
  const heard: string[] = [];
  let tell: ChangeHandler<WireGrant> = () => undefined;
  const wake = {
    tasksOfProviders: () => undefined,
    allTasks: () => undefined,
    tasksOfNamespace: (name: string) => void heard.push(name),
  };
  wakeOnGrants({ onChange: (handler) => (tell = handler) }, wake);
  tell("studio/first", grant(after), grant(before), { initial });
  expect(heard).toEqual(woken);
});
