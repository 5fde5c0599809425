// The credits of a namespace as its objects tell them. The balance itself is in the database, which the shim can't read.
import { z } from "zod";
import { GRANTS } from "../../operator/kube/kinds.ts";
import type { KubeObject } from "../../operator/runtime/objects.ts";
import { makeResource } from "../../operator/runtime/resources.ts";
import type { Transport } from "../../operator/runtime/transport.ts";
import { formatCredits, micro, parseCredits } from "../../operator/task/credits.ts";
import { asProblem } from "../tasks/tasks.ts";
import type { CachedView } from "../tasks/view.ts";
import { route, type Route } from "./route.ts";
import { NO_STORE } from "./schemas.ts";

const amount = (meaning: string): z.ZodString => z.string().describe(`${meaning} A decimal number of credits.`);

const MAX_GRANTS = 100;

const Grant = z.strictObject({
  name: z.string().describe("The name of the CreditGrant."),
  credits: amount("What it adds."),
  reason: z.string().describe("Why, as its author wrote."),
  applied: z.boolean().describe("Whether it is booked."),
  createdAt: z.iso.datetime().optional().describe("When it was made."),
});

const CreditsReply = z
  .strictObject({
    granted: amount("Added by the grants that are there and booked."),
    reserved: amount("Held so far for the tasks that are there."),
    settled: amount("Paid for them."),
    released: amount("Given back of what was held."),
    held: amount("Held now: reserved - settled - released."),
    tasks: z.int().min(0).describe("How many tasks these figures are of."),
    grants: z.array(Grant).describe(`The grants that are there, the newest ${MAX_GRANTS}, newest first.`),
  })
  .meta({ id: "Credits" });
export type CreditsReply = z.infer<typeof CreditsReply>;

interface WireGrant extends KubeObject {
  readonly spec?: { readonly credits?: unknown; readonly reason?: unknown };
  readonly status?: { readonly applied?: unknown };
}

const CALL_MS = 10_000;

export interface CreditRoutesDeps {
  readonly transport: Transport;
  /** All that the watch has, of all namespaces. */
  readonly tasks: () => readonly CachedView[];
}

export function creditRoutes({ transport, tasks }: CreditRoutesDeps): readonly Route[] {
  const grants = makeResource<WireGrant>(transport, GRANTS);
  return [
    route({
      method: "GET",
      path: "/v1/credits",
      id: "getCredits",
      summary:
        "Credits of the namespace, added up over the objects that are there: what was deleted is not in it, so it is no balance.",
      access: { verb: "list", resource: "creditgrants" },
      replies: [{ status: 200, description: "The sums.", schema: CreditsReply }],
      problems: [],
      handle: async ({ caller: { namespace }, signal }) => {
        const options = { signal, timeoutMs: CALL_MS };
        const grantsNow = await grantsOf(grants.list({ namespace }, options)).catch(asProblem);
        const own = tasks().filter(({ view }) => view.namespace === namespace);
        return { status: 200, body: { ...grantsNow, ...spentBy(own) } satisfies CreditsReply, headers: NO_STORE };
      },
    }),
  ];
}

async function grantsOf(listed: AsyncIterable<WireGrant>): Promise<Pick<CreditsReply, "granted" | "grants">> {
  let sum = 0n;
  const grants: z.infer<typeof Grant>[] = [];
  for await (const { metadata, spec, status } of listed) {
    const credits = microOf(spec?.credits);
    const applied = status?.applied === true;
    if (applied) sum += credits;
    const { creationTimestamp: createdAt, name } = metadata;
    const reason = typeof spec?.reason === "string" ? spec.reason : "";
    grants.push({ name, credits: formatCredits(micro(credits)), reason, applied, ...(createdAt && { createdAt }) });
  }
  grants.sort((one, other) => (other.createdAt ?? "").localeCompare(one.createdAt ?? ""));
  return { granted: formatCredits(micro(sum)), grants: grants.slice(0, MAX_GRANTS) };
}

function spentBy(tasks: readonly CachedView[]): Omit<CreditsReply, "granted" | "grants"> {
  const sumOf = (kind: "released" | "reserved" | "settled"): bigint =>
    tasks.reduce((sum, { view }) => sum + microOf(view.credits?.[kind]), 0n);
  const text = (value: bigint): string => formatCredits(micro(value));
  const [reserved, settled, released] = [sumOf("reserved"), sumOf("settled"), sumOf("released")];
  return {
    ...{ reserved: text(reserved), settled: text(settled), released: text(released) },
    ...{ held: text(reserved - settled - released), tasks: tasks.length },
  };
}

function microOf(text: unknown): bigint {
  return (typeof text === "string" ? parseCredits(text) : undefined) ?? 0n;
}
