import { expect, test } from "@jest/globals";
import { isFinal } from "../../../operator/task/phase.ts";
import { PHASES } from "../../../operator/task/resource.ts";

test("four phases are final, and a task in review is not in one of them", () => {
  expect(PHASES.filter(isFinal)).toEqual(["Succeeded", "Failed", "Cancelled", "Rejected"]);
});
