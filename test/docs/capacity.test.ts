// The worked example of docs/operations/capacity.md is what its calculator says.
import { expect, test } from "@jest/globals";
import { needOf } from "../../docs/operations/capacity.ts";
import { readText } from "./markdown.ts";

test("the figures of the worked example are those of the calculator", () => {
  const need = needOf({ tasksPerMinute: 120, jobSeconds: 90, outputMegabytes: 20, megabytesPerSecond: 20 });
  const bold = [...readText("docs/operations/capacity.md").matchAll(/\*\*(\d+)\*\*/g)].map(([, figure]) =>
    Number(figure),
  );
  expect(bold).toEqual([need.jobsInFlight, need.queriesPerSecond, need.downloads, need.memoryMebibytes]);
});
