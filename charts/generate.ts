// Writes the chart's rights from those of the code, so that nothing is granted that has no reason, and nothing is missing.
// `--check` writes nothing and fails when the file is not current.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { OPERATOR_RIGHTS, SHARDED_RIGHTS } from "../operator/kube/rbac.ts";

const FILE = join(import.meta.dirname, "generation-operator", "files", "rights.json");

function main(check: boolean): void {
  const text = `${JSON.stringify({ always: OPERATOR_RIGHTS, sharded: SHARDED_RIGHTS }, undefined, 2)}\n`;
  if (check && readFileSync(FILE, "utf8") !== text) {
    process.stderr.write("not current: charts/generation-operator/files/rights.json; run npm run generate\n");
    process.exitCode = 1;
    return;
  }
  if (!check) writeFileSync(FILE, text);
}

main(process.argv.includes("--check"));
