// What people meet at the real API server: columns, short names, selectors, explanations, changes that are allowed.
import { describe, expect, test } from "@jest/globals";
import { PHASES, TaskStatus } from "../../../operator/task/resource.ts";
import { kubectl } from "../../env/kubectl.ts";
import { sharedEnvironment } from "../../env/shared.ts";
import type { KubernetesDocument } from "../../unit/crds/documents.ts";
import { acceptedObject, refusalOf, type Answer, type StoredObject } from "./api-server.ts";
import { useOwnNamespace } from "./own-namespace.ts";

const environment = sharedEnvironment();
const { namespace, server } = useOwnNamespace(environment);

const SPEC = { providerRef: { name: "nobody" }, model: "some/model", input: { prompt: "a bridge in the rain" } };
const RESOLUTION = { attempt: 1, decision: "NotCreated" };

function task(name: string, spec: object = {}): KubernetesDocument {
  return {
    apiVersion: "genop.dev/v1alpha1",
    kind: "GenerationTask",
    metadata: { name },
    spec: { ...SPEC, suspend: true, ...spec },
  };
}

async function stored(answer: Promise<Answer>): Promise<StoredObject> {
  return acceptedObject(await answer);
}

/** As full as the operator can write it. */
const STATUS: TaskStatus = {
  observedGeneration: 1,
  phase: "Succeeded",
  reason: "AssetsPublished",
  message: "2 assets published",
  taskKey: "studio/order-1234",
  attempt: 1,
  providerJobID: "job_8f2c",
  progress: 100,
  nextActionTime: "2026-11-30T10:00:00Z",
  startTime: "2026-11-30T09:00:00Z",
  submittedTime: "2026-11-30T09:00:01Z",
  completionTime: "2026-11-30T09:01:00Z",
  credits: { reserved: "0.006", settled: "0.005", released: "0.001" },
  assets: [
    {
      name: "output-0",
      uri: "s3://genop/assets/1/output-0.png",
      mediaType: "image/png",
      bytes: 3_000_000_000,
      sha256: "0".repeat(64),
      width: 1024,
      height: 1024,
    },
  ],
  conditions: [
    {
      type: "Succeeded",
      status: "True",
      observedGeneration: 1,
      lastTransitionTime: "2026-11-30T09:01:00Z",
      reason: "AssetsPublished",
      message: "2 assets published",
    },
  ],
};

describe("kubectl shows a task", () => {
  const columns = (text: string): string[] => text.split("\n")[0]?.split(/\s{2,}/) ?? [];

  test("in the columns that people look for first", async () => {
    const object = await stored(server().create(task("columns")));
    await stored(server().setStatus(object, STATUS));
    const text = await kubectl(environment, ["get", "gt", "columns", "-n", namespace]);
    expect(columns(text)).toEqual(["NAME", "PROVIDER", "MODEL", "PHASE", "ATTEMPT", "CREDITS", "AGE"]);
    expect(text).toMatch(/columns +nobody +some\/model +Succeeded +1 +0\.005 /);
  });

  test("with reason, job and progress when asked for more", async () => {
    const text = await kubectl(environment, ["get", "gt", "columns", "-n", namespace, "-o", "wide"]);
    expect(text).toMatch(/REASON +JOB +PROGRESS/);
    expect(text).toMatch(/AssetsPublished +job_8f2c +100/);
  });

  test("by phase and by provider", async () => {
    const names = (selector: string): Promise<string> =>
      kubectl(environment, ["get", "gt", "-n", namespace, "-o", "name", "--field-selector", selector]);
    expect(await names("status.phase=Succeeded,spec.providerRef.name=nobody")).toContain("columns");
    expect(await names("status.phase=Failed")).toBe("");
    expect(await names("spec.providerRef.name=other")).toBe("");
  });

  test("as succeeded to those who wait for it", async () => {
    const args = ["wait", "--for=condition=Succeeded", "gt/columns", "-n", namespace, "--timeout=10s"];
    expect(await kubectl(environment, args)).toContain("condition met");
  });

  test("among all of ours", async () => {
    expect(await kubectl(environment, ["get", "genop", "-n", namespace, "-o", "name"])).toContain("/columns");
  });

  test("and explains its fields", async () => {
    const text = await kubectl(environment, ["explain", "gt.spec.unknownPolicy"]);
    expect(text).toMatch(/Resubmit may pay\s+twice/);
  });

  // Providers are the whole cluster's: other tests may have some just now.
  test.each([
    { shortName: "gp", names: /^(generationprovider\.genop\.dev\/\S+\n)*$/ },
    { shortName: "cg", names: /^$/ },
  ])("and knows $shortName", async ({ names, shortName }) => {
    expect(await kubectl(environment, ["get", shortName, "-n", namespace, "-o", "name"])).toMatch(names);
  });
});

describe("status", () => {
  test.each(PHASES)("may say %s", async (phase) => {
    const object = await stored(server().create(task(`phase-${phase.toLowerCase()}`)));
    expect(TaskStatus.safeParse({ ...STATUS, phase })).toMatchObject({ success: true });
    expect(await server().setStatus(object, { ...STATUS, phase })).toMatchObject({
      accepted: true,
      object: { status: { ...STATUS, phase } },
    });
  });

  test("is dropped when a task is created with it, and spec when status is written", async () => {
    const object = await stored(server().create({ ...task("with-status"), status: STATUS } as StoredObject));
    expect(object.status).toBeUndefined();
    const written = await stored(server().setStatus({ ...object, spec: { ...SPEC, model: "other" } }, STATUS));
    expect(written.spec).toEqual(object.spec);
  });

  test("with two conditions of one type is refused", async () => {
    const object = await stored(server().create(task("twice")));
    const conditions = [...(STATUS.conditions ?? []), ...(STATUS.conditions ?? [])];
    expect(refusalOf(await server().setStatus(object, { ...STATUS, conditions }))).toContain("Duplicate value");
  });
});

describe("a task that exists", () => {
  test.each([
    { what: "resumed", change: { suspend: false } },
    { what: "cancelled", change: { cancelRequested: true } },
    { what: "given a time to live", change: { ttlSecondsAfterFinished: 0 } },
    {
      what: "given a callback",
      change: {
        callback: { url: "https://studio.example/h", secretRef: { name: "h", key: "k" }, events: ["Succeeded"] },
      },
    },
    { what: "resolved", change: { resolution: RESOLUTION } },
  ])("can be $what", async ({ what, change }) => {
    const object = await stored(server().create(task(`can-be-${what.replaceAll(" ", "-")}`)));
    expect(await server().tryChange(object, { ...(object.spec as object), ...change })).toMatchObject({
      accepted: true,
      object: { spec: change },
    });
  });

  test.each([
    { phase: "NeedsReview", accepted: true },
    { phase: "Polling", accepted: false },
    { phase: "Failed", accepted: false },
  ])(
    "whose resolution was set: another decision in phase $phase is accepted: $accepted",
    async ({ phase, accepted }) => {
      const object = await stored(server().create(task(`resolved-${phase.toLowerCase()}`, { resolution: RESOLUTION })));
      const written = await stored(server().setStatus(object, { phase }));
      const spec = { ...(written.spec as object), resolution: { ...RESOLUTION, decision: "WriteOff" } };
      expect(await server().tryChange(written, spec)).toMatchObject({ accepted });
    },
  );
});
