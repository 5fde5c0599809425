// The adapters against the simulated provider as a process: an account that talks to it, and what a test says of a task.
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { UsageSource } from "../../../operator/providers/provider.ts";
import { makeProviders } from "../../../operator/providers/registry.ts";
import type { ProviderClient, SubmitRequest } from "../../../operator/reconcile/ports.ts";
import type { AttemptId } from "../../../operator/task/brand.ts";
import { startProvider, type RunningProvider } from "../../provider/process.ts";
import { SPEC, submitRequestOf } from "../../unit/providers/spec.ts";

export interface Simulated {
  readonly provider: RunningProvider;
  /** `submitSeconds` and `querySeconds` are 1. */
  readonly client: ProviderClient;
  /** The same, with a credential that is wrong. */
  readonly stranger: ProviderClient;
  /** Its bill, where `changes` say how it is read; of the stranger, too. */
  usage(name?: "simulated" | "stranger"): UsageSource | undefined;
  /** Kills it and starts it again with the same record; the client stays. */
  restart(): Promise<Simulated>;
  remove(): Promise<void>;
}

const START_MS = 20_000;

export async function startSimulated(changes: Readonly<Record<string, unknown>> = {}): Promise<Simulated> {
  const data = await mkdtemp(join(tmpdir(), "providers-"));
  const provider = await startProvider({ data }, AbortSignal.timeout(START_MS));
  const registry = makeProviders({
    namespaceLabels: () => ({}),
    concurrency: () => ({ submit: undefined, query: undefined }),
  });
  const timeouts = { submitSeconds: 1, querySeconds: 1 };
  const spec = { ...SPEC, baseURL: `${provider.url}/v1`, timeouts, ...changes };
  registry.put("simulated", spec, provider.token);
  registry.put("stranger", spec, "wrong");
  const [client, stranger] = [registry.client("simulated"), registry.client("stranger")];
  if (!client || !stranger) throw new Error(JSON.stringify(registry.problems("simulated")));

  const running = (current: RunningProvider): Simulated => ({
    provider: current,
    client,
    stranger,
    usage: (name = "simulated") => registry.usage(name),
    restart: async () => {
      await current.kill("SIGKILL");
      const { port, adminPort, mirrorPort } = current;
      return running(await startProvider({ data, port, adminPort, mirrorPort }, AbortSignal.timeout(START_MS)));
    },
    remove: async () => {
      await registry.close();
      await current.stop();
      await rm(data, { recursive: true, force: true });
    },
  });
  return running(provider);
}

/** A submit of its own reference, so that its requests can be told apart. */
export function wish(simulate: Readonly<Record<string, unknown>> = {}): {
  readonly request: SubmitRequest;
  readonly reference: string;
} {
  const reference = `studio/${randomUUID()}`;
  const attemptId = randomUUID() as AttemptId;
  return { reference, request: submitRequestOf({ attemptId, input: { reference, simulate } }) };
}
