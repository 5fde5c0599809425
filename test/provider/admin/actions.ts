// What a test may do to the provider: set its behaviour, and finish or hold a job by hand.
import { z } from "zod";
import { refusal, json, type Reply } from "../api/reply.ts";
import { settleDue } from "../jobs/settle.ts";
import type { Provider } from "../provider.ts";
import { Config, ConfigChange, Schedule } from "../schema/config.ts";

export function setConfig({ record }: Provider, body: unknown): Reply {
  const change = ConfigChange.safeParse(body);
  if (!change.success) return invalid(change.error);

  const config = Config.parse({ ...record.settings.config(), ...change.data });
  record.settings.setConfig(config);
  return json(200, config);
}

export function setSchedule({ record }: Provider, body: unknown): Reply {
  const schedule = Schedule.safeParse(body);
  if (!schedule.success) return invalid(schedule.error);

  record.settings.setSchedule(schedule.data);
  return json(200, schedule.data);
}

/** Look-ups and lists show it from now on, over or not. */
export function showJob({ record }: Provider, id: string): Reply {
  if (!record.jobs.find(id)) return refusal(404, "not_found", "job not found");
  record.jobs.setVisible(id, Date.now());
  return json(200, { id });
}

export type JobAction = "finish" | "hold" | "release";

export function actOnJob({ record, clerk }: Provider, id: string, action: JobAction): Reply {
  const nowMs = Date.now();
  settleDue(record, nowMs);
  const job = record.jobs.find(id);
  if (!job) return refusal(404, "not_found", "job not found");
  if (job.finalState !== null) return refusal(409, "already_completed", "the job is over");

  if (action === "hold") record.jobs.hold(id);
  if (action === "release") record.jobs.setEnd(id, Math.max(nowMs, job.endsMs));
  if (action === "finish") record.jobs.setEnd(id, nowMs);
  settleDue(record, nowMs);
  clerk.poke();
  return json(200, { id, held: action === "hold" });
}

export function reset({ record, clerk }: Provider): Reply {
  record.clear();
  clerk.poke();
  return json(200, {});
}

function invalid(error: z.ZodError): Reply {
  return refusal(422, "invalid_request", z.prettifyError(error));
}
