// One look for a job whose answer was lost: by a replay, by our own id, or in the provider's list.
import type { ActionOf } from "../task/action.ts";
import { judgeReplay, judgeSearch } from "../task/judge/search.ts";
import type { Mark } from "../task/mark.ts";
import type { Observation } from "../task/observation.ts";
import type { SearchOutcome } from "../task/outcome.ts";
import { NOT_NOW, requestOf, timed } from "./calls.ts";
import { writeMark } from "./marks.ts";
import type { Deps, Next, Onward, ProviderClient } from "./ports.ts";

export async function search(
  deps: Deps,
  seen: Observation,
  action: ActionOf<"search">,
  signal: AbortSignal,
): Promise<Next | Onward> {
  const client = deps.providers.client(action.settings.name);
  if (!client) return NOT_NOW;
  const mark = await look(deps, seen, { ...action, client }, signal);
  return mark ? writeMark(deps, seen, action.attempt, mark) : NOT_NOW;
}

async function look(
  deps: Deps,
  seen: Observation,
  { attempt, client, method, settings }: ActionOf<"search"> & { readonly client: ProviderClient },
  signal: AbortSignal,
): Promise<Mark | undefined> {
  const isLikeness = method === "list" && settings.capabilities.correlate === "Heuristic";
  const request = method === "replay" || isLikeness ? await requestOf(deps, seen, attempt, signal) : undefined;
  if (method !== "replay") {
    const call = (): Promise<SearchOutcome> => client.search(method, attempt, signal, request?.input);
    const outcome = await timed(deps, settings.name, method, call);
    return judgeSearch(seen, { attempt, method, settings }, outcome, deps.random());
  }
  if (!request) return undefined;
  deps.unsent.forget(attempt.id);
  const outcome = await timed(deps, settings.name, "replay", () => client.replay(request, signal));
  return judgeReplay(seen, attempt, outcome, deps.random());
}
