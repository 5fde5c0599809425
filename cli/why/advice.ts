// What a person does next, for every reason that a task can have: one table, which a test holds to the catalogue of reasons. Pure.
// Whoever reads this was woken by it: it says what to do, or that nothing has to be done, and the command for it.
import { isFinal, type Phase } from "../../operator/task/phase.ts";
import type { Reason } from "../../operator/task/reasons.ts";

export interface About {
  readonly name: string;
  readonly namespace: string;
  readonly phase: Phase;
  readonly reason: string | undefined;
  readonly provider: string;
  readonly jobID: string | undefined;
  /** The newest attempt's id: the reference that the provider was given. */
  readonly attemptID: string | undefined;
}

export interface Advice {
  readonly sentence: string;
  /** To be typed as they are, or with what is in capitals filled in. */
  readonly commands: readonly string[];
}

const NOTHING = "Nothing: the operator goes on by itself.";
const NEW_TASK = "this one has ended and stays as it is";

export function adviceFor(about: About): Advice {
  const { reason } = about;
  const known = reason !== undefined && Object.hasOwn(BY_REASON, reason) ? BY_REASON[reason as Reason] : undefined;
  return known?.(about) ?? adviceForPhase(about.phase);
}

/** For reasons that this version does not know. */
export function adviceForPhase(phase: Phase): Advice {
  if (phase === "Succeeded") return say("Get the assets.");
  if (phase === "NeedsReview") return say("Decide what happened at the provider; docs/guide/README.md says how.");
  return say(isFinal(phase) ? `Read the message above; ${NEW_TASK}. Mend its cause, and submit a new one.` : NOTHING);
}

type Advise = (about: About) => Advice;

const say = (sentence: string, ...commands: readonly string[]): Advice => ({ sentence, commands });
const always =
  (sentence: string): Advise =>
  () =>
    say(sentence);
const genop = (verb: string, { name, namespace }: About, more = ""): string =>
  `kubectl genop ${verb} ${name} -n ${namespace}${more}`;
const showProvider = ({ provider }: About): string => `kubectl describe gp ${provider}`;
const mendAndSubmit = (what: string): Advise => always(`${what}, and submit a new task: ${NEW_TASK}.`);

const jobOf = ({ jobID }: About): string => (jobID === undefined ? "the job" : `job ${jobID}`);
const askProvider: Advise = (about) =>
  say(`Ask the provider about ${jobOf(about)}, then submit a new task if its result is still wanted: ${NEW_TASK}.`);

const decide: Advise = (about) => {
  const { attemptID, phase } = about;
  if (phase !== "NeedsReview") {
    return say(
      `Look in the provider's console whether a job was made: if so, it is paid for there. Submit a new task if the result is still wanted: ${NEW_TASK}.`,
    );
  }
  const reference = attemptID === undefined ? "" : ` or the reference ${attemptID}`;
  return say(
    `Look in the provider's console for a job of this task, by the time of the submit${reference}. Then say what is there: the job's id, or that there is certainly none (a new one is then paid for). Write it off only if nobody will ever know.`,
    genop("resolve", about, " --bind-job JOB_ID"),
    genop("resolve", about, " --not-created"),
    genop("resolve", about, " --write-off"),
  );
};

