#!/usr/bin/env node
// genop-verify: checks the ledger's hash chain, and that the reports which must be empty are, from outside of the operator.
// Exits with 0 when all holds, 1 when it does not, 2 when it could not be looked at.
import { runVerify } from "./postgres/verify-command.ts";

const { exitCode, stderr, stdout } = await runVerify(process.argv.slice(2), process.env);
process.stderr.write(stderr);
process.stdout.write(stdout);
process.exitCode = exitCode;
