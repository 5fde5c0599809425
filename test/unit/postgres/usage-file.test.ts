import { describe, expect, test } from "@jest/globals";
import { readUsage } from "../../../operator/postgres/usage-file.ts";

const AT = "2026-06-01T12:00:00.000Z";
const WANTED = [
  { jobId: "a", nth: 0, ref: "r-1", amount: 50_000n, billedAt: new Date(AT) },
  { jobId: "a", nth: 1, ref: undefined, amount: 0n, billedAt: new Date(AT) },
];

describe("a usage export", () => {
  test.each([
    { form: "CSV", text: `job_id,ref,model,amount,billed_at\r\na,r-1,"m, ""x""",0.05,${AT}\r\na,,m,0,${AT}\r\n` },
    { form: "CSV without a line break at its end", text: `amount,billed_at,job_id,ref\n0.05,${AT},a,r-1\n0,${AT},a,` },
    {
      form: "JSON",
      text: JSON.stringify({
        items: [
          { job_id: "a", ref: "r-1", model: "m", amount: "0.05", billed_at: AT },
          { job_id: "a", ref: null, model: "m", amount: "0", billed_at: AT },
        ],
      }),
    },
  ])("is read from $form, with the lines of one job counted", ({ text }) => {
    expect(readUsage(text)).toEqual(WANTED);
  });

  test.each([
    {
      form: "a list of JSON, after a line break",
      text: `\n [{"job_id":7,"ref":" r-1 ","amount":0.05,"billed_at":"${AT}"}]`,
    },
    { form: "CSV with spaces around its words", text: ` job_id ,amount,billed_at, ref\n 7 ,0.05,${AT}, r-1 ` },
    { form: "CSV with lines between", text: `job_id,amount,billed_at,ref\n\n7,0.05,${AT},r-1\n\n` },
  ])("is read from $form", ({ text }) => {
    expect(readUsage(text)).toEqual([{ ...WANTED[0], jobId: "7" }]);
  });

  test("keeps quotes, commas, line breaks and brackets in a cell", () => {
    const text = `amount,billed_at,ref,job_id\n0.05,${AT},"a ""b"", \n{c}",job[1]`;
    expect(readUsage(text)).toEqual([{ ...WANTED[0], ref: `a "b", \n{c}`, jobId: "job[1]" }]);
  });

  test("without a line has none", () => {
    expect(readUsage("")).toEqual([]);
    expect(readUsage("job_id,amount,billed_at")).toEqual([]);
  });

  test.each([
    { text: `{"items":7}`, says: "cannot read the usage: the JSON is no list, and has no list `items`" },
    { text: `[null]`, says: "cannot read line 1 of the usage" },
    { text: `["job"]`, says: "cannot read line 1 of the usage" },
    { text: `job_id\na`, says: "cannot read line 1 of the usage" },
    { text: `job_id,amount,billed_at\na,0.05,${AT}\nb,much,${AT}`, says: "cannot read line 2 of the usage" },
  ])("says of $text what is wrong, and where", ({ says, text }) => {
    expect(() => readUsage(text)).toThrow(says);
  });

  test.each([
    { what: "an amount that is none", text: `job_id,amount,billed_at\na,much,${AT}` },
    { what: "a time that is none", text: "job_id,amount,billed_at\na,0.05,soon" },
    { what: "no job", text: `job_id,amount,billed_at\n,0.05,${AT}` },
    { what: "another header", text: `id,cost,at\na,0.05,${AT}` },
    { what: "a quote that is not closed", text: `job_id,amount,billed_at\n"a,0.05,${AT}` },
  ])("with $what is refused whole", ({ text }) => {
    expect(() => readUsage(text)).toThrow(/^cannot read /);
  });
});
