// The temporary folder of an environment. Everything in it is closed to others, but they may pass through it: as root, Postgres
// runs as another user and has to reach its own folder in there.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const OTHERS_MAY_PASS = 0o001;

/** Whether any user can reach what lies in this folder. */
function isPassable(folder: string): boolean {
  const open = (statSync(folder).mode & OTHERS_MAY_PASS) !== 0;
  return open && (folder === dirname(folder) || isPassable(dirname(folder)));
}

function base(): string {
  const preferred = realpathSync(tmpdir());
  if (process.getuid?.() !== 0 || isPassable(preferred)) return preferred;
  return "/tmp"; // TMPDIR lies in somebody's home
}

/** A new folder with an empty folder for logs in it. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(base(), "generation-operator-"));
  chmodSync(folder, 0o711);
  mkdirSync(join(folder, "logs"), { mode: 0o700 });
  return folder;
}