const BY_REASON: Readonly<Record<Reason, Advise>> = {
  Accepted: always(NOTHING),
  Suspended: (about) =>
    say(
      "Let it go on, if nobody holds it on purpose.",
      `kubectl patch gt ${about.name} -n ${about.namespace} --type=merge -p '{"spec":{"suspend":false}}'`,
    ),
  InsufficientCredits: (about) =>
    say(
      "Add credits to the namespace with a CreditGrant, or wait until other tasks give some back.",
      `kubectl genop credits -n ${about.namespace}`,
    ),
  BudgetExhausted: (about) =>
    say(
      "Nothing: it goes on when the day or month of the budget ends. If it should go on before, raise _budgets in the ConfigMap genop-quota.",
      `kubectl genop credits -n ${about.namespace}`,
    ),
  QuotaExhausted: (about) =>
    say(
      "Nothing: its turn comes. If it should go faster, raise this provider's entry in the ConfigMap genop-quota.",
      `kubectl genop list -n ${about.namespace} --provider ${about.provider}`,
    ),
  ProviderNotReady: (about) =>
    say(
      "Mend the GenerationProvider: its conditions name the field, the Secret or the quota entry.",
      showProvider(about),
    ),
  RetryLater: (about) =>
    say(
      "Nothing, if it goes on at the time above. If it keeps coming back, look whether the provider refuses the credential.",
      showProvider(about),
    ),
  Held: always(NOTHING),
  Submitting: always(NOTHING),
  SubmitUnknown: always(
    "Nothing: the operator looks for the job and submits nothing before it knows. If it never finds out, it asks a person.",
  ),
  Accepting: always(NOTHING),
  Running: (about) =>
    say(
      "Nothing: the job runs. Cancel it if it is not wanted any more; a finished job stays paid.",
      genop("cancel", about),
    ),
  Cancelling: always("Nothing: it ends when the provider confirms. What the job cost by then is paid."),
  JobMissing: (about) =>
    say(
      `Nothing yet: it ends as JobLost if it stays so. Meanwhile you can look for ${jobOf(about)} in the provider's console.`,
    ),
  OutputMissing: (about) =>
    isFinal(about.phase) ? askProvider(about) : say("Nothing yet: the provider is asked again before it is believed."),
  Fetching: always(NOTHING),
  AssetsPublished: (about) => say("Get the assets.", genop("assets get", about)),
  JobFailed: mendAndSubmit("Read the provider's own word in the message, mend the input if it is to blame"),
  JobRefused: mendAndSubmit(
    "Mend the input, or the expressions of the GenerationProvider: the code is in the message. Nothing was created or paid",
  ),
  ContentRefused: mendAndSubmit("Change the input: the provider does not make this"),
  JobLost: askProvider,
  NeverCreated: (about) =>
    say(
      `Look at the provider's conditions and at the network, then submit a new task: ${NEW_TASK}. Nothing was created or paid.`,
      showProvider(about),
    ),
  OutputExpired: (about) =>
    say(
      `Compare spec.outputs.ttlSeconds of the provider with how long it really keeps outputs; then submit a new task: ${NEW_TASK}.`,
      showProvider(about),
    ),
  OutputUnusable: mendAndSubmit("Read which output failed which check, mend spec.output or the input"),
  FetchFailed: mendAndSubmit("Look up the code of the message in docs/reference/faults.md, mend what it names"),
  DeadlineExceeded: mendAndSubmit(
    "Give the next one a longer spec.activeDeadlineSeconds, or find in the phases above where the time went",
  ),
  CancelledByUser: always("Nothing: it ended as asked."),
  CancelledByProvider: askProvider,
  Deleted: always("Nothing: it ended because its object was deleted."),
  SubmitUnresolved: decide,
  JobStalled: (about) =>
    say(
      `Look at ${jobOf(about)} in the provider's console. If it still runs, wait or cancel it there: the operator notices its end. If nobody wants it any more, write it off; it is then charged as estimated.`,
      genop("resolve", about, " --write-off"),
    ),
  RecordMissing: (about) =>
    say(
      `Do not decide this task by itself: find out first whether the database was restored, or is another one (docs/guide/restore.md). If the database is to stay as it is, look up ${jobOf(about)} at the provider and bind it.`,
      genop("resolve", about, " --bind-job JOB_ID"),
    ),
  WrittenOff: always(`Nothing: a person gave it up. Submit a new task if the result is still wanted; ${NEW_TASK}.`),
  LateJobFound: always(
    "Nothing: a job that turned up late is brought to its end by the operator, and the platform pays for it.",
  ),
  LateJobOver: always("Nothing: the job that turned up late is over, and the platform paid for it."),
  ProviderNotFound: mendAndSubmit("Make the GenerationProvider, or name one that is there (kubectl genop providers)"),
  NamespaceNotAllowed: (about) =>
    say(
      `Ask whoever runs the provider to let this namespace in (spec.allowedNamespaces)${isFinal(about.phase) ? `; then submit a new task: ${NEW_TASK}` : ""}.`,
      showProvider(about),
    ),
  ModelNotFound: mendAndSubmit("Name a model that is in spec.models of the provider"),
  OverCeiling: mendAndSubmit("Raise spec.maxCredits, or ask for less"),
  DuplicateKey: always(
    `Look at the other task, which the message names: it is the same wish. Nothing was paid for this one; ${NEW_TASK}.`,
  ),
  KeyReused: mendAndSubmit("Use another spec.idempotencyKey: this one stands for another wish"),
  ForeignKey: mendAndSubmit("Leave out the annotation genop.dev/task-key, which was copied from another task"),
  NotSupported: mendAndSubmit("Leave out the field that the message names: this operator does not serve it"),
  InputUnavailable: (about) =>
    say(
      "Make the Secret, or its key, that the message names: the task then goes on by itself.",
      `kubectl get secrets -n ${about.namespace}`,
    ),
  TaskUnreadable: mendAndSubmit("Mend the field that the message names"),
};
