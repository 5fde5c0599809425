// The reconcile of the runtime bench on @dot-i/k8s-operator, written as its documentation shows. Arguments: the folder where the
// package is installed, namespace, number of writes to report. It works on one event after another: there are no workers to set.
import { createRequire } from "node:module";
import { join } from "node:path";
import { observedOf, type Widget } from "../../runtime/widget.ts";

interface Event {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: Widget;
  readonly meta: object;
}

/** As much of the package as is used here. */
interface Operator {
  init(): Promise<void>;
  start(): Promise<void>;
  watchResource(...of: readonly [string, string, string, (event: Event) => Promise<void>, string]): Promise<void>;
  patchResourceStatus(meta: object, status: object): Promise<object | null>;
}

const [folder = "", namespace = "", wanted] = process.argv.slice(2);
const load = createRequire(join(folder, "package.json"));
const { default: Base } = load("@dot-i/k8s-operator") as { readonly default: new (logger: object) => Operator };
const silent = (): void => undefined;
const told = (text: string): void => console.error(text);
let writes = 0;

class Widgets extends Base {
  override init(): Promise<void> {
    return this.watchResource("bench.genop.dev", "v1", "widgets", (event) => this.observe(event), namespace);
  }

  private async observe({ type, object, meta }: Event): Promise<void> {
    if (type === "DELETED") return;
    const observed = observedOf(object);
    if (object.status?.observed === observed) return;
    const written = await this.patchResourceStatus(meta, { observed });
    if (!written) return; // it has told its logger
    writes += 1;
    if (writes === Number(wanted)) console.log("done");
  }
}

process.stdin.on("close", () => process.exit(1)).resume(); // when whoever started it is gone, this process goes too
const operator = new Widgets({ debug: silent, info: silent, warn: told, error: told });
await operator.start();
console.log("ready");
