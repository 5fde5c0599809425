// What one pass needs of the world, in its own words. Adapters implement these; wiring hands them over.
// Every method that waits takes an AbortSignal and has a limit of its own; none is called inside a transaction of another.
import type { AttemptIn } from "../task/attempt.ts";
import type { AttemptId, MicroCredits, ProviderJobId, TaskKey } from "../task/brand.ts";
import type { Action, Ending, LiveAttempt, SearchMethod } from "../task/action.ts";
import type { Budget } from "../task/budget.ts";
import type { Decision } from "../task/decision.ts";
import type { Facts, Parked, TaskEnd } from "../task/facts.ts";
import type { FoundBy, LateClose, LateIn, LateSearch } from "../task/late.ts";
import type { Look, Poll, Refetch } from "../task/mark.ts";
import type { Policy } from "../task/observation.ts";
import type {
  CancelOutcome,
  FetchOutcome,
  OutcomeWord,
  Output,
  QueryOutcome,
  SearchOutcome,
  SubmitOutcome,
} from "../task/outcome.ts";
import type { Phase } from "../task/phase.ts";
import type { ProviderSeen, ProviderSettings } from "../task/provider.ts";
import type { Admission } from "../task/quota.ts";
import type { AssetStatus, TaskStatus } from "../task/resource.ts";
import type { Task, UnreadableTask } from "../task/task.ts";
import type { Unsent } from "./unsent.ts";

/** When to look again, if nothing changes before. */
export type Next = { readonly afterMs: number } | "rest";

/** Something was written, and the pass goes on from what is known since; with `afterMs` it only tells it, and waits. */
export interface Onward {
  readonly facts: Facts;
  readonly afterMs?: number;
}

/** A mark that found its row in another state: somebody else moved it, or we are no longer the leader. Stop this pass. */
export interface Stale {
  readonly outcome: "stale";
}

/** A mark was written, and this is what is known since, read in the same transaction; or it was not. */
export type Written = { readonly outcome: "done"; readonly facts: Facts } | Stale;

/** A mark after which the task only waits: nobody goes on from it. */
export type Noted = { readonly outcome: "done" } | Stale;

/** Whether the record says since now why its task waits, and if so what is known since. */
export type Waiting = { readonly changed: true; readonly facts: Facts } | { readonly changed: false };

/** What is registered of a task with its first transaction. */
export interface Registration {
  readonly key: TaskKey;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly specHash: string;
}

/** The object that a task's record belongs to. */
export type Owner = Omit<Registration, "specHash">;

export interface Beginning extends Registration {
  readonly provider: string;
  readonly model: string;
  readonly estimate: MicroCredits;
  /** The new attempt's number is higher than this, and than those of all that are known: a decision never meets a later attempt. */
  readonly decidedNumber: number;
  /** The place in the provider's line: higher first, then older first. */
  readonly priority: number;
  readonly budget: Budget;
}

export type BeginOutcome =
  | { readonly outcome: "begun"; readonly facts: Facts }
  /** Not enough available credits: recorded as `waiting`. */
  | ({ readonly outcome: "short" } & Waiting)
  /** The namespace's budget has no room before `afterMs`: recorded as `waiting`. */
  | ({ readonly outcome: "over-budget"; readonly afterMs: number } & Waiting)
  | Stale;

/** `decidedNumber` is the number that the attempt gets. No budget: what it costs was spent when it was sent. */
export type Recovering = Omit<Beginning, "budget">;

export type RecoverOutcome = Exclude<BeginOutcome, { readonly outcome: "over-budget" }>;

/** "taken": the job stands for another attempt already, and nothing else was changed. */
export type AcceptOutcome = Written | { readonly outcome: "taken" };

/** A refused claim is never asked about again. */
export interface ClaimLook {
  readonly jobId: ProviderJobId;
  readonly refused: boolean;
  readonly nextAfterMs: number;
}

export type SentOutcome =
  | { readonly outcome: "sent"; readonly attempt: AttemptIn<"sent"> }
  /** The quota has no room: recorded as `waiting`, with the place in line. */
  | ({ readonly outcome: "queued"; readonly afterMs: number } & Waiting)
  | Stale;

/**
 * The books: attempts, holds, ledger, tasks. Each method is one transaction, fenced by the epoch of this process's
 * leadership: a deposed leader's call changes nothing and answers "stale". A faulty database throws; nothing is then known.
 */
