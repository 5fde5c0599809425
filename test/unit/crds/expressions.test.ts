// The CEL of the sample providers, compiled as the operator compiles it and read against answers of the shape that it is
// written for.
import { describe, expect, test } from "@jest/globals";
import type { Adapter } from "../../../operator/providers/adapter.ts";
import { compileProvider } from "../../../operator/providers/compile.ts";
import type { Variables } from "../../../operator/providers/expression.ts";
import type { JobView } from "../../provider/jobs/view.ts";
import { documentFiles } from "./documents.ts";

const providers = documentFiles("samples").filter(({ documents }) => documents[0].kind === "GenerationProvider");

test.each(providers)("every expression of $name compiles", ({ name, documents }) => {
  expect(compileProvider(documents[0].spec, name)).toMatchObject({ ok: true });
});

const TASK = {
  model: "sim-image",
  input: { prompt: "a bridge" },
  namespace: "studio",
  name: "sunrise",
  key: "studio/1",
};
const ATTEMPT = { id: "0b5e7f3c-0001", webhookURL: "" };

describe("the provider simulator's expressions", () => {
  const { http }: { readonly http: Adapter } = simulated();
  const job: JobView = {
    id: "job-7",
    ref: ATTEMPT.id,
    model: "sim-image",
    state: "running",
    progress: 40,
    outputs: [],
    cost: "0",
    cost_estimate: "0.01",
    error: null,
    created_at: "2026-11-30T09:00:00.000Z",
  };
  const answer = (body: unknown, status = 200n): Variables => ({
    task: TASK,
    attempt: { ...ATTEMPT, jobID: "job-7", number: 1n },
    response: { status, headers: {}, body },
  });

  test("submit the task with our own id, and with a webhook only when there is one", () => {
    const body = { model: TASK.model, input: TASK.input, ref: ATTEMPT.id };
    const webhook = "http://127.0.0.1:9/hooks/1";
    expect(http.submit.path({ task: TASK, attempt: ATTEMPT })).toBe("/jobs");
    expect(http.submit.body({ task: TASK, attempt: ATTEMPT })).toEqual(body);
    expect(http.submit.body({ task: TASK, attempt: { ...ATTEMPT, webhookURL: webhook } })).toEqual({
      ...body,
      webhook,
    });
    expect(http.submit.jobID(answer({ id: "job-7", state: "queued" }, 201n))).toBe("job-7");
  });

  test.each([
    ["queued", "Queued"],
    ["running", "Running"],
    ["done", "Succeeded"],
    ["failed", "Failed"],
    ["cancelled", "Cancelled"],
    ["DONE", "DONE"],
    ["archived", "archived"],
  ])("read the state %s as %s", (state, expected) => {
    expect(http.query.state(answer({ ...job, state }))).toBe(expected);
  });

  test("read progress, cost, failure and outputs", () => {
    const output = { name: "output-0", url: "http://127.0.0.1:1/v1/outputs/t/output-0", media_type: "image/png" };
    const done = answer({ ...job, cost: "0.01", outputs: [{ ...output, bytes: 12 }, output] });
    expect(http.query.path(done)).toBe("/jobs/job-7");
    expect(http.query.progress?.(done)).toBe(40);
    expect(http.query.cost?.(done)).toBe("0.01");
    const read = { name: output.name, url: output.url, mediaType: "image/png" };
    expect(http.query.outputs?.(done)).toEqual([{ ...read, bytes: 12 }, read]);
    expect(http.query.failure?.(done)).toBe("");
    const failed = answer({ ...job, error: { code: "content_policy", message: "no" } });
    expect(http.query.failure?.(failed)).toBe("content_policy");
  });

  test("find a lost job by our id, and can tell that there is none", () => {
    expect(http.lookUp?.path({ task: TASK, attempt: ATTEMPT })).toBe(`/jobs?ref=${ATTEMPT.id}`);
    expect(http.lookUp?.jobID(answer({ items: [job] }))).toBe("job-7");
    expect(http.lookUp?.jobID(answer({ items: [] }))).toBe("");
    expect(() => http.lookUp?.jobID(answer({}))).toThrow("no_such_key");
  });

  test("find it in a list, among jobs without reference", () => {
    const page = answer({ items: [{ ...job, ref: null }, job] });
    expect(http.list?.items(page)).toHaveLength(2);
    expect(http.list?.ref?.({ ...page, item: job })).toBe(ATTEMPT.id);
    expect(http.list?.ref?.({ ...page, item: { ...job, ref: null } })).toBe("");
    expect(http.list?.jobID({ ...page, item: job })).toBe("job-7");
  });

  test("cancel it", () => {
    expect(http.cancel?.path(answer({}))).toBe("/jobs/job-7/cancel");
  });
});

function simulated(): { readonly http: Adapter } {
  const spec = providers.find(({ name }) => name === "provider-simulated.yaml")?.documents[0].spec;
  const compiled = compileProvider(spec, "simulated");
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return { http: compiled.adapter };
}
