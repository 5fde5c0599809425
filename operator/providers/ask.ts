// A call that may be repeated: query, look-up, list, cancel. Over kept connections, once a call, with a deadline and a bounded answer.
import type { Dispatcher } from "undici";
import { AnswerFault, wordFor } from "../outbound/fault.ts";
import { makeLimit } from "../outbound/limit.ts";
import { readAnswer, type WireEnding, type WireRequest } from "./wire.ts";

/** Never rejects. */
export async function ask(
  dispatcher: Dispatcher,
  request: WireRequest,
  afterMs: number,
  signal: AbortSignal,
): Promise<WireEnding> {
  const late = new AnswerFault("deadline", "the call's time is up");
  const limit = makeLimit(signal, afterMs, () => late);
  const wordOf = (error: unknown): string => (signal.aborted ? "aborted" : wordFor(error));
  try {
    const answer = await dispatcher.request({
      origin: request.url.origin,
      path: `${request.url.pathname}${request.url.search}`,
      method: request.method,
      headers: request.headers,
      signal: limit.signal,
    });
    return await readAnswer(answer, wordOf);
  } catch (error) {
    return { ending: "lost", code: wordOf(error) };
  } finally {
    limit.clear();
  }
}
