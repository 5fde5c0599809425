import { expect, test } from "@jest/globals";
import { isAllowed } from "../../../operator/task/allowed.ts";
import type { ProviderSpec } from "../../../operator/task/provider-resource.ts";

type Allowed = ProviderSpec["allowedNamespaces"];

const two: Allowed = { from: "Selector", selector: { matchLabels: { tier: "gold", team: "film" } } };
const names: Allowed = { from: "Names", names: ["studio", "lab"] };

test.each<{
  readonly by: string;
  readonly allowed: Allowed;
  readonly labels?: Record<string, string>;
  readonly is: unknown;
}>([
  { by: "nothing at all", allowed: { from: "All" }, is: true },
  { by: "its name", allowed: names, is: true },
  { by: "a list without its name", allowed: { from: "Names", names: ["lab"] }, is: false },
  { by: "no list", allowed: { from: "Names" }, is: false },
  { by: "all labels", allowed: two, labels: { tier: "gold", team: "film", more: "x" }, is: true },
  { by: "one label of two", allowed: two, labels: { tier: "gold" }, is: false },
  { by: "labels with other values", allowed: two, labels: { tier: "gold", team: "art" }, is: false },
  { by: "labels that are not known yet", allowed: two, is: undefined },
  { by: "no label", allowed: { from: "Selector", selector: { matchLabels: {} } }, labels: { tier: "gold" }, is: false },
  { by: "no selector", allowed: { from: "Selector" }, labels: { tier: "gold" }, is: false },
])("a namespace is judged by $by: $is", ({ allowed, is, labels }) => {
  const asked: string[] = [];
  const labelsOf = (namespace: string): Record<string, string> | undefined => {
    asked.push(namespace);
    return labels;
  };
  expect(isAllowed(allowed, "studio", labelsOf)).toBe(is);
  expect(asked).toEqual(allowed.from === "Selector" ? ["studio"] : []);
});
