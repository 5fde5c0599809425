// Ports that tell of every call on them, before it is made and after it has ended, and of the task whose pass makes it.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Deps, ProviderClient } from "../../operator/reconcile/ports.ts";
import { subscribe } from "node:diagnostics_channel";
import type { Moment, Point } from "./order.ts";
import { ORDINARY } from "./port-calls.ts";
import type { PortCall } from "./port-calls.ts";

/** Called synchronously at the very moment. Undefined: no task's pass. */
export type Passing = (objectKey: string | undefined, call: Point, moment: Moment) => void;

type Method = (...values: readonly unknown[]) => unknown;
type Wrap = <Port extends object>(port: string, target: Port) => Port;

export function tellPassages(ports: Deps, tell: Passing): Deps {
  const tasks = new AsyncLocalStorage<string>();
  const passing = around(tasks, tell);
  // undici says this right before it writes to the socket. In this process, POST with a body is the submit.
  subscribe("undici:client:sendHeaders", (message) => {
    const { method, path } = (message as SendHeaders).request;
    if (method === "POST" && path.endsWith("/jobs")) tell(tasks.getStore(), "wire", "before");
  });
  const wrap: Wrap = (port, target) =>
    new Proxy(target, {
      get: (object, name, receiver) => {
        const value: unknown = Reflect.get(object, name, receiver);
        const call = `${port}.${String(name)}`;
        return typeof value === "function" && isCall(call) ? passing(call, value.bind(object) as Method) : value;
      },
    });
  return {
    ...ports,
    books: wrap("books", ports.books),
    tasks: wrap("tasks", ports.tasks),
    quotas: wrap("quotas", ports.quotas),
    providers: wrap("providers", withClient(ports.providers, wrap)),
    artifacts: wrap("artifacts", ports.artifacts),
    slots: wrap("slots", withRelease(ports.slots, passing)),
    unsent: wrap("unsent", ports.unsent),
    journal: wrap("journal", ports.journal),
    pause: passing("pause", ports.pause as Method) as Deps["pause"],
    random: passing("random", ports.random) as Deps["random"],
  };
}

interface SendHeaders {
  readonly request: { readonly method: string; readonly path: string };
}

function isCall(name: string): name is PortCall {
  return name in ORDINARY;
}

type Around = (call: PortCall, method: Method) => Method;

function around(tasks: AsyncLocalStorage<string>, tell: Passing): Around {
  return (call, method) =>
    (...values) => {
      // A pass begins with this; what it awaits then stays with its task.
      if (call === "tasks.get") tasks.enterWith(String(values[0]));
      const objectKey = tasks.getStore();
      const after = (): void => tell(objectKey, call, "after");
      tell(objectKey, call, "before");
      const result = method(...values);
      if (result instanceof Promise) return result.finally(after);
      after();
      return result;
    };
}

function withClient(providers: Deps["providers"], wrap: Wrap): Deps["providers"] {
  return {
    see: (name, namespace) => providers.see(name, namespace),
    client: (name): ProviderClient | undefined => {
      const client = providers.client(name);
      return client && wrap("client", client);
    },
  };
}

function withRelease(slots: Deps["slots"], passing: Around): Deps["slots"] {
  return {
    take: (kind, provider) => {
      const release = slots.take(kind, provider);
      return release && passing("slots.release", release);
    },
  };
}
