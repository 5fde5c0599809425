// `list` and `providers`: the API server's own tables, so that the columns are those of `kubectl get`.
import { TASKS, kubectlName } from "../cluster/kinds.ts";
import { listObjects, listTables, readTable, watchObjects, type Selection, type Table } from "../cluster/objects.ts";
import type { ResourceKind } from "../../operator/runtime/objects.ts";
import { EXIT, Failure, type ExitCode } from "../failure.ts";
import { document, isForPrograms } from "../output/format.ts";
import { columns, widthsOf } from "../output/table.ts";
import { printable } from "../output/terminal.ts";
import { because, type Session } from "../session.ts";

export interface ListOptions {
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly phase?: string;
  readonly provider?: string;
  readonly watch?: boolean;
}

export function listTasks(session: Session, options: ListOptions): Promise<ExitCode> {
  const { allNamespaces = false, phase, provider, selector } = options;
  const fields = [phase && `status.phase=${phase}`, provider && `spec.providerRef.name=${provider}`];
  const selection = {
    namespace: allNamespaces ? undefined : session.namespace,
    labelSelector: selector,
    fieldSelector: fields.filter(Boolean).join(",") || undefined,
  };
  return list(session, { kind: TASKS, selection, what: "tasks", watch: options.watch ?? false });
}

export interface Wanted {
  readonly kind: ResourceKind;
  readonly selection: Selection;
  /** In the plural, for messages. */
  readonly what: string;
  readonly watch: boolean;
}

export async function list(session: Session, wanted: Wanted): Promise<ExitCode> {
  const { format } = session;
  if (wanted.watch && format !== "table" && format !== "wide") {
    throw new Failure(`cannot watch as ${format}: --watch prints rows; leave -o out`);
  }
  if (isForPrograms(format) || format === "name") await listWhole(session, wanted);
  else await listRows(session, wanted).catch(because(`list ${wanted.what}`));
  return EXIT.done;
}

async function listWhole(
  { cluster, format, signal, terminal }: Session,
  { kind, selection, what }: Wanted,
): Promise<void> {
  const { items } = await listObjects(cluster, kind, selection, signal).catch(because(`list ${what}`));
  if (isForPrograms(format)) {
    const metadata = { resourceVersion: "" }; // as kubectl writes a list of several answers
    terminal.write(document({ apiVersion: "v1", kind: "List", metadata, items }, format));
    return;
  }
  for (const item of items) {
    const { metadata } = item as { readonly metadata: { readonly name: string } };
    terminal.write(kubectlName(kind, metadata.name));
  }
}

async function listRows(session: Session, wanted: Wanted): Promise<void> {
  const { cluster, signal, terminal } = session;
  const printer = makePrinter(session, wanted);
  let resourceVersion = "";
  for await (const table of listTables(cluster, wanted.kind, wanted.selection, signal)) {
    printer.add(table);
    ({ resourceVersion } = table.metadata);
  }
  if (!printer.flush() && !wanted.watch) {
    const { namespace } = wanted.selection;
    terminal.tell(`No ${wanted.what} found${namespace === undefined ? "." : ` in ${namespace} namespace.`}`);
  }
  if (!wanted.watch) return;

  const watched = { ...wanted.selection, resourceVersion, asTable: true };
  for await (const { object, type } of watchObjects(cluster, wanted.kind, watched, signal)) {
    if (type === "ERROR")
      throw new Failure(`cannot go on watching ${wanted.what}: the API server ended it; start again`);
    printer.add(readTable(object));
    printer.flush();
  }
}

interface Printer {
  add(table: Table): void;
  /** Prints what was added since; false when that was nothing. */
  flush(): boolean;
}

/** The heading comes once; the columns only grow. */
function makePrinter({ format, terminal }: Session, { kind, selection }: Wanted): Printer {
  const withNamespace = kind.namespaced && selection.namespace === undefined;
  let shown: readonly number[] | undefined;
  let widths: readonly number[] = [];
  let rows: (readonly string[])[] = [];
  return {
    add: ({ columnDefinitions, rows: added }) => {
      if (shown === undefined && columnDefinitions) {
        const all = [...columnDefinitions.entries()];
        const wanted = all.filter(([, { priority }]) => priority === 0 || format === "wide");
        shown = wanted.map(([index]) => index);
        const names = wanted.map(([, { name }]) => name.toUpperCase());
        if ((added ?? []).length > 0) rows.push(withNamespace ? ["NAMESPACE", ...names] : names);
        else shown = undefined; // nothing to head yet
      }
      for (const { cells, object } of added ?? []) {
        const texts = (shown ?? [...cells.keys()]).map((index) => printable(String(cells[index] ?? "")));
        rows.push(withNamespace ? [object.metadata.namespace, ...texts] : texts);
      }
    },
    flush: () => {
      if (rows.length === 0) return false;
      widths = widthsOf(rows, widths);
      for (const line of columns(rows, widths)) terminal.write(line);
      rows = [];
      return true;
    },
  };
}