export interface Books {
  /** One statement, one instant. Needs no leadership. */
  load(key: TaskKey, signal: AbortSignal): Promise<Facts>;
  begin(beginning: Beginning, signal: AbortSignal): Promise<BeginOutcome>;
  /** The mark before the wire: admission by quota, then state `sent` with a deadline by the database's clock. */
  markSent(
    attempt: AttemptIn<"intended">,
    admission: Admission,
    deadlineMs: number,
    signal: AbortSignal,
  ): Promise<SentOutcome>;
  /** Gives a parked task the attempt of this number that its books lost: its hold, and state `sent` without an answer. Nothing is sent. */
  recover(recovering: Recovering, signal: AbortSignal): Promise<RecoverOutcome>;
  /** A job exists: `sent` → `accepted`; by whose decision it is this one, where a person named it. */
  markAccepted(
    attempt: AttemptIn<"sent">,
    jobId: ProviderJobId,
    pollAfterMs: number,
    decision?: Decision,
  ): Promise<AcceptOutcome>;
  /** The call is over, and its answer is not clear. */
  markAmbiguous(attempt: AttemptIn<"sent">, code: string, searchAfterMs: number): Promise<Written>;
  noteLook(attempt: AttemptIn<"sent">, look: Look): Promise<Noted>;
  /** The provider was asked for a claimed job, and did not confirm it. */
  noteClaim(attempt: AttemptIn<"sent">, claim: ClaimLook): Promise<Noted>;
  notePoll(attempt: AttemptIn<"accepted">, poll: Poll): Promise<Noted>;
  noteCancelAsked(attempt: AttemptIn<"accepted">): Promise<Written>;
  markReady(attempt: AttemptIn<"accepted">, cost: MicroCredits | undefined): Promise<Written>;
  noteFetch(attempt: AttemptIn<"ready">, refetch: Refetch): Promise<Noted>;
  /** Ends the attempt, settles and releases its hold, keeps its assets, and ends the task if told: one transaction. */
  end(attempt: LiveAttempt, ending: Ending, assets: readonly AssetStatus[]): Promise<Written>;
  /** Ends a task without a live attempt, registering it if need be. */
  endTask(registration: Registration, end: TaskEnd, decision?: Decision): Promise<Written>;
  park(registration: Registration, parked: Omit<Parked, "at">): Promise<Written>;
  unpark(key: TaskKey, decision?: Decision): Promise<Written>;
  /** Gives the record to another object of the same wish. */
  adopt(registration: Registration): Promise<Written>;
}

/** A late search whose time has come, and whose it is. */
export interface LateDue {
  readonly late: LateSearch;
  /** As the database writes it: to the last digit, to go on after it. */
  readonly nextAt: string;
  /** The database's clock when this was read. */
  readonly now: Date;
  /** Its object may be gone. */
  readonly task: Owner;
}

/**
 * The books of what goes on after an attempt was given up. Each mark is one transaction, fenced as those of `Books`, and a
 * compare-and-set on what was seen: "stale" when somebody else was there.
 */
export interface LateBooks {
  /** The next that are due after this one, the longest due first. Needs no leadership. */
  due(after: LateDue | undefined, atMost: number, signal: AbortSignal): Promise<readonly LateDue[]>;
  /** A visit that found nothing. */
  noteVisit(late: LateSearch, nextAfterMs: number): Promise<Noted>;
  noteClaim(late: LateIn<"searching">, claim: ClaimLook): Promise<Noted>;
  /** "taken": the job stands for another attempt, and nothing was changed. */
  markFound(
    late: LateIn<"searching">,
    jobId: ProviderJobId,
    by: FoundBy,
  ): Promise<Noted | { readonly outcome: "taken" }>;
  noteWatch(late: LateIn<"found">, watch: LateWatch): Promise<Noted>;
  /** Ends the search with the outputs that were kept, and books what the job cost, at most once with whatever a bill says of it. */
  close(
    late: LateSearch,
    close: LateClose,
    assets: readonly AssetStatus[],
  ): Promise<{ readonly outcome: "done"; readonly booked: MicroCredits } | Stale>;
}

export interface LateWatch {
  readonly isCancelAsked: boolean;
  readonly missing: number;
  readonly nextAfterMs: number;
}

/** The GenerationTask objects. */
export interface Tasks {
  /** From the cache, at least as new as this process's own last write of it. Undefined: it does not exist. */
  get(objectKey: string): Task | UnreadableTask | undefined;
  /** Whether an object of this name and UID exists now: a live read, never the cache. */
  exists(namespace: string, name: string, uid: string, signal: AbortSignal): Promise<boolean>;
  /** Writes key and finalizer; false when the object changed under us (look again). */
  pin(task: Task, key: TaskKey, signal: AbortSignal): Promise<boolean>;
  /** Makes the status so, and emits an event when the phase changed. Writes nothing when it is so already. */
  report(task: Task | UnreadableTask, status: TaskStatus, signal: AbortSignal): Promise<void>;
  letGo(task: Task, signal: AbortSignal): Promise<void>;
  remove(task: Task, signal: AbortSignal): Promise<void>;
  /** The input with the values of spec.inputFrom put in. A message naming the Secret and key when one is missing. */
  input(task: Task, signal: AbortSignal): Promise<ResolvedInput>;
}

