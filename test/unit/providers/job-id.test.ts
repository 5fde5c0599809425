import { expect, test } from "@jest/globals";
import { jobIdOf } from "../../../operator/providers/job-id.ts";

test.each([
  { value: "job-1", id: "job-1" },
  { value: "!~", id: "!~" },
  { value: "a".repeat(512), id: "a".repeat(512) },
  { value: 42, id: "42" },
  { value: 0, id: "0" },
  { value: 9223372036854775807n, id: "9223372036854775807" },
])("$value is the id $id", ({ id, value }) => {
  expect(jobIdOf(value)).toBe(id);
});

test.each([
  ...["", " ", "a b", " job", "job ", "a\nb", "job\n", "jób", "a".repeat(513)],
  ...[1.5, 2 ** 53, Number.NaN, Infinity, true, false, null, undefined, ["job-1"], { id: "job-1" }],
])("%p is no id: it could be cut, rounded or read as something else", (value) => {
  expect(jobIdOf(value)).toBeUndefined();
});
