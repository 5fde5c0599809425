// Makes a fresh clone ready to run, on any Node from 20 on and with nothing installed: the packages of package-lock.json, then
// the programs of the test environment. Does nothing, in a tenth of a second, when both are there. Imports no package.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, URL } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const OLDEST_NODE = 20;

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

function packagesIn(file) {
  return JSON.parse(readFileSync(file, "utf8")).packages;
}

/** Compares npm's own record of what it installed with the lock file; packages for other platforms may be absent. */
function isInstalled() {
  const record = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(record) || !existsSync(join(root, "node_modules", ".bin", "node"))) return false;
  const [installed, locked] = [packagesIn(record), packagesIn(join(root, "package-lock.json"))];
  const same = (path) =>
    installed[path]?.version === locked[path]?.version && installed[path]?.integrity === locked[path]?.integrity;
  const isComplete = Object.entries(locked).every(([path, entry]) => path === "" || entry.optional || same(path));
  return isComplete && Object.keys(installed).every(same);
}

/** Runs a command in the repository with its output on standard error, so that standard output is left to what comes after. */
function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ["ignore", 2, 2] });
  if (error) fail(`cannot run ${command}: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

if (Number(process.versions.node.split(".")[0]) < OLDEST_NODE) {
  fail(
    `cannot start with Node ${process.versions.node}: Node ${OLDEST_NODE} or newer is needed to install Node 24 from npm`,
  );
}
if (!isInstalled()) {
  console.error("installing the packages of package-lock.json");
  run("npm", ["ci", "--no-audit", "--no-fund"]);
}
run(join(root, "node_modules", ".bin", "node"), [join(root, "test", "env", "binaries-main.ts")]);