export type ResolvedInput =
  | { readonly outcome: "resolved"; readonly input: Readonly<Record<string, unknown>> }
  | { readonly outcome: "unavailable"; readonly message: string };

export interface Quotas {
  /** The limits in force for a submit; the last good ones when the ConfigMap is bad now. Fails closed before the first read. */
  admission(provider: string, model: string, namespace: string): Admission | "unknown";
  /** What the namespace may spend; in force and unknown as above. */
  budget(namespace: string): Budget | "unknown";
}

export interface SubmitRequest {
  readonly attemptId: AttemptId;
  readonly model: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** On `performance.now`: nothing leaves for it from then on. Absent for a replay, whose window is the provider's. */
  readonly latestMs?: number;
  /** For the provider's records only. */
  readonly task: { readonly namespace: string; readonly name: string; readonly key: TaskKey };
}

/** What a look needs to know of the submit whose job is sought. */
export type LostSubmit = Pick<AttemptIn<"sent">, "id" | "number" | "model" | "sentAt">;

/** What a query needs to know: the job, and the attempt that it is or may be of. */
export type KnownJob = Pick<AttemptIn<"accepted">, "id" | "number" | "model" | "jobId">;

/** One provider account. No method throws for what a provider or a network does: every ending is an outcome. */
export interface ProviderClient {
  /** One POST, whatever happens. Aborted before a connection existed it is `not-sent`, and from then on ambiguous; never "failed". */
  submit(request: SubmitRequest, signal: AbortSignal): Promise<SubmitOutcome>;
  /** The same request under the same key, for providers that answer a replay with the first job. */
  replay(request: SubmitRequest, signal: AbortSignal): Promise<SubmitOutcome>;
  /** `input` is for likeness with what a list shows, where that is asked for. */
  search(
    method: Exclude<SearchMethod, "replay">,
    attempt: LostSubmit,
    signal: AbortSignal,
    input?: Readonly<Record<string, unknown>>,
  ): Promise<SearchOutcome>;
  query(job: KnownJob, signal: AbortSignal): Promise<QueryOutcome>;
  cancel(job: KnownJob, signal: AbortSignal): Promise<CancelOutcome>;
}

export interface Providers {
  see(name: string, namespace: string): ProviderSeen;
  /** Undefined when it is absent or can't be used. */
  client(name: string): ProviderClient | undefined;
}

export interface FetchOrder {
  readonly attempt: Pick<AttemptIn<"ready">, "id" | "readyAt">;
  readonly task: { readonly key: TaskKey; readonly namespace: string; readonly name: string };
  readonly outputs: readonly Output[];
  readonly limits: {
    readonly maxBytes: number;
    readonly mediaTypes: readonly string[] | undefined;
    readonly minCount: number;
  };
}

export interface Artifacts {
  /**
   * Streams all outputs to staging, verifies them, publishes all or none. Repeating it is safe. What it publishes counts once the books
   * list it; what they do not list when the attempt is over is swept by them.
   */
  fetch(order: FetchOrder, settings: ProviderSettings, signal: AbortSignal): Promise<FetchOutcome>;
}

/** A call that is told of. "confirm" is a query for a job that somebody named; "fetch" is the whole copying of outputs. */
export type Operation = SearchMethod | "submit" | "query" | "confirm" | "cancel" | "fetch";

/** What the pass tells the log and the metrics. Never throws. */
export interface Journal {
  decided(objectKey: string, action: Action["type"], phase: Phase): void;
  called(provider: string, operation: Operation, outcome: OutcomeWord, seconds: number): void;
}

/**
 * Long calls at once in this process. A slot covers one call, never a job. Nobody waits for one: a worker that waited
 * for a slow provider would be lost to all others, so a pass that gets none looks again soon.
 */
export interface Slots {
  /** Undefined: none is free. The answer gives it back. */
  take(kind: "submit" | "fetch", provider: string): (() => void) | undefined;
}

export interface Deps {
  readonly books: Books;
  readonly tasks: Tasks;
  readonly quotas: Quotas;
  readonly providers: Providers;
  readonly artifacts: Artifacts;
  readonly slots: Slots;
  readonly unsent: Unsent;
  readonly journal: Journal;
  readonly policy: Policy;
  /** Resolves after the time, rejects when aborted before. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** In [0, 1). */
  readonly random: () => number;
}
