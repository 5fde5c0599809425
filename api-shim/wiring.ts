// The composition root of the shim: makes every dependency by hand, top to bottom, and says in which order they start and stop.
import { TASKS } from "../operator/kube/kinds.ts";
import { loadKubeConfig } from "../operator/kube/kubeconfig.ts";
import { makeLog, type Log } from "../operator/observe/log.ts";
import { systemClock } from "../operator/runtime/clock.ts";
import { makeLifecycle, type Lifecycle } from "../operator/runtime/lifecycle.ts";
import { makeRuntimeMetrics, type RuntimeMetrics } from "../operator/runtime/metrics.ts";
import { cachesPart } from "../operator/runtime/parts.ts";
import { makeReflector, type Reflector } from "../operator/runtime/reflector.ts";
import { makeTransport, type Transport } from "../operator/runtime/transport.ts";
import { storeOf } from "../operator/variables.ts";
import { collectDefaultMetrics, Registry } from "prom-client";
import { makeDoor } from "./access/door.ts";
import { makePermissions } from "../operator/access/permissions.ts";
import { makeRate } from "../operator/runtime/rate.ts";
import { makeTokens } from "../operator/access/tokens.ts";
import type { Config } from "./config.ts";
import { makeHub, type Hub } from "./events/hub.ts";
import { healthPart } from "./health.ts";
import { makeServer, type RestServer } from "./http/server.ts";
import { makeStreams, type Streams } from "./http/streams.ts";
import { makeBacklog, type Backlog } from "./intake/backlog.ts";
import { makeBooks, type Books } from "./intake/books.ts";
import { makeIntake } from "./intake/intake.ts";
import { makeShimMetrics, type Measured, type ShimMetrics } from "./metrics.ts";
import { booksPart, closingPart, restPart } from "./parts.ts";
import { makeRoutes } from "./routes/routes.ts";
import { makeStorage, type Storage } from "./storage/storage.ts";
import { makeTasks } from "./tasks/tasks.ts";
import { cachedView, type CachedView } from "./tasks/view.ts";

const clock = systemClock;
/** A dependency that is down at start is waited for; a lifecycle wants a number. */
const START_MS = 2 ** 31 - 1;
const FORCE_MS = 3_000;
/** Whose rates are kept in mind. */
const MAX_NAMESPACES = 10_000;
/** A reader who takes nothing for so long is gone. */
const STALL_MS = 30_000;

export interface ShimOptions {
  /** Where lines go instead of standard output. */
  readonly log?: Log;
  /** Told the port of the REST face as soon as it is open. */
  readonly listening?: (port: number) => void;
}

/** The shim, ready to run. Connects to nothing yet. Throws one sentence when the kubeconfig can't be read. */
export function makeShim(config: Config, options: ShimOptions = {}): Lifecycle {
  const parts = makeParts(config, options.log ?? logOf(config));
  const { books, cache, log, registry, server, storage, transport } = parts;
  const state = { isStarted: () => lifecycle.isReady(), isStopping: () => lifecycle.isStopping() };
  const rest = server(state.isStopping);
  parts.measured = () => measure(parts, rest);
  const lifecycle: Lifecycle = makeLifecycle({
    log,
    parts: [
      healthPart({ cache, registry, log, ...state }, { host: config.HTTP_HOST, port: config.HTTP_PORT }),
      closingPart({ transport, storage }),
      cachesPart([cache]),
      ...(books ? [booksPart(books)] : []),
      restPart(rest, { host: config.REST_HOST, port: config.REST_PORT }, options.listening),
    ],
    settings: {
      startMs: START_MS,
      quietMs: config.QUIET_SECONDS * 1000,
      drainMs: config.DRAIN_SECONDS * 1000,
      forceMs: FORCE_MS,
    },
  });
  return lifecycle;
}

interface Parts {
  readonly log: Log;
  readonly registry: Registry;
  readonly transport: Transport;
  readonly cache: Reflector<CachedView>;
  readonly backlog: Backlog;
  readonly books: Books | undefined;
  readonly storage: Storage;
  readonly streams: Streams;
  readonly server: (isStopping: () => boolean) => RestServer;
  measured: () => Measured;
}

function logOf(config: Config): Log {
  return makeLog({ level: config.LOG_LEVEL, base: { role: "api-shim", pod: config.POD_NAME ?? "" } });
}

