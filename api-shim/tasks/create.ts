// One wish becomes one task, however often, from wherever and at the same time it is sent: the name is the wish's own, so a
// create that was answered, lost or lost a race all end at the same object. Nothing here is remembered by the shim.
import type { WireTask } from "../../operator/kube/task-object.ts";
import { sleep, type Clock } from "../../operator/runtime/clock.ts";
import { isAlreadyExists, isConflict, isInvalid, isNotFound, KubeError } from "../../operator/runtime/errors.ts";
import { keyOf } from "../../operator/runtime/objects.ts";
import type { Resource } from "../../operator/runtime/resources.ts";
import { clusterUnavailable } from "../access/door.ts";
import { Problem } from "../problems.ts";
import { FINGERPRINT_ANNOTATION } from "./identity.ts";
import { taskOf, type Wish } from "./request.ts";

export interface Created {
  readonly task: WireTask;
  /** The task was there already: this is the answer of the first request. */
  readonly isReplay: boolean;
}

export interface CreateDeps {
  readonly tasks: Pick<Resource<WireTask>, "create" | "get">;
  readonly clock: Clock;
}

const MAX_TRIES = 4;
const WAIT_MS = 100;
const CALL_MS = 3_000;
const FIELD_MANAGER = "genop-rest";

/** Throws Problem. Until it has answered, repeating the request is always safe. */
export async function createTask(deps: CreateDeps, wish: Wish, signal: AbortSignal): Promise<Created> {
  const object = taskOf(wish);
  for (let tries = 1; ; tries += 1) {
    const tried = await once(deps, object, signal);
    if ("task" in tried) return tried;
    if (tries >= MAX_TRIES) throw clusterUnavailable(tried.error);
    await sleep(deps.clock, WAIT_MS * tries, signal).catch((error: unknown) => {
      throw clusterUnavailable(error);
    });
  }
}

type Tried = Created | { readonly error: unknown };

/** An `error` is one after which the same create may be tried again: nothing is known, or the object went in between. */
async function once({ tasks }: CreateDeps, object: WireTask, signal: AbortSignal): Promise<Tried> {
  const options = { signal, timeoutMs: CALL_MS, fieldManager: FIELD_MANAGER };
  try {
    return { task: await tasks.create(object, options), isReplay: false };
  } catch (error) {
    if (!isAlreadyExists(error)) return retriable(error);
  }
  try {
    const there = await tasks.get(keyOf(object), options);
    return there === undefined ? { error: undefined } : { task: sameWish(there, object), isReplay: true };
  } catch (error) {
    return retriable(error);
  }
}

/** The object that is there, if it stands for this wish. */
function sameWish(there: WireTask, wanted: WireTask): WireTask {
  const fingerprint = there.metadata.annotations?.[FINGERPRINT_ANNOTATION];
  if (fingerprint === undefined) {
    throw new Problem("name-taken", {
      detail: "cannot make the task: an object that was not made here has its name; use another Idempotency-Key",
    });
  }
  if (fingerprint !== wanted.metadata.annotations?.[FINGERPRINT_ANNOTATION]) {
    throw new Problem("idempotency-key-reused", {
      detail: "cannot use this Idempotency-Key: it belongs to a task with another body; use a new key for a new task",
    });
  }
  if (there.metadata.deletionTimestamp !== undefined) {
    throw new Problem("being-deleted", {
      detail:
        "cannot make the task: the one of this Idempotency-Key is being deleted; wait until it is gone, or use a new key",
      retryAfterSeconds: 5,
    });
  }
  return there;
}

function retriable(error: unknown): { readonly error: unknown } {
  const problem = refusalOf(error);
  if (problem) throw problem;
  if (!(error instanceof KubeError) && !(error instanceof DOMException)) throw error; // a fault of ours
  return { error };
}

/** What no repetition can change. */
function refusalOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (isInvalid(error)) {
    return new Problem(
      "invalid-body",
      { detail: "cannot make the task: the API server finds its fields invalid" },
      error,
    );
  }
  if (isNotFound(error)) {
    return new Problem("refused-by-cluster", { detail: "cannot make the task: its namespace does not exist" }, error);
  }
  if (isConflict(error) || !(error instanceof KubeError)) return undefined;
  if (error.status === 403) {
    const detail =
      "cannot make the task: the cluster refused it (a quota of objects, a policy, or a namespace that is going)";
    return new Problem("refused-by-cluster", { detail }, error);
  }
  return error.status === 400 || error.status === 413
    ? new Problem(
        "invalid-body",
        { detail: "cannot make the task: the API server can't take an object like this" },
        error,
      )
    : undefined;
}
