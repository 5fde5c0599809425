// `why`: everything that is known of one task, on one page.
import { EXIT, Failure, type ExitCode } from "../failure.ts";
import { document, isForPrograms } from "../output/format.ts";
import type { Session } from "../session.ts";
import { gatherFacts } from "../why/facts.ts";
import { nextOf, whyPage } from "../why/page.ts";
import { staysOf } from "../why/phases.ts";
import { waitOf } from "../why/waits.ts";

export async function explainTask(session: Session, name: string): Promise<ExitCode> {
  const { format, terminal } = session;
  if (format === "name" || format === "wide") throw new Failure(`cannot explain as ${format}: say -o json or -o yaml`);
  const facts = await gatherFacts(session, name);
  if (!isForPrograms(format)) {
    for (const line of whyPage(facts, terminal.paint)) terminal.write(line);
    return EXIT.done;
  }
  const { account, events, evidence, provider, task } = facts;
  const { metadata, spec, status } = task;
  const { name: own, namespace, uid } = metadata;
  const told = { metadata: { name: own, namespace, uid }, spec, status };
  const seen = { task: told, next: nextOf(facts), waitsFor: waitOf(facts), phases: staysOf(facts) };
  terminal.write(document({ ...seen, evidence, account, provider, events }, format));
  return EXIT.done;
}