function makeParts(config: Config, log: Log): Parts {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const runtimeMetrics = makeRuntimeMetrics(registry);
  const transport = makeTransport({ kubeConfig: loadKubeConfig(config.KUBECONFIG), metrics: runtimeMetrics.rest, log });
  const cache = makeCache({ transport, runtimeMetrics, log });
  const backlog = makeBacklog(clock);
  cache.onChange(backlog.changed);
  const url = config.OPERATOR_METRICS_URL;
  const books = url === undefined ? undefined : makeBooks({ url, clock, log });
  const storage = makeStorage({
    ...storeOf(config),
    downloadSeconds: config.DOWNLOAD_URL_SECONDS,
    uploadSeconds: config.UPLOAD_URL_SECONDS,
    uploadReadSeconds: config.UPLOAD_READ_SECONDS,
  });
  const hub = makeHub(cache);
  const streams = makeStreams({
    ...{ hub, clock },
    settings: {
      heartbeatMs: config.HEARTBEAT_SECONDS * 1000,
      lifetimeMs: config.STREAM_SECONDS * 1000,
      stallMs: STALL_MS,
    },
    limits: { all: config.MAX_STREAMS, perNamespace: config.MAX_STREAMS_PER_NAMESPACE },
  });
  const metrics = makeShimMetrics(registry, () => parts.measured());
  const common = { log, registry, transport, cache, backlog, books, storage, streams };
  const server = serverOf({ ...common, hub, metrics, config });
  const parts: Parts = { ...common, server, measured: () => NOTHING };
  return parts;
}

const NOTHING: Measured = { connections: 0, streams: 0, underWay: 0, backlog: 0, untakenMs: 0, areBooksDown: false };

interface CacheDeps {
  readonly transport: Transport;
  readonly runtimeMetrics: RuntimeMetrics;
  readonly log: Log;
}

/** All tasks of all namespaces, without what is generated from. */
function makeCache({ transport, runtimeMetrics, log }: CacheDeps): Reflector<CachedView> {
  const metrics = runtimeMetrics.watch("tasks");
  const cache = makeReflector<CachedView>({
    transport,
    kind: TASKS,
    name: "tasks",
    transform: cachedView,
    log,
    metrics,
  });
  runtimeMetrics.observe(cache);
  return cache;
}

interface ServerParts extends Omit<Parts, "measured" | "server"> {
  readonly hub: Hub;
  readonly metrics: ShimMetrics;
  readonly config: Config;
}

function serverOf({ config, metrics, ...parts }: ServerParts): Parts["server"] {
  const { backlog, books, cache, hub, log, storage, streams, transport } = parts;
  const creates = { perSecond: config.CREATES_PER_SECOND, burst: config.CREATES_BURST, maxNames: MAX_NAMESPACES };
  const requests = { perSecond: config.REQUESTS_PER_SECOND, burst: config.REQUESTS_BURST, maxNames: MAX_NAMESPACES };
  const intake = makeIntake({
    ...{ backlog, books, clock, rate: makeRate(clock, creates) },
    refused: (code) => metrics.refused(code),
    settings: {
      maxBacklog: config.MAX_BACKLOG,
      maxBacklogPerNamespace: config.MAX_BACKLOG_PER_NAMESPACE,
      untakenMs: config.UNTAKEN_SECONDS * 1000,
    },
  });
  const tokens = makeTokens({ transport, clock, audiences: config.TOKEN_AUDIENCES });
  const permissions = makePermissions({ transport, clock });
  const door = makeDoor({ tokens, permissions, rate: makeRate(clock, requests) });
  const routes = makeRoutes({
    ...{ tasks: makeTasks(transport), hub, intake, clock, storage, transport },
    cached: () => cache.list(),
    uploadMaxBytes: config.UPLOAD_MAX_BYTES,
  });
  const settings = {
    maxConnections: config.MAX_CONNECTIONS,
    maxRequests: config.MAX_REQUESTS,
    answerMs: config.REQUEST_SECONDS * 1000,
  };
  return (isStopping) => makeServer({ routes, door, streams, metrics, log, clock, isStopping, settings });
}

function measure({ backlog, books, streams }: Parts, rest: RestServer): Measured {
  return {
    connections: rest.connections(),
    streams: streams.count(),
    underWay: rest.underWay(),
    backlog: backlog.waiting(),
    untakenMs: backlog.untakenMs(),
    areBooksDown: books?.state() === "down",
  };
}
