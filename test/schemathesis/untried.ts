// What a run of schemathesis leaves unproven, by its own JSON report: it ends well, too, when it has not tried an operation, or has
// never got beyond a refusal.
import { z } from "zod";

const Phase = z.looseObject({ accepted: z.number() });
const Report = z.looseObject({
  operations: z.looseObject({ selected: z.number(), tested: z.number() }),
  valid_rates: z.record(z.string(), z.record(z.string(), Phase)),
});

/** One sentence for each gap. */
export function untriedIn(report: unknown): readonly string[] {
  const { operations, valid_rates: rates } = Report.parse(report);
  const missing = operations.selected - operations.tested;
  const fruitless = Object.entries(rates)
    .filter(([, phases]) => Object.values(phases).every(({ accepted }) => accepted === 0))
    .map(([name]) => `${name} was never answered with success`);
  return missing > 0 ? [`${missing} of ${operations.selected} operations were not tried`, ...fruitless] : fruitless;
}
