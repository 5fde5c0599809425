import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { makeIntern, makePacker, unpack } from "../../../operator/kube/packed.ts";

describe("what was packed", () => {
  test("comes out as it went in, whatever it holds and whatever its names are", () => {
    const pack = makePacker();
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom("2026-11-30T12:00:00Z", "$&", "\u0000", "\u0003", '"', "1234", "tru"),
    );
    const value = fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), word), fc.array(word));
    fc.assert(
      fc.property(value, fc.array(fc.option(word, { nil: undefined }), { maxLength: 2 }), (given, names) => {
        expect(unpack(pack(given, names), names)).toEqual(JSON.parse(JSON.stringify(given)));
      }),
    );
  });

  test("shares its template with all that differ in names, times and amounts alone", () => {
    const pack = makePacker();
    const statusOf = (uid: string, job: string, time: string): object => ({
      ...{ phase: "Polling", taskKey: `studio/${uid}`, providerJobID: job, credits: { reserved: "0.0412" } },
      conditions: [{ type: "Held", lastTransitionTime: time }],
    });
    const one = pack(statusOf("uid-one", "JobA", "2026-11-30T12:00:00Z"), ["uid-one", "JobA"]);
    const other = pack(statusOf("uid-other", "JobB", "2026-12-01T08:30:00Z"), ["uid-other", "JobB"]);
    expect(other.template).toBe(one.template);
    expect(one.words).not.toBe(other.words);
  });
});

test("what is shared is made once, and again after too many others", () => {
  let made = 0;
  const intern = makeIntern<number>(2);
  const make = (): number => ++made;
  expect([intern("a", make), intern("a", make), intern("b", make), intern("c", make), intern("a", make)]).toEqual([
    1, 1, 2, 3, 4,
  ]);
});
