// What the words of a task mean to somebody who reads them: how urgent it is, in which group it stands, and what there is to do.

/** @import { TaskView } from "../tasks/view.ts" */

/** @typedef {"attention" | "waiting" | "running" | "succeeded" | "ended"} Group */

/** In the order in which somebody on call wants to look at them. */
export const GROUPS = /** @type {const} */ ([
  ["attention", "Needs attention"],
  ["waiting", "Waiting"],
  ["running", "Running"],
  ["succeeded", "Succeeded"],
  ["ended", "Ended without result"],
]);

/** Waits that do not end by themselves. */
const BLOCKED = new Set(["InsufficientCredits", "InputUnavailable", "NamespaceNotAllowed", "ProviderNotReady"]);

/** @type {Readonly<Record<TaskView["phase"], Group>>} */
const GROUP_OF_PHASE = {
  Pending: "waiting",
  Submitting: "running",
  SubmitUnknown: "attention",
  Polling: "running",
  Fetching: "running",
  Succeeded: "succeeded",
  Failed: "ended",
  Cancelled: "ended",
  Rejected: "ended",
  NeedsReview: "attention",
};

/**
 * @param {TaskView} task
 * @returns {Group}
 */
export function groupOf({ phase, reason }) {
  return phase === "Pending" && reason !== undefined && BLOCKED.has(reason) ? "attention" : GROUP_OF_PHASE[phase];
}

/** @param {TaskView["phase"]} phase */
export function isFinal(phase) {
  return GROUP_OF_PHASE[phase] === "succeeded" || GROUP_OF_PHASE[phase] === "ended";
}

/** @type {Readonly<Record<string, string>>} */
const HINTS = {
  InsufficientCredits: "Add a CreditGrant in this namespace. The task then goes on by itself.",
  QuotaExhausted: "It goes on by itself when it is its turn. Who runs the platform can raise the provider's quota.",
  ProviderNotReady: "The page of providers says which condition is not met. Nothing is lost meanwhile.",
  InputUnavailable: "Make the Secret and key that the message names. The task then goes on by itself.",
  NamespaceNotAllowed: "Ask who runs the platform to let this namespace use the provider.",
  Suspended: "Nothing new is started until you resume it.",
  SubmitUnknown:
    "The answer was lost on the way. Nothing is sent again until it is known whether the provider has the job.",
  SubmitUnresolved: "Look the job up in the provider's console, then say what you found in spec.resolution.",
  JobStalled: "Look at the provider's console. Wait, or give the job up in spec.resolution.",
  RecordMissing: "A database was restored or swapped. Find out which one is right before anything else.",
  OverCeiling: "Ask again with a higher ceiling.",
  KeyReused: "Ask again under another name.",
  ContentRefused: "Change the input, and ask again.",
  JobRefused: "The code in the message says what the provider did not like. Change the input, and ask again.",
  ModelNotFound: "Choose one of the models that the page of providers lists.",
};

/**
 * What a person can do; undefined when there is nothing to do.
 *
 * @param {TaskView} task
 */
export function hintFor({ reason }) {
  return reason !== undefined && Object.hasOwn(HINTS, reason) ? HINTS[reason] : undefined;
}

/**
 * The name that its author gave it, or the one that it got.
 *
 * @param {TaskView} task
 */
export function titleOf({ id, idempotencyKey }) {
  return idempotencyKey ?? id;
}

/**
 * "" when it is in no line.
 *
 * @param {TaskView} task
 */
export function placeText({ queuePosition }) {
  return queuePosition === undefined ? "" : `#${queuePosition} in line`;
}

/**
 * One short word on money: what was paid, or what is held.
 *
 * @param {TaskView} task
 */
export function creditsText({ credits, phase }) {
  if (credits === undefined) return "";
  const { released, reserved, settled } = credits;
  if (isFinal(phase)) return `${settled} paid`;
  const held = subtract(reserved, settled, released);
  return held === "0" && settled !== "0" ? `${settled} paid` : `${held} held`;
}

const PLACES = 6;

/**
 * Decimal strings of credits, exactly: floats have no business here.
 *
 * @param {string} from
 * @param {...string} amounts
 */
export function subtract(from, ...amounts) {
  const rest = amounts.reduce((sum, amount) => sum - micro(amount), micro(from));
  const digits = String(rest < 0n ? -rest : rest).padStart(PLACES + 1, "0");
  const fraction = digits.slice(-PLACES).replace(/0+$/, "");
  return `${rest < 0n ? "-" : ""}${digits.slice(0, -PLACES)}${fraction && `.${fraction}`}`;
}

/** @param {string} amount */
function micro(amount) {
  const [whole = "0", fraction = ""] = amount.split(".");
  return BigInt(whole + fraction.padEnd(PLACES, "0"));
}
