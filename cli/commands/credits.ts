// `credits`: the balance and the newest ledger lines of a namespace, as the evidence service tells them; the grants when it can't be asked.
import { formatCredits, micro, parseCredits } from "../../operator/task/credits.ts";
import { GRANTS, SeenGrant } from "../cluster/kinds.ts";
import { listObjects } from "../cluster/objects.ts";
import { EXIT, Failure, type ExitCode } from "../failure.ts";
import { document, isForPrograms } from "../output/format.ts";
import { columns } from "../output/table.ts";
import { duration } from "../output/quantities.ts";
import { printable } from "../output/terminal.ts";
import { because, type Session } from "../session.ts";
import { Account } from "../why/evidence.ts";
import { isAbsent, orAbsent } from "../why/facts.ts";

export interface CreditsOptions {
  readonly lines: string;
}

export async function showCredits(session: Session, { lines }: CreditsOptions): Promise<ExitCode> {
  const { format, namespace, services, signal, terminal } = session;
  if (!/^[1-9]\d{0,2}$/.test(lines)) throw new Failure("cannot show credits: --lines must be 1 to 999");
  const path = `/v1/namespaces/${namespace}/account?lines=${lines}`;
  const account = await orAbsent(services.evidence(namespace, path, signal), (told) => Account.parse(told));
  const granted = await grantedIn(session);
  if (isForPrograms(format)) {
    const told = isAbsent(account) ? { unavailable: account.absent } : account;
    terminal.write(document({ namespace, granted, account: told }, format));
  } else if (isAbsent(account)) {
    terminal.write(`GRANTED   ${granted}`);
  } else {
    showAccount(session, account, granted);
  }
  if (isAbsent(account)) throw new Failure(`cannot show the balance of ${namespace}: ${account.absent}`);
  return EXIT.done;
}

async function grantedIn({ cluster, namespace, signal }: Session): Promise<string> {
  const { items } = await listObjects(cluster, GRANTS, { namespace }, signal).catch(
    because(`list the grants of ${namespace}`),
  );
  const amounts = items.flatMap((item) => {
    const { spec, status } = SeenGrant.parse(item);
    return status.applied ? [parseCredits(spec.credits) ?? micro(0n)] : [];
  });
  return formatCredits(micro(amounts.reduce((sum, amount) => sum + amount, 0n)));
}

function showAccount(
  { format, namespace, now, terminal }: Session,
  { available, held, lines, spent }: Account,
  granted: string,
): void {
  if (format === "name") {
    terminal.write(namespace);
    return;
  }
  for (const line of columns([
    ["NAMESPACE", "AVAILABLE", "HELD", "GRANTED", ...(spent ? ["SPENT TODAY", "SPENT THIS MONTH"] : [])],
    [namespace, available, held, granted, ...(spent ? [spent.day, spent.month] : [])],
  ]))
    terminal.write(line);
  if (lines.length === 0) return;
  terminal.write("");
  const rows = lines.map(({ about, at, attempt, available: change, held: heldChange, operation, transactionID }) => [
    `${duration(now().getTime() - Date.parse(at))} ago`,
    operation,
    signed(change),
    signed(heldChange),
    printable(`${about ?? ""}${attempt === undefined ? "" : ` #${attempt}`}`),
    transactionID,
  ]);
  const isWide = format === "wide";
  const heading = ["WHEN", "WHAT", "AVAILABLE", "HELD", "OF", "TRANSACTION"];
  for (const line of columns([heading, ...rows].map((row) => (isWide ? row : row.slice(0, -1))))) terminal.write(line);
}

function signed(amount: string): string {
  return amount === "0" || amount.startsWith("-") ? amount : `+${amount}`;
}
