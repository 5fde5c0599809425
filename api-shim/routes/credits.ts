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

const CreditsReply = z
  .strictObject({
    granted: amount("Added by the grants that are there and booked."),
    reserved: amount("Held so far for the tasks that are there."),
    settled: amount("Paid for them."),
    released: amount("Given back of what was held."),
    held: amount("Held now: reserved - settled - released."),
    tasks: z.int().min(0).describe("How many tasks these figures are of."),
  })
  .meta({ id: "Credits" });

interface WireGrant extends KubeObject {
  readonly spec?: { readonly credits?: unknown };
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
        const granted = await grantedBy(grants.list({ namespace }, options)).catch(asProblem);
        const own = tasks().filter(({ view }) => view.namespace === namespace);
        return { status: 200, body: { granted, ...spentBy(own) }, headers: NO_STORE };
      },
    }),
  ];
}

async function grantedBy(grants: AsyncIterable<WireGrant>): Promise<string> {
  let sum = 0n;
  for await (const { spec, status } of grants) if (status?.applied === true) sum += microOf(spec?.credits);
  return formatCredits(micro(sum));
}

function spentBy(tasks: readonly CachedView[]): Omit<z.infer<typeof CreditsReply>, "granted"> {
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
