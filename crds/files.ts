// What generate.ts writes: file names, relative to crds/, with their text.
import { stringify } from "yaml";
import { definitionOf } from "./definition.ts";
import { withFieldTables } from "./field-table.ts";
import { KINDS } from "./kinds.ts";

const NOTE = "# Generated from operator/task/*-resource.ts by crds/generate.ts. Do not edit.\n";

/** Every generated file. The README keeps its own words; only its tables are replaced, so its present text is read. */
export function generatedFiles(readText: (name: string) => string): ReadonlyMap<string, string> {
  const definitions = KINDS.map((kind): [string, string] => [
    `${kind.plural}.yaml`,
    NOTE + stringify(definitionOf(kind), { lineWidth: 0, aliasDuplicateObjects: false }),
  ]);
  return new Map([...definitions, ["README.md", withFieldTables(readText("README.md"), KINDS)]]);
}
