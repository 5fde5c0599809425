// `submit`: a task made from a file or from words. Made once: a create whose answer is lost is never repeated by itself.
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import { orAborted } from "../../operator/runtime/clock.ts";
import { GROUP, VERSION } from "../../operator/task/resource.ts";
import { ApiError } from "../cluster/client.ts";
import { TASKS } from "../cluster/kinds.ts";
import { createObject } from "../cluster/objects.ts";
import { EXIT, Failure, type ExitCode } from "../failure.ts";
import { because, type Session } from "../session.ts";
import { tellChange } from "./tasks.ts";
import { waitForTask } from "./wait.ts";

export interface SubmitOptions {
  readonly filename?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly input?: readonly string[];
  readonly key?: string;
  readonly maxCredits?: string;
  readonly dryRun?: boolean;
  readonly wait?: boolean;
  readonly timeout: number;
}

const Manifest = z.looseObject({
  apiVersion: z.literal(`${GROUP}/${VERSION}`),
  kind: z.literal("GenerationTask"),
  metadata: z
    .looseObject({ name: z.string().optional(), generateName: z.string().optional(), namespace: z.string().optional() })
    .default({}),
});
type Manifest = z.infer<typeof Manifest>;

export async function submitTask(
  session: Session,
  name: string | undefined,
  options: SubmitOptions,
): Promise<ExitCode> {
  const manifests = await manifestsOf(session, name, options);
  const made: Made[] = [];
  for (const manifest of manifests) made.push(await make(session, manifest, options));
  if (!options.wait || options.dryRun) return EXIT.done;
  const endings: ExitCode[] = [];
  for (const one of made) endings.push(await waitFor(session, one, options));
  return endings.find((ending) => ending !== EXIT.done) ?? EXIT.done;
}

function manifestsOf(
  session: Session,
  name: string | undefined,
  { filename, ...words }: SubmitOptions,
): Promise<readonly Manifest[]> | readonly Manifest[] {
  if (filename === undefined) return [manifestOf(name, words)];
  const { input, key, maxCredits, model, provider } = words;
  if ([name, input, key, maxCredits, model, provider].some((said) => said !== undefined)) {
    throw new Failure("cannot submit the task: -f FILE says everything; leave out NAME and what else describes a task");
  }
  return manifestsIn(filename, session);
}

interface Made {
  readonly namespace: string;
  readonly name: string;
}

async function make(session: Session, manifest: Manifest, { dryRun = false }: SubmitOptions): Promise<Made> {
  const namespace = manifest.metadata.namespace ?? session.namespace;
  const body = { ...manifest, metadata: { ...manifest.metadata, namespace } };
  const made = await createObject(session.cluster, TASKS, { namespace, body, dryRun }, session.signal)
    .catch(dryRun ? because("submit the task") : lost(manifest))
    .catch(because("submit the task"));
  tellChange(session, made, dryRun ? "created (server dry run)" : "created");
  const { metadata } = made as { readonly metadata: { readonly name: string } };
  return { namespace, name: metadata.name };
}

/** Its own ending: the tasks that were made beside it are waited for as well. What was made has been written; this is told beside it. */
async function waitFor(session: Session, { name, namespace }: Made, { timeout }: SubmitOptions): Promise<ExitCode> {
  const { terminal } = session;
  const beside = { ...session, namespace, format: "name", terminal: { ...terminal, write: () => undefined } } as const;
  try {
    return await waitForTask(beside, name, { for: "Succeeded", timeout });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    terminal.tell(error.message);
    return error.exitCode;
  }
}

/** Without a name of its own nobody could tell whether it was made: a second try may pay twice. */
function lost({ metadata }: Manifest): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof ApiError) || (error.status !== 0 && error.status < 500)) throw error;
    const look =
      metadata.name === undefined
        ? "it may have been made: look with kubectl genop list before you submit again"
        : "submit it again under the same name: it is made once";
    throw new Failure(`cannot tell whether the task was made: ${error.message}; ${look}`);
  };
}

function manifestOf(name: string | undefined, options: Omit<SubmitOptions, "filename">): Manifest {
  const { key, maxCredits, model, provider } = options;
  if (provider === undefined || model === undefined) {
    throw new Failure("cannot submit the task: say -f FILE, or --provider and --model");
  }
  const spec = {
    providerRef: { name: provider },
    model,
    input: inputOf(options.input ?? []),
    ...(key !== undefined && { idempotencyKey: key }),
    ...(maxCredits !== undefined && { maxCredits }),
  };
  const metadata = name === undefined ? { generateName: "task-" } : { name };
  return { apiVersion: `${GROUP}/${VERSION}`, kind: "GenerationTask", metadata, spec };
}

const PAIR = /^([A-Za-z0-9_.-]{1,64})(:?=)([^]*)$/;

/** `prompt=text` is text, `steps:=4` is JSON. */
function inputOf(pairs: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    pairs.map((pair): [string, unknown] => {
      const [, name, sign, value] = PAIR.exec(pair) ?? [];
      if (name === undefined || value === undefined) {
        throw new Failure("cannot submit the task: --input must be NAME=TEXT or NAME:=JSON");
      }
      return [name, sign === "=" ? value : jsonOf(name, value)];
    }),
  );
}

function jsonOf(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure(`cannot submit the task: the input ${name} is not JSON; write ${name}=TEXT for text`);
  }
}

async function manifestsIn(filename: string, { signal }: Session): Promise<readonly Manifest[]> {
  const reading = filename === "-" ? text(process.stdin) : readFile(filename, { encoding: "utf8", signal });
  const content = await orAborted(reading, signal).catch(() => {
    signal.throwIfAborted();
    throw new Failure(`cannot read ${filename}: no such file, or it may not be read`);
  });
  const manifests = parseAllDocuments(content).flatMap((one, index) => {
    const place = `document ${index + 1} of ${filename}`;
    if (one.errors.length > 0) throw new Failure(`cannot read ${place}: it is not YAML`);
    const said: unknown = one.toJS();
    if (said === null || said === undefined) return []; // between two lines of dashes, or after the last
    const read = Manifest.safeParse(said);
    if (!read.success) throw new Failure(`cannot submit ${place}: it must be a GenerationTask of ${GROUP}/${VERSION}`);
    return [read.data];
  });
  if (manifests.length === 0) throw new Failure(`cannot read ${filename}: there is nothing in it`);
  return manifests;
}
