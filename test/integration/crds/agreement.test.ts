// zod and the API server read task specs alike: they take the same ones, and fill in the same defaults.
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { TaskSpec } from "../../../operator/task/resource.ts";
import { sharedEnvironment } from "../../env/shared.ts";
import { anyInput, anySpec } from "./specs.ts";
import { useOwnNamespace } from "./own-namespace.ts";

const environment = sharedEnvironment();
const { server } = useOwnNamespace(environment);
const RUNS = 150;

async function judge(spec: unknown): Promise<void> {
  const byZod = TaskSpec.safeParse(spec);
  const answer = await server().create(
    { apiVersion: "genop.dev/v1alpha1", kind: "GenerationTask", metadata: { name: "generated" }, spec },
    { dryRun: true },
  );
  const reason = JSON.stringify({ zod: byZod.error?.issues, server: answer.accepted || answer.message });
  expect({ accepted: answer.accepted, reason }).toEqual({ accepted: byZod.success, reason });
  if (answer.accepted) expect(answer.object.spec).toEqual(byZod.data);
}

test("what one takes the other takes, with the same defaults", async () => {
  const verdicts = { taken: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(anySpec(), async (spec) => {
      await judge(spec);
      verdicts[TaskSpec.safeParse(spec).success ? "taken" : "refused"] += 1;
    }),
    { numRuns: RUNS },
  );
  // Neither verdict may be so rare that the property says nothing about it.
  expect(Math.min(verdicts.taken, verdicts.refused)).toBeGreaterThan(RUNS / 10);
}, 120_000);

test("input comes through the API server as it was written", async () => {
  const spec = (input: unknown): unknown => ({ providerRef: { name: "acme" }, model: "m", input });
  await fc.assert(
    fc.asyncProperty(anyInput(), (input) => judge(spec(input))),
    { numRuns: RUNS },
  );
}, 120_000);
