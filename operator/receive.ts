// The webhook receiver's process: read the configuration, take webhooks until a signal, exit. It has the right to hand messages in
// and no other: no cluster, no provider's credential, no table.
import type { Pool } from "pg";
import type { Log } from "./observe/log.ts";
import type { Metrics } from "./observe/metrics.ts";
import { PostgresFault } from "./postgres/faults.ts";
import { handIn } from "./postgres/inbox.ts";
import { makePool } from "./postgres/pool.ts";
import { checkReceiver } from "./postgres/receiver-rights.ts";
import { readReceiverConfig, type ReceiverConfig } from "./receiver/config.ts";
import { startReceiver } from "./receiver/server.ts";
import type { Lifecycle, Part } from "./runtime/lifecycle.ts";
import { runProcess } from "./runtime/run-process.ts";
import { untilAborted } from "./runtime/signals.ts";
import { untilItWorks } from "./wiring/patience.ts";
import { makeSideProcess } from "./wiring/side-process.ts";

/** A provider waits a few seconds for its answer, and sends again. */
const STORE_MS = 4_000;

function makeReceiver(config: ReceiverConfig): Lifecycle {
  const work = (log: Log, metrics: Metrics): Part => ({
    name: "receiver",
    run: async ({ stop }, ready) => {
      const pool = makePool({
        url: config.RECEIVER_DATABASE_URL,
        applicationName: config.POD_NAME ?? "genop-receiver",
        maxConnections: config.RECEIVER_POOL_SIZE,
        ...{ statementTimeoutMs: STORE_MS, lockTimeoutMs: STORE_MS, connectTimeoutMs: STORE_MS },
        onIdleError: (code) => log("warn", "database.connection-lost", { code }),
      });
      const refusal = await untilItWorks("Postgres", (signal) => refusalOf(pool, signal), { log, signal: stop });
      if (refusal) throw refusal;
      const receiver = await startReceiver(
        { host: config.RECEIVER_HOST, port: config.RECEIVER_PORT },
        {
          key: config.WEBHOOK_KEY,
          store: (message) => handIn(pool, message),
          count: (outcome) => metrics.count("webhooksReceived", { outcome }),
          nowMs: () => performance.now(),
        },
      );
      log("info", "receiver.listening", { port: receiver.port });
      ready();
      await untilAborted(stop);
      await receiver.close();
      await pool.end();
    },
  });
  return makeSideProcess({ role: "receiver", config, work });
}

/** A database that can't be reached is waited for; one that would not take what we bring is not. */
async function refusalOf(pool: Pool, signal: AbortSignal): Promise<PostgresFault | undefined> {
  try {
    await checkReceiver(pool, signal);
    return undefined;
  } catch (error) {
    if (error instanceof PostgresFault && error.code === "UNSAFE_DATABASE") return error;
    throw error;
  }
}

await runProcess(() => makeReceiver(readReceiverConfig(process.env)));
