// Nothing outlives the owner of an environment: no process and no file, whatever ends the owner or the guardian.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, jest, test } from "@jest/globals";
import pg from "pg";
import { attachTo, type AttachedEnvironment } from "../env/attach.ts";
import { only, startEnvironment } from "../env/environment.ts";
import { startGuardian } from "../env/guardian-client.ts";
import { makeStart } from "../env/start.ts";
import { descendantsOf } from "../env/process-tree.ts";

jest.setTimeout(60_000);

const VANISH_LIMIT_MS = 15_000;

/** A process that has ended but was not waited for is not running, though it still has its number. */
function isRunning(pid: number): boolean {
  try {
    if (existsSync("/proc/self/stat")) return readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "";
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function eventually(condition: () => boolean): Promise<boolean> {
  const limit = Date.now() + VANISH_LIMIT_MS;
  while (!condition() && Date.now() < limit) await delay(20);
  return condition();
}

interface Owned {
  readonly owner: ChildProcess;
  readonly environment: AttachedEnvironment;
  readonly pids: readonly number[];
}

async function ownedElsewhere(): Promise<Owned> {
  const owner = spawn(process.execPath, [join(import.meta.dirname, "owner.ts")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(owner.stdout, "data")) as [Buffer];
  const environment = attachTo(line.toString().trim());
  return { owner, environment, pids: owner.pid === undefined ? [] : descendantsOf(owner.pid) };
}

async function busyQuery(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  void client.query("select count(*) from generate_series(1, 100000000000)").catch(() => undefined);
}

interface Case {
  readonly when: string;
  readonly prepare: (environment: AttachedEnvironment) => Promise<unknown>;
}

const CASES: readonly Case[] = [
  { when: "while all is quiet", prepare: () => Promise.resolve() },
  { when: "while a query runs", prepare: ({ postgres }) => busyQuery(postgres.adminUrl) },
  { when: "while Postgres is frozen", prepare: (environment) => environment.part("postgres").pause() },
  { when: "after Postgres was killed", prepare: (environment) => environment.part("postgres").kill() },
];

test.each(CASES)("processes and folder vanish when the owner is killed $when", async ({ prepare }) => {
  const { owner, environment, pids } = await ownedElsewhere();
  expect(pids.length).toBeGreaterThanOrEqual(3); // the guardian, Postgres with its children, S3
  await prepare(environment);

  owner.kill("SIGKILL");

  expect(await eventually(() => !existsSync(environment.folder) && !pids.some(isRunning))).toBe(true);
});

test("processes and folder are gone when stop() resolves", async () => {
  const environment = await startEnvironment(only("postgres"));
  const pid = await environment.part("postgres").pid();

  await environment.stop();

  expect(pid !== undefined && isRunning(pid)).toBe(false);
  expect(existsSync(environment.folder)).toBe(false);
});

test("the owner cleans up when somebody kills the guardian", async () => {
  const environment = await startEnvironment(only("s3"));
  const pid = await environment.part("s3").pid();
  const guardian = descendantsOf(process.pid).find((candidate) => descendantsOf(candidate).includes(pid ?? -1));

  process.kill(guardian ?? 0, "SIGKILL");

  expect(await eventually(() => !existsSync(environment.folder) && !isRunning(pid ?? 0))).toBe(true);
  await expect(environment.part("s3").start()).rejects.toThrow();
});

const LISTENER =
  "require('node:http').createServer((_, answer) => answer.end()).listen(Number(process.argv[1]), '127.0.0.1')";

async function onAnyPort(
  portOf: (candidate: number) => number,
): Promise<{ readonly port: number; readonly tried: number }> {
  const guardian = await startGuardian();
  const signal = AbortSignal.timeout(VANISH_LIMIT_MS);
  const { start } = makeStart({ guardian, signal, say: () => undefined });
  let tried = 0;
  try {
    const [port] = await start.part(([candidate]) => {
      tried += 1;
      const chosen = portOf(candidate);
      return {
        name: "s3",
        command: [process.execPath, "-e", LISTENER, String(chosen)],
        logFile: start.logFile("s3"),
        stopSignal: "SIGTERM",
        quitSignal: "SIGKILL",
        ready: { type: "http", url: `http://127.0.0.1:${Math.min(chosen, 65_535)}/` },
      };
    });
    return { port, tried };
  } finally {
    await guardian.end();
  }
}

test("a part whose port was taken in the meantime starts on another one", async () => {
  // It takes connections and never answers, so that only the part itself can be found ready.
  const squatter = createServer((socket) => socket.on("error", () => socket.destroy())).listen(0, "127.0.0.1");
  await once(squatter, "listening");
  const taken = (squatter.address() as AddressInfo).port;
  let first = true;

  const { tried } = await onAnyPort((candidate) => {
    const port = first ? taken : candidate;
    first = false;
    return port;
  });

  expect(tried).toBe(2);
  squatter.close();
});

test("a part that cannot start is reported with its last words, and nothing is left behind", async () => {
  await expect(onAnyPort(() => 70_000)).rejects.toThrow(
    /cannot start s3: it ended with status 1[^]*ERR_SOCKET_BAD_PORT/,
  );
});
