// Ports that tell of every call on them, before it is made and after it has ended, and of the task whose pass or late search makes it.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Deps, LateBooks, LateDue, ProviderClient } from "../../operator/reconcile/ports.ts";
import type { TermPorts } from "../../operator/wiring/ports.ts";
import { subscribe } from "node:diagnostics_channel";
import type { Moment, Point } from "./order.ts";
import { ORDINARY } from "./port-calls.ts";
import type { PortCall } from "./port-calls.ts";

/** Called synchronously at the very moment. Undefined: no task's work. */
export type Passing = (objectKey: string | undefined, call: Point, moment: Moment) => void;

type Method = (...values: readonly unknown[]) => unknown;
type Around = (call: PortCall, method: Method) => Method;
type Wrap = <Port extends object>(port: string, target: Port) => Port;

export function tellPassages({ late, pass }: TermPorts, tell: Passing): TermPorts {
  const tasks = new AsyncLocalStorage<string>();
  const around = aroundCalls(tasks, tell);
  // undici says this right before it writes to the socket. In this process, POST with a body is the submit.
  subscribe("undici:client:sendHeaders", (message) => {
    const { method, path } = (message as SendHeaders).request;
    if (method === "POST" && path.endsWith("/jobs")) tell(tasks.getStore(), "wire", "before");
  });
  return { pass: tellPass(pass, around), late: tellLate(late, around, tell) };
}

interface SendHeaders {
  readonly request: { readonly method: string; readonly path: string };
}

function tellPass(ports: Deps, around: Around): Deps {
  const wrap = wrapping("", around);
  const { providers } = ports;
  const client = (name: string): ProviderClient | undefined => {
    const found = providers.client(name);
    return found && wrap("client", found);
  };
  return {
    ...ports,
    books: wrap("books", ports.books),
    tasks: wrap("tasks", ports.tasks),
    quotas: wrap("quotas", ports.quotas),
    providers: wrap("providers", { see: (name, namespace) => providers.see(name, namespace), client }),
    artifacts: wrap("artifacts", ports.artifacts),
    slots: wrap("slots", withRelease(ports.slots, "slots.release", around)),
    unsent: wrap("unsent", ports.unsent),
    journal: wrap("journal", ports.journal),
    pause: around("pause", ports.pause as Method) as Deps["pause"],
    random: around("random", ports.random) as Deps["random"],
  };
}

function tellLate(ports: TermPorts["late"], around: Around, tell: Passing): TermPorts["late"] {
  const wrap = wrapping("late.", around);
  const provider: TermPorts["late"]["provider"] = (due) => {
    const account = ports.provider(due);
    return account && { ...account, client: wrap("client", account.client) };
  };
  return {
    ...ports,
    books: { ...wrap("books", ports.books), due: tellDue(ports.books, tell) },
    tasks: wrap("tasks", ports.tasks),
    artifacts: wrap("artifacts", ports.artifacts),
    slots: wrap("slots", withRelease(ports.slots, "late.slots.release", around)),
    journal: wrap("journal", ports.journal),
    provider: around("late.provider", provider as Method) as typeof provider,
    random: around("late.random", ports.random) as TermPorts["late"]["random"],
  };
}

/** One reading is of many tasks. Whose it will be is told by one before it, which changes nothing. */
function tellDue(books: LateBooks, tell: Passing): LateBooks["due"] {
  return async (...wish) => {
    const tellAll = (dues: readonly LateDue[], moment: Moment): void => {
      for (const due of dues) tell(keyOf(due), "late.books.due", moment);
    };
    tellAll(await books.due(...wish), "before");
    const dues = await books.due(...wish);
    tellAll(dues, "after");
    return dues;
  };
}

function keyOf({ task }: LateDue): string {
  return `${task.namespace}/${task.name}`;
}

/** A pass, or a visit, begins with this call of a task; what it awaits then stays with the task. */
const BEGINNINGS: Partial<Readonly<Record<PortCall, (first: unknown) => string>>> = {
  "tasks.get": String,
  "late.provider": (due) => keyOf(due as LateDue),
};

function aroundCalls(tasks: AsyncLocalStorage<string>, tell: Passing): Around {
  return (call, method) =>
    (...values) => {
      const begins = BEGINNINGS[call];
      if (begins) tasks.enterWith(begins(values[0]));
      const objectKey = tasks.getStore();
      const after = (): void => tell(objectKey, call, "after");
      tell(objectKey, call, "before");
      const result = method(...values);
      if (result instanceof Promise) return result.finally(after);
      after();
      return result;
    };
}

/** The same port, with every call on it told under these words and its name. */
function wrapping(words: "" | "late.", around: Around): Wrap {
  return (port, target) =>
    new Proxy(target, {
      get: (object, name, receiver) => {
        const value: unknown = Reflect.get(object, name, receiver);
        const call = `${words}${port}.${String(name)}`;
        return typeof value === "function" && isCall(call) ? around(call, value.bind(object) as Method) : value;
      },
    });
}

function isCall(name: string): name is PortCall {
  return name in ORDINARY;
}

function withRelease(slots: Deps["slots"], call: PortCall, around: Around): Deps["slots"] {
  return {
    take: (kind, provider) => {
      const release = slots.take(kind, provider);
      return release && around(call, release);
    },
  };
}
