// What is known of one task, as names and values.
import { fill, h, makeRows, setText } from "./dom.js";
import { setTime, timeElement } from "./time.js";
import { subtract } from "./words.js";

/** @import { TaskView } from "../tasks/view.ts" */

/** @typedef {readonly [string, string | undefined]} Fact */

/** @param {string} title */
export function makeFacts(title) {
  const entries = h("dl", {});
  const show = makeRows(entries, () => {
    const [name, value] = [h("dt"), h("dd")];
    const time = timeElement();
    return {
      element: h("div", {}, name, value),
      /** @param {Fact} fact */
      update: ([label, text = ""]) => {
        setText(name, label);
        if (TIMES.has(label)) {
          if (time.parentElement === null) fill(value, time);
          setTime(time, text);
        } else setText(value, text);
      },
    };
  });
  return {
    element: h("section", { class: "card" }, h("h2", {}, title), entries),
    /** @param {readonly Fact[]} facts */
    show: (facts) =>
      show(facts.filter(([, value]) => value !== undefined && value !== "").map((fact) => [fact[0], fact])),
  };
}

const TIMES = new Set(["Asked for", "Looks again", "Ended"]);

/**
 * @param {TaskView} task
 * @returns {readonly Fact[]}
 */
export function moneyOf({ credits }) {
  if (credits === undefined) return [["Held", "nothing yet"]];
  const { released, reserved, settled } = credits;
  return [
    ["Held now", subtract(reserved, settled, released)],
    ["Paid", settled],
    ["Given back", released],
    ["Held in all", reserved],
  ];
}

/**
 * @param {TaskView} task
 * @returns {readonly Fact[]}
 */
export function factsOf(task) {
  const { attempt, completionTime, createdAt, id, model, nextActionTime, provider, providerJobID } = task;
  return [
    ["Looks again", completionTime === undefined ? nextActionTime : undefined],
    ["Provider", provider],
    ["Model", model],
    ["Attempt", attempt ? String(attempt) : undefined],
    ["Job at the provider", providerJobID],
    ["Asked for", createdAt],
    ["Ended", completionTime],
    ["Object", id],
  ];
}
