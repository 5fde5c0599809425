// The providers that serve the caller's namespace: what they offer at which price, and how they are. Nothing of how they are
// reached, and no other namespace's tasks, but for how many there are.
import { z } from "zod";
import { NAMESPACES, PROVIDERS } from "../../operator/kube/kinds.ts";
import { readProvider, readProviderStatus, type WireProvider } from "../../operator/kube/provider-object.ts";
import { PROVIDER_REASONS, type ProviderReason } from "../../operator/kube/provider-reasons.ts";
import type { KubeObject } from "../../operator/runtime/objects.ts";
import { makeResource } from "../../operator/runtime/resources.ts";
import type { Transport } from "../../operator/runtime/transport.ts";
import { isAllowed } from "../../operator/task/allowed.ts";
import { ProviderStatus, type ProviderSpec } from "../../operator/task/provider-resource.ts";
import { asProblem } from "../tasks/tasks.ts";
import { route, type Route } from "./route.ts";
import { NO_STORE } from "./schemas.ts";

const amount = (per: string): z.ZodOptional<z.ZodString> => z.string().optional().describe(`Credits for ${per}.`);

const Model = z.strictObject({
  name: z.string().describe("What spec.model names."),
  price: z
    .strictObject({
      perRequest: amount("the request itself"),
      perOutput: amount("each output asked for"),
      perSecond: amount("each second asked for"),
      countField: z.string().optional().describe("The field of the input with the number of outputs; absent: 1."),
      secondsField: z.string().optional().describe("The field of the input with the seconds."),
    })
    .describe("The estimate, which is held: perRequest + perOutput × count + perSecond × seconds."),
});

/** What decides whether tasks are started. How its bill is read is the platform's own. */
const TOLD: ReadonlySet<string> = new Set(["Ready", "CredentialsValid", "QuotaValid"]);

const Condition = z.strictObject({
  type: z.string().describe("What is judged: Ready, CredentialsValid, QuotaValid."),
  status: z.enum(["True", "False", "Unknown"]).describe("Whether it holds."),
  reason: z.string().describe("Why, as a word."),
  message: z.string().describe("The same as a sentence."),
  since: z.iso.datetime().describe("When status last changed."),
});

const ProviderReply = z
  .strictObject({
    name: z.string().describe("What spec.providerRef names."),
    ready: z.boolean().describe("Whether tasks are started there now."),
    inFlight: ProviderStatus.shape.inFlight.describe("Jobs that may be running there, of all namespaces."),
    waiting: ProviderStatus.shape.waiting.describe("Tasks that wait for its quota, of all namespaces."),
    conditions: z.array(Condition).describe("How it is; none before the operator has seen it."),
    models: z.array(Model).describe("What may be asked for."),
  })
  .meta({ id: "Provider" });
export type ProviderReply = z.infer<typeof ProviderReply>;

const ProviderList = z.strictObject({ providers: z.array(ProviderReply).describe("In the order of their names.") });

const CALL_MS = 8_000;

export function providerRoute(transport: Transport): Route {
  const providers = makeResource<WireProvider>(transport, PROVIDERS);
  const namespaces = makeResource<KubeObject>(transport, NAMESPACES);
  return route({
    method: "GET",
    path: "/v1/providers",
    id: "listProviders",
    summary: "The providers that serve the namespace: what they offer at which price, and how they are.",
    access: { verb: "list", resource: "generationtasks" },
    replies: [
      {
        status: 200,
        description: "All of them; one that can't be read serves nobody, and is not told.",
        schema: ProviderList.meta({ id: "ProviderList" }),
      },
    ],
    problems: [],
    handle: async ({ caller: { namespace }, signal }) => {
      const options = { signal, timeoutMs: CALL_MS };
      const live = await namespaces.get(namespace, options).catch(asProblem);
      const labelsOf = (): Readonly<Record<string, string>> | undefined => live && (live.metadata.labels ?? {});
      const found: ProviderReply[] = [];
      for await (const object of orProblem(providers.list({}, options))) {
        const read = readProvider(object);
        if (read.outcome === "unreadable" || !isAllowed(read.spec.allowedNamespaces, namespace, labelsOf)) continue;
        found.push(replyOf(object, read.spec));
      }
      return { status: 200, body: { providers: found }, headers: NO_STORE };
    },
  });
}

async function* orProblem<T>(listed: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  try {
    yield* listed;
  } catch (error) {
    asProblem(error);
  }
}

function replyOf({ metadata, status }: WireProvider, { models }: ProviderSpec): ProviderReply {
  const { conditions = [], inFlight, waiting } = readProviderStatus(status);
  return {
    name: metadata.name,
    ready: conditions.some(({ status: holds, type }) => type === "Ready" && holds === "True"),
    ...(inFlight !== undefined && { inFlight }),
    ...(waiting !== undefined && { waiting }),
    conditions: conditions
      .filter(({ type }) => TOLD.has(type))
      .map(({ lastTransitionTime: since, reason, status: holds, type }) => ({
        ...{ type, status: holds, reason, message: sentenceFor(reason), since },
      })),
    models: models.map(({ name, price }) => ({ name, price: { ...price } })),
  };
}

/** The reason's own sentence: the object's message may name Secrets, and namespaces of others. */
function sentenceFor(reason: string): string {
  return Object.hasOwn(PROVIDER_REASONS, reason) ? PROVIDER_REASONS[reason as ProviderReason] : reason;
}
