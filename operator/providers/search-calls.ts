// Looks for a lost job: one call for a look-up, as many as there are pages for a list. What one page tells is read in search.ts.
import type { ProviderClient } from "../reconcile/ports.ts";
import type { ProviderJobId } from "../task/brand.ts";
import type { SearchOutcome } from "../task/outcome.ts";
import type { Adapter } from "./adapter.ts";
import type { Get } from "./get.ts";
import { unanswered } from "./reply.ts";
import { searchVariables } from "./request.ts";
import { among, readLookUp, readPage, type Page, type Sought } from "./search.ts";
import type { WireEnding } from "./wire.ts";

interface Searching {
  readonly adapter: Adapter;
  readonly get: Get;
}

/** Does not reject. */
export function makeSearch(adapter: Adapter, get: Get): ProviderClient["search"] {
  const searching = { adapter, get };
  return (method, attempt, signal, input) => {
    const sought = { attemptId: attempt.id, variables: searchVariables(attempt, input) };
    return method === "look-up" ? lookUp(searching, sought, signal) : searchList(searching, sought, signal);
  };
}

async function lookUp({ adapter, get }: Searching, sought: Sought, signal: AbortSignal): Promise<SearchOutcome> {
  const looking = adapter.lookUp;
  if (!looking) return unanswered("not-configured");
  const read = (ending: WireEnding, at: Date): SearchOutcome => readLookUp(looking, ending, sought, at);
  return get(() => looking.path(sought.variables), read, signal);
}

/** Page by page to the end of the list: only then is anything known of what is not in it. */
async function searchList({ adapter, get }: Searching, sought: Sought, signal: AbortSignal): Promise<SearchOutcome> {
  const { list } = adapter;
  if (!list) return unanswered("not-configured");
  const read = (ending: WireEnding, at: Date): Page => readPage(list, ending, sought, at);
  const found = new Set<ProviderJobId>();
  let path = (): unknown => list.path(sought.variables);
  for (let pages = 0; pages < list.maxPages; pages += 1) {
    const page = await get(path, read, signal);
    if (page.outcome !== "page") return page;
    for (const id of page.ids) found.add(id);
    const { next } = page;
    if (next === undefined || (found.size > 0 && !list.match)) return among([...found]);
    path = () => next;
  }
  return found.size > 1 ? among([...found]) : unanswered("list-too-long");
}
