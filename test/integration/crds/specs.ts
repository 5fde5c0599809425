// Task specs for properties: most fields right, some at their limits, now and then one that is wrong.
import fc, { type Arbitrary } from "fast-check";

/** A value that is right, or one of those just inside or outside of a limit. One wrong field spoils a spec, so they are rare. */
function mostly<Value>(right: Arbitrary<Value>, ...edges: readonly unknown[]): Arbitrary<unknown> {
  return fc.oneof({ weight: 20, arbitrary: right }, { weight: 1, arbitrary: fc.constantFrom(...edges) });
}

const name = (): Arbitrary<unknown> => mostly(fc.stringMatching(/^[a-z][a-z0-9]{0,20}$/), "A", "-a", "a-", "a.b", "");
const secretKeyRef = (): Arbitrary<unknown> =>
  fc.record({ name: name(), key: mostly(fc.stringMatching(/^[A-Za-z0-9._-]{1,20}$/), "", "a b") });
const credits = (): Arbitrary<unknown> =>
  mostly(fc.constantFrom("0", "1", "0.05", "12.345678", "999999999999"), "01", ".5", "1.", "1.2345678", "1e3", 1);
const integer = (min: number, max: number): Arbitrary<unknown> =>
  mostly(fc.integer({ min, max }), min, max, min - 1, max + 1, 0.5, "1");

const inputFrom = (): Arbitrary<unknown> =>
  fc.array(
    fc.record({
      path: mostly(fc.stringMatching(/^(\/[A-Za-z0-9_.-]{1,12}){1,3}$/), "/", "token", "/constructor", "/a//b"),
      secretKeyRef: secretKeyRef(),
    }),
    { maxLength: 3 },
  );

const output = (): Arbitrary<unknown> =>
  fc.record(
    {
      maxBytes: integer(1, 5_368_709_120),
      mediaTypes: mostly(
        fc.uniqueArray(fc.constantFrom("image/png", "image/svg+xml", "audio/wav", "video/mp4"), { minLength: 1 }),
        [],
        ["text/html"],
        ["image/png", "image/png"],
        ["Image/PNG"],
      ),
      minCount: integer(1, 64),
    },
    { requiredKeys: [] },
  );

const callback = (): Arbitrary<unknown> =>
  fc.record({
    url: mostly(fc.webUrl({ validSchemes: ["https"] }), "http://a.example", "https://u:p@a.example", "https://a b", ""),
    secretRef: secretKeyRef(),
    events: mostly(fc.constantFrom(["Succeeded"], ["Failed", "NeedsReview"]), [], ["Failed", "Failed"], ["Polling"]),
  });

const resolution = (): Arbitrary<unknown> =>
  fc.oneof(
    fc.record(
      { attempt: integer(0, 1000), decision: fc.constantFrom("NotCreated", "WriteOff"), note: fc.string() },
      { requiredKeys: ["attempt", "decision"] },
    ),
    fc.record({
      attempt: integer(0, 1000),
      decision: fc.constant("BindJob"),
      jobID: mostly(fc.string({ minLength: 1 }), ""),
    }),
    fc.constant({ attempt: 1, decision: "BindJob" }),
  );

/** What JSON can hold, without numbers that JavaScript would change. */
export function anyInput(): Arbitrary<Readonly<Record<string, unknown>>> {
  const key = fc.string({ maxLength: 12, unit: "grapheme" }).filter((text) => text !== "__proto__");
  const leaf = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.boolean(),
    fc.constant(null),
    fc.maxSafeInteger(),
    fc.double({ min: -1e9, max: 1e9, noNaN: true }).map((number) => number + 0), // no negative zero: JSON has none
  );
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      leaf,
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  return fc.dictionary(key, value, { maxKeys: 6, noNullPrototype: true });
}

/** A whole spec. */
export function anySpec(): Arbitrary<unknown> {
  return fc
    .record(
      {
        providerRef: fc.record({ name: name() }),
        model: mostly(fc.string({ minLength: 1, maxLength: 60 }), "", "m".repeat(256), "m".repeat(257)),
        input: fc.constant({ prompt: "a bridge in the rain" }),
        inputFrom: inputFrom(),
        idempotencyKey: mostly(
          fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,40}$/),
          "",
          ".a",
          "a b",
          "k".repeat(129),
        ),
        slaClass: name(),
        priority: integer(-1000, 1000),
        maxCredits: credits(),
        activeDeadlineSeconds: integer(1, 604_800),
        retryPolicy: fc.record({ maxAttempts: integer(1, 10) }, { requiredKeys: [] }),
        unknownPolicy: mostly(fc.constantFrom("Hold", "Fail", "Resubmit"), "Retry", ""),
        output: output(),
        moderation: fc.record({ profile: name() }),
        callback: callback(),
        suspend: mostly(fc.boolean(), "true"),
        cancelRequested: mostly(fc.boolean(), 1),
        resolution: resolution(),
        deletionPolicy: mostly(fc.constantFrom("Cancel", "Orphan"), "Keep"),
        ttlSecondsAfterFinished: integer(0, 31_536_000),
        prioritty: mostly(fc.constant(undefined), 1),
      },
      { requiredKeys: ["providerRef", "model", "input"] },
    )
    .map((spec) => JSON.parse(JSON.stringify(spec)) as unknown); // as it travels: without what is undefined
}
