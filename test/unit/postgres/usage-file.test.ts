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
    { what: "an amount that is none", text: `job_id,amount,billed_at\na,much,${AT}` },
    { what: "a time that is none", text: "job_id,amount,billed_at\na,0.05,soon" },
    { what: "no job", text: `job_id,amount,billed_at\n,0.05,${AT}` },
    { what: "another header", text: `id,cost,at\na,0.05,${AT}` },
    { what: "a quote that is not closed", text: `job_id,amount,billed_at\n"a,0.05,${AT}` },
  ])("with $what is refused whole", ({ text }) => {
    expect(() => readUsage(text)).toThrow(/^cannot read /);
  });
});
