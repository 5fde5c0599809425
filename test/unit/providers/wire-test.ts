// A raw server and an account that talks to it, put away after each test.
import { afterEach } from "@jest/globals";
import type { SubmitOutcome } from "../../../operator/task/outcome.ts";
import { startRawServer, type Behaviour, type RawServer } from "../outbound/raw-server.ts";
import { accountAt, type AccountOptions } from "./account.ts";
import { submitRequestOf } from "./spec.ts";

export const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

export const never = new AbortController().signal;

export async function server(behaviour: Behaviour): Promise<RawServer> {
  const started = await startRawServer(behaviour);
  cleanUps.push(started.close);
  return started;
}

export function submit(url: string, options: AccountOptions = {}, signal = never): Promise<SubmitOutcome> {
  const { account } = accountAt(url, options);
  cleanUps.push(() => account.close());
  return account.client.submit(submitRequestOf(), signal);
}
