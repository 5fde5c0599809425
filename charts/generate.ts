// Writes the chart's rights from those of the code, so that nothing is granted that has no reason, and nothing is missing.
// `--check` writes nothing and fails when the file is not current.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SHIM_RIGHTS } from "../api-shim/rights.ts";
import { REVIEW_RIGHTS } from "../operator/access/rights.ts";
import { LEASE_OF_ONE, LEASES_OF_MANY, OPERATOR_RIGHTS } from "../operator/kube/rbac.ts";

const FILE = join(import.meta.dirname, "generation-operator", "files", "rights.json");

function main(check: boolean): void {
  const rights = {
    operator: OPERATOR_RIGHTS,
    leaseOfOne: LEASE_OF_ONE,
    leasesOfMany: LEASES_OF_MANY,
    shim: SHIM_RIGHTS,
    evidence: REVIEW_RIGHTS,
  };
  const text = `${JSON.stringify(rights, undefined, 2)}\n`;
  if (check && readFileSync(FILE, "utf8") !== text) {
    process.stderr.write("not current: charts/generation-operator/files/rights.json; run npm run generate\n");
    process.exitCode = 1;
    return;
  }
  if (!check) writeFileSync(FILE, text);
}

main(process.argv.includes("--check"));
