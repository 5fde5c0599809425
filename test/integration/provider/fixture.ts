// A provider process for one test file, with a folder of its own for the record, removed when the file is done.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProvider, type ProviderOptions, type RunningProvider } from "../../provider/process.ts";
import { makeCaller, type Caller } from "./calling.ts";

export interface Fixture {
  readonly provider: RunningProvider;
  readonly caller: Caller;
  /** Kills it, if it still lives, and starts it again on the same ports with the same record. */
  restart(): Promise<Fixture>;
  remove(): Promise<void>;
}

const START_MS = 20_000;

export async function makeProvider(): Promise<Fixture> {
  const data = await mkdtemp(join(tmpdir(), "provider-"));
  return startIn({ data });
}

async function startIn(options: ProviderOptions): Promise<Fixture> {
  const provider = await startProvider(options, AbortSignal.timeout(START_MS));
  const { port, adminPort, mirrorPort } = provider;

  return {
    provider,
    caller: makeCaller(provider),
    restart: async () => {
      await provider.kill("SIGKILL");
      return startIn({ ...options, port, adminPort, mirrorPort });
    },
    remove: async () => {
      await provider.stop();
      await rm(options.data, { recursive: true, force: true });
    },
  };
}
