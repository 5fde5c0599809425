// A process may stand still between a mark and its call. The call is told until when it may leave, and that moment counts from
// before the mark: by the row's deadline, after which another process looks for the job, nothing leaves any more.
import { expect, test } from "@jest/globals";
import type { Deps, ProviderClient } from "../../operator/reconcile/ports.ts";
import { makeWorld } from "../fakes/world.ts";

test("I1: a submit may leave no later than its row's deadline, counted from before the mark", async () => {
  const world = makeWorld();
  const { books, providers } = world.deps;
  let deadlineAtMs = 0;
  let latestMs: number | undefined;
  const markSent: Deps["books"]["markSent"] = (attempt, admission, deadlineMs, signal) => {
    deadlineAtMs = performance.now() + deadlineMs;
    return books.markSent(attempt, admission, deadlineMs, signal);
  };
  const clientOf = (name: string): ProviderClient | undefined => {
    const client = providers.client(name);
    if (!client) return undefined;
    const submit: ProviderClient["submit"] = (request, signal) => {
      latestMs = request.latestMs;
      return client.submit(request, signal);
    };
    return Object.assign(Object.create(client) as ProviderClient, { submit });
  };
  await world.run({
    ...world.deps,
    books: { ...books, markSent },
    providers: { see: (name, namespace) => providers.see(name, namespace), client: clientOf },
  });
  expect(latestMs).toBeGreaterThan(0);
  expect(latestMs).toBeLessThanOrEqual(deadlineAtMs);
});
