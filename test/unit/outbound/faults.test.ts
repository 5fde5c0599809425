import { describe, expect, test } from "@jest/globals";
import { errors } from "undici";
import { AnswerFault, NotSentFault, wordFor } from "../../../operator/outbound/fault.ts";

describe("the word for a fault", () => {
  test.each([
    { what: "a refusal of the guard", error: new NotSentFault("guard-address", "…"), word: "guard-address" },
    { what: "an answer that is not taken", error: new AnswerFault("encoded-answer", "…"), word: "encoded-answer" },
    { what: "a reset", error: Object.assign(new Error(), { code: "ECONNRESET" }), word: "reset" },
    { what: "a broken pipe", error: Object.assign(new Error(), { code: "EPIPE" }), word: "reset" },
    { what: "a closed connection", error: new errors.SocketError(), word: "closed" },
    { what: "headers that do not come", error: new errors.HeadersTimeoutError(), word: "headers-timeout" },
    { what: "a body that stalls", error: new errors.BodyTimeoutError(), word: "body-timeout" },
    { what: "headers without end", error: new errors.HeadersOverflowError(), word: "answer-too-large" },
    { what: "a body that is too short", error: new errors.ResponseContentLengthMismatchError(), word: "truncated" },
    { what: "a pool that is closing", error: new errors.ClientClosedError(), word: "closing" },
    { what: "a pool that is gone", error: new errors.ClientDestroyedError(), word: "closing" },
    { what: "no HTTP", error: new errors.HTTPParserError(), word: "garbled" },
    { what: "an aborted signal", error: AbortSignal.abort().reason as unknown, word: "aborted" },
    {
      what: "an error with a code that is not known",
      error: Object.assign(new Error(), { code: "ENEW" }),
      word: "broken",
    },
    { what: "an error that only says so", error: new Error("ECONNRESET"), word: "broken" },
    { what: "a text", error: "ECONNRESET", word: "broken" },
    { what: "nothing", error: undefined, word: "broken" },
  ])("of $what is $word", ({ error, word }) => {
    expect(wordFor(error)).toBe(word);
  });

  test("tells refusals of ours, which a repetition meets again, from the network's failures", () => {
    expect(new NotSentFault("guard-host", "…").isRefusal).toBe(true);
    expect(new NotSentFault("connect-refused", "…").isRefusal).toBe(false);
  });
});
