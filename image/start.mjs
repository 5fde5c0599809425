// The first process of the image: starts the role that is the first argument, by its path in the repository, such as
// `operator/receive.ts`. What follows is the role's own. Without an argument it is the operator.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** As the roles have it: nothing but another command line helps. */
const WRONG = 78;
const NUMBERS = { SIGINT: 2, SIGTERM: 15 };

const [role = "operator/main.ts", ...rest] = process.argv.slice(2);
const program = join(import.meta.dirname, role.replace(/\.ts$/, ".js"));

// The kernel ignores signals of a first process that has no say about them, and a job has none: it ends all the same. A role that
// ends in good order has a listener of its own, and is left to it.
for (const [signal, number] of Object.entries(NUMBERS)) {
  process.once(signal, () => {
    if (process.listenerCount(signal) === 0) process.exit(128 + number);
  });
}

if (existsSync(program)) {
  process.argv = [process.argv[0], program, ...rest];
  await import(pathToFileURL(program));
} else {
  process.stderr.write(`cannot start ${JSON.stringify(role)}: no role has this path, see operations/install\n`);
  process.exitCode = WRONG;
}
