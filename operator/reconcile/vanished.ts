// Closes the books of a task whose object is gone. It never looks for the object by itself: whoever calls has missed it.
import { endOfVanished } from "../task/vanished.ts";
import type { VanishedEnd } from "../task/vanished.ts";
import type { Deps, Owner } from "./ports.ts";

/** What was ended; undefined when the object is there after all, or its record became another's, or nothing is to be ended. */
export async function endVanished(
  { books, tasks }: Pick<Deps, "books" | "tasks">,
  { key, name, namespace, uid }: Owner,
  signal: AbortSignal,
): Promise<VanishedEnd | undefined> {
  if (await tasks.exists(namespace, name, uid, signal)) return undefined;
  const facts = await books.load(key, signal);
  const end = facts.record?.uid === uid ? endOfVanished(facts) : undefined;
  if (!end) return undefined;
  const written = await books.end(end.attempt, end.ending, []);
  return written.outcome === "done" ? end : undefined;
}
