// What is known of a task, for the pages that tell of it: a test says only what it is about.
import { SeenTask } from "../../../cli/cluster/kinds.ts";
import { Evidence } from "../../../cli/why/evidence.ts";
import type { Facts } from "../../../cli/why/facts.ts";

export const NOON = Date.parse("2026-01-01T12:00:00Z");
export const at = (seconds: number): string => new Date(NOON + seconds * 1000).toISOString();
export const SECRET = "a prompt that nobody else reads";

export function task(status: object, spec: object = {}): SeenTask {
  return SeenTask.parse({
    metadata: { name: "sunrise", namespace: "studio", uid: "u", creationTimestamp: at(0) },
    spec: { providerRef: { name: "acme" }, model: "image", input: { prompt: SECRET }, ...spec },
    status,
  });
}

export function attempt(changes: object): object {
  return {
    number: 1,
    id: "id-1",
    provider: "acme",
    model: "image",
    state: "sent",
    begunAt: at(1),
    held: "0.05",
    ...changes,
  };
}

export function facts(changes: Partial<Facts> & Pick<Facts, "task">): Facts {
  const absent = { absent: "nobody was asked" };
  return { events: [], provider: absent, evidence: absent, account: absent, now: new Date(NOON + 600_000), ...changes };
}

export const evidenceOf = (attempts: readonly object[], record: object = {}): Evidence =>
  Evidence.parse({ now: at(600), task: { registeredAt: at(0), ...record }, attempts });
