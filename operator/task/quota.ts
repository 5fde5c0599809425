// One provider's entry of the quota ConfigMap. Absent limits are no limits; a typo is an error, never ignored.
import { z } from "zod";

const count = z.int().min(0).max(1_000_000);
const Rate = z.strictObject({
  perSecond: z.number().positive().max(100_000).optional(),
  perMinute: z.number().positive().max(6_000_000).optional(),
  burst: z.int().min(1).max(10_000).default(1),
  concurrent: z.int().min(1).max(1000).optional().describe("Calls at once in one process."),
});

export const Quota = z.strictObject({
  submit: Rate.optional(),
  query: Rate.optional(),
  inFlight: count.optional().describe("Jobs at the provider, over all replicas."),
  retryRatio: z.number().min(0).max(10).optional(),
  models: z.record(z.string().max(256), z.strictObject({ inFlight: count.optional() })).optional(),
  namespaces: z
    .record(
      z.string().max(63),
      z.strictObject({ weight: z.int().min(1).max(1000).default(1), inFlight: count.optional() }),
    )
    .optional(),
});
export type Quota = z.infer<typeof Quota>;

/** The limits that one submit meets; undefined is unlimited. `intervalMs` is the time between two submits (GCRA). */
export interface Admission {
  readonly inFlight: number | undefined;
  readonly modelInFlight: number | undefined;
  readonly namespaceInFlight: number | undefined;
  readonly rate: { readonly intervalMs: number; readonly burst: number } | undefined;
}

/** What the quota says about a submit of this model from this namespace. */
export function admissionOf(quota: Quota | undefined, model: string, namespace: string): Admission {
  return {
    inFlight: quota?.inFlight,
    modelInFlight: quota?.models?.[model]?.inFlight,
    namespaceInFlight: quota?.namespaces?.[namespace]?.inFlight,
    rate: rateOf(quota?.submit),
  };
}

function rateOf(rate: z.infer<typeof Rate> | undefined): Admission["rate"] {
  if (!rate) return undefined;
  const perSecond = Math.min(rate.perSecond ?? Infinity, (rate.perMinute ?? Infinity) / 60);
  return Number.isFinite(perSecond) ? { intervalMs: 1000 / perSecond, burst: rate.burst } : undefined;
}
