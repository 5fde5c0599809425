// Which part of an output a GET is answered with.
import { expect, test } from "@jest/globals";
import { partOf, type Conditions, type Part } from "../../provider/outputs/range.ts";

const ETAG = '"abc"';
const BYTES = 100;

const CASES: readonly { readonly when: string; readonly asked: Conditions; readonly then: Part }[] = [
  { when: "no range is the whole", asked: {}, then: { type: "whole" } },
  { when: "a closed range includes both ends", asked: { range: "bytes=0-9" }, then: { type: "part", from: 0, to: 10 } },
  { when: "an open range goes to the end", asked: { range: "bytes=90-" }, then: { type: "part", from: 90, to: 100 } },
  { when: "a suffix counts from the end", asked: { range: "bytes=-5" }, then: { type: "part", from: 95, to: 100 } },
  { when: "a suffix longer than all is all", asked: { range: "bytes=-500" }, then: { type: "part", from: 0, to: 100 } },
  { when: "an end past the end is cut", asked: { range: "bytes=95-999" }, then: { type: "part", from: 95, to: 100 } },
  { when: "a start past the end can't be met", asked: { range: "bytes=100-" }, then: { type: "unsatisfiable" } },
  { when: "several ranges are the whole", asked: { range: "bytes=0-1,5-6" }, then: { type: "whole" } },
  { when: "another unit is the whole", asked: { range: "items=0-1" }, then: { type: "whole" } },
  { when: "the empty range is the whole", asked: { range: "bytes=-" }, then: { type: "whole" } },
  {
    when: "If-Range with this ETag keeps the range",
    asked: { range: "bytes=1-1", ifRange: ETAG },
    then: { type: "part", from: 1, to: 2 },
  },
  {
    when: "If-Range with another ETag drops it",
    asked: { range: "bytes=1-1", ifRange: '"x"' },
    then: { type: "whole" },
  },
  { when: "If-Match with this ETag is met", asked: { ifMatch: ETAG }, then: { type: "whole" } },
  { when: "If-Match with any ETag is met", asked: { ifMatch: "*" }, then: { type: "whole" } },
  { when: "If-Match with another ETag is not", asked: { ifMatch: '"x"' }, then: { type: "changed" } },
];

test.each(CASES)("$when", ({ asked, then }) => {
  expect(partOf(asked, ETAG, BYTES)).toEqual(then);
});
