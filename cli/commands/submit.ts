// `submit`: a task made from a file or from words. Made once: a create whose answer is lost is never repeated by itself.
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
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
  readonly timeout: string;
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
  const manifests = options.filename === undefined ? [manifestOf(name, options)] : await manifestsIn(options.filename);
  let ending: ExitCode = EXIT.done;
  for (const manifest of manifests) {
    const namespace = manifest.metadata.namespace ?? session.namespace;
    const body = { ...manifest, metadata: { ...manifest.metadata, namespace } };
    const made = await createObject(
      session.cluster,
      TASKS,
      { namespace, body, dryRun: options.dryRun ?? false },
      session.signal,
    )
      .catch(lost(manifest))
      .catch(because("submit the task"));
    tellChange(session, made, options.dryRun ? "created (server dry run)" : "created");
    if (!options.wait || options.dryRun) continue;
    const { metadata } = made as { readonly metadata: { readonly name: string } };
    ending = await waitForTask({ ...session, namespace, format: "name" }, metadata.name, {
      for: "Succeeded",
      timeout: options.timeout,
    });
  }
  return ending;
}

/** Without a name of its own nobody could tell whether it was made: a second try may pay twice. */
function lost({ metadata }: Manifest): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof ApiError) || error.status !== 0) throw error;
    const look =
      metadata.name === undefined
        ? "it may have been made: look with kubectl genop list before you submit again"
        : "submit it again under the same name: it is made once";
    throw new Failure(`cannot tell whether the task was made: ${error.message}; ${look}`);
  };
}

function manifestOf(name: string | undefined, options: SubmitOptions): Manifest {
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

async function manifestsIn(filename: string): Promise<readonly Manifest[]> {
  const content = await (filename === "-" ? text(process.stdin) : readFile(filename, "utf8")).catch(() => {
    throw new Failure(`cannot read ${filename}: no such file, or it may not be read`);
  });
  const manifests = parseAllDocuments(content).map((one, index) => {
    const place = `document ${index + 1} of ${filename}`;
    if (one.errors.length > 0) throw new Failure(`cannot read ${place}: it is not YAML`);
    const read = Manifest.safeParse(one.toJS());
    if (!read.success) throw new Failure(`cannot submit ${place}: it must be a GenerationTask of ${GROUP}/${VERSION}`);
    return read.data;
  });
  if (manifests.length === 0) throw new Failure(`cannot read ${filename}: there is nothing in it`);
  return manifests;
}
