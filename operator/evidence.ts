// The process that tells people what the database knows of their tasks and credits: read-only to the database, and in the cluster
// it may ask who somebody is and what he may, and nothing else. Apart from the operator, so that neither has the other's powers.
import { makePermissions } from "./access/permissions.ts";
import { makeTokens } from "./access/tokens.ts";
import { readEvidenceConfig, type EvidenceConfig } from "./evidence/config.ts";
import { startEvidenceServer, type Question } from "./evidence/server.ts";
import { loadKubeConfig } from "./kube/kubeconfig.ts";
import type { Log } from "./observe/log.ts";
import { readAccount, readTaskEvidence } from "./postgres/evidence.ts";
import { makePool, readOnlyUrl } from "./postgres/pool.ts";
import { systemClock } from "./runtime/clock.ts";
import type { Lifecycle, Part } from "./runtime/lifecycle.ts";
import { runProcess } from "./runtime/run-process.ts";
import { untilAborted } from "./runtime/signals.ts";
import { makeTransport } from "./runtime/transport.ts";
import { makeSideProcess } from "./wiring/side-process.ts";

const STATEMENT_MS = 6_000;

function makeEvidence(config: EvidenceConfig): Lifecycle {
  const work = (log: Log): Part => ({
    name: "evidence",
    run: async ({ stop }, ready) => {
      const transport = makeTransport({ kubeConfig: loadKubeConfig(config.KUBECONFIG), userAgent: "genop-evidence" });
      const pool = poolOf(config, (code) => log("warn", "database.connection-lost", { code }));
      const reviews = { transport, clock: systemClock };
      const server = await startEvidenceServer(
        { host: config.EVIDENCE_HOST, port: config.EVIDENCE_PORT },
        {
          tokens: makeTokens({ ...reviews, audiences: config.TOKEN_AUDIENCES }),
          permissions: makePermissions(reviews),
          read: (question, signal) => read(pool, question, signal),
          failed: (error) => log("warn", "evidence.failed", { error }),
        },
      );
      log("info", "evidence.listening", { port: server.port });
      ready();
      await untilAborted(stop);
      await server.close();
      await Promise.all([pool.end(), transport.close()]);
    },
  });
  return makeSideProcess({ role: "evidence", config, work });
}

function poolOf(config: EvidenceConfig, onIdleError: (code: string) => void): ReturnType<typeof makePool> {
  return makePool({
    url: readOnlyUrl(config.EVIDENCE_DATABASE_URL),
    applicationName: config.POD_NAME ?? "genop-evidence",
    maxConnections: config.EVIDENCE_POOL_SIZE,
    ...{ statementTimeoutMs: STATEMENT_MS, connectTimeoutMs: STATEMENT_MS },
    onIdleError,
  });
}

function read(pool: ReturnType<typeof makePool>, question: Question, signal: AbortSignal): Promise<object | undefined> {
  return question.about === "task" ? readTaskEvidence(pool, question, signal) : readAccount(pool, question, signal);
}

await runProcess(() => makeEvidence(readEvidenceConfig(process.env)));
