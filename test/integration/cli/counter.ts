// What kubectl genop is tried against: a tenant and a stranger on the real API server, the evidence service on a real database with
// exactly its rights and a login that can only read, and the REST face on the real store. Nothing is simulated but the operator,
// whose marks are made by hand.
import { PassThrough, type Writable } from "node:stream";
import { makePermissions } from "../../../operator/access/permissions.ts";
import { makeTokens } from "../../../operator/access/tokens.ts";
import { renderEvidenceRbac } from "../../../operator/evidence/rights.ts";
import { startEvidenceServer, type EvidenceServer } from "../../../operator/evidence/server.ts";
import { loadKubeConfig } from "../../../operator/kube/kubeconfig.ts";
import type { WireTask } from "../../../operator/kube/task-object.ts";
import { readAccount, readTaskEvidence } from "../../../operator/postgres/evidence.ts";
import type { TaskKey } from "../../../operator/task/brand.ts";
import { micro } from "../../../operator/task/credits.ts";
import { systemClock } from "../../../operator/runtime/clock.ts";
import { makeTransport } from "../../../operator/runtime/transport.ts";
import { runCommandLine } from "../../../cli/run.ts";
import { applyObjects } from "../../operator/installation.ts";
import { taskObject } from "../../operator/tenancy.ts";
import { limit, makeWorld, type RunningShim, type World } from "../api-shim/fixture.ts";
import { openDatabase, type TestDatabase } from "../postgres/database.ts";
import { NOT_CREATED, openDesk, wish, type Desk } from "../postgres/desk.ts";

export interface Ending {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Counter {
  readonly world: World;
  readonly shim: RunningShim;
  readonly database: TestDatabase;
  readonly desk: Desk;
  readonly evidence: EvidenceServer;
  readonly kubeconfigs: { readonly tenant: string; readonly stranger: string; readonly admin: string };
  /** Runs the command line in this process, in the tenant's namespace and by its token unless told otherwise. */
  genop(words: readonly string[], as?: Choice): Promise<Ending>;
  /** A task of the tenant, with this status. Its object's UID. */
  task(name: string, status?: object): Promise<string>;
  /** A task in review, whose first attempt was given up, whose second one was proved never created, and whose third one waits for its answer. */
  parkedTask(name: string): Promise<void>;
  close(): Promise<void>;
}

/** In the input of every task here, and to be seen nowhere. */
export const PROMPT = "a quiet harbour at sunrise";

export interface Choice {
  readonly kubeconfig?: string;
  readonly signal?: AbortSignal;
  readonly variables?: Readonly<Record<string, string>>;
  readonly isTerminal?: boolean;
}

export async function openCounter(host = "127.0.0.1"): Promise<Counter> {
  const world = await makeWorld();
  const { environment, home, stranger, tenant } = world;
  const [shim, database] = await Promise.all([world.start(), openDatabase()]);
  const desk = await openDesk(database.pool());
  const { close, server: evidence } = await startEvidence(world, database, host);
  const accounts = await Promise.all([tenant, stranger].map((name) => environment.tokenFor(`${name}/maker`)));
  const [ours = "", theirs = ""] = accounts.map(({ kubeconfigPath }) => kubeconfigPath);
  const places = { GENOP_EVIDENCE: `http://127.0.0.1:${evidence.port}`, GENOP_REST: shim.url };
  const task: Counter["task"] = async (name, status) => {
    const wished = taskObject({ namespace: tenant, name, model: "sim-image" }) as WireTask;
    const made = await world.tasks.create(wished, { signal: limit() });
    if (status !== undefined) await world.setStatus(name, status);
    return made.metadata.uid ?? "";
  };
  return {
    ...{ world, shim, database, desk, evidence },
    kubeconfigs: { tenant: ours, stranger: theirs, admin: environment.kubeconfigPath },
    genop: (words, choice = {}) =>
      run(["-n", tenant, "--kubeconfig", choice.kubeconfig ?? ours, ...words], {
        ...choice,
        variables: { ...places, ...choice.variables },
      }),
    task,
    parkedTask: async (name) => {
      const status = { phase: "NeedsReview", reason: "SubmitUnresolved", message: "nobody knows", attempt: 3 };
      await park(desk, { namespace: tenant, name, uid: await task(name, status) });
    },
    close: async () => {
      await close();
      await database.close();
      for (const plural of ["clusterroles", "clusterrolebindings"]) {
        const path = `/apis/rbac.authorization.k8s.io/v1/${plural}/evidence-${home}`;
        await world.admin.request({ method: "DELETE", path }, { signal: limit() });
      }
      await world.close();
    },
  };
}

async function park(
  desk: Desk,
  task: { readonly namespace: string; readonly name: string; readonly uid: string },
): Promise<void> {
  const key = `${task.namespace}/${task.uid}` as TaskKey;
  const beginning = wish({ ...task, key, estimate: micro(6_000n) });
  await desk.books.end(await desk.sent(beginning), { ...NOT_CREATED, reason: "WrittenOff" }, []);
  await desk.books.end(await desk.sent(beginning), NOT_CREATED, []);
  await desk.sent(beginning);
}

async function startEvidence(
  { environment, home }: World,
  database: TestDatabase,
  host: string,
): Promise<{ readonly server: EvidenceServer; readonly close: () => Promise<void> }> {
  const name = `evidence-${home}`;
  await applyObjects(environment, [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace: home, name } },
    ...renderEvidenceRbac({ name, namespace: home, serviceAccount: name }),
  ]);
  const { kubeconfigPath } = await environment.tokenFor(`${home}/${name}`);
  const transport = makeTransport({ kubeConfig: loadKubeConfig(kubeconfigPath) });
  const pool = database.pool({ url: database.readerUrl });
  const reviews = { transport, clock: systemClock };
  const server = await startEvidenceServer(
    { host, port: 0 },
    {
      tokens: makeTokens({ ...reviews, audiences: [] }),
      permissions: makePermissions(reviews),
      read: (question, signal) =>
        question.about === "task" ? readTaskEvidence(pool, question, signal) : readAccount(pool, question, signal),
      failed: (error) => process.stderr.write(`${String(error)}\n`),
    },
  );
  return {
    server,
    close: async () => {
      await server.close();
      await transport.close();
    },
  };
}

async function run(
  words: readonly string[],
  { isTerminal = false, signal = new AbortController().signal, variables = {} }: Choice,
): Promise<Ending> {
  const [out, err] = [collector(isTerminal), collector(isTerminal)];
  const code = await runCommandLine(words, { out: out.stream, err: err.stream, signal, variables });
  return { code, out: out.text(), err: err.text() };
}

function collector(isTTY: boolean): { readonly stream: Writable & { isTTY: boolean }; readonly text: () => string } {
  const chunks: Buffer[] = [];
  const stream = Object.assign(new PassThrough(), { isTTY });
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  return { stream, text: () => Buffer.concat(chunks).toString("utf8") };
}
