// From the fields of the form to a request, or to the one thing that is wrong with them. What else is wrong the server says.
import { h } from "./dom.js";

/** @import { TaskRequest } from "../tasks/request.ts" */

/**
 * A labelled field; the note is read with it.
 *
 * @param {string} label
 * @param {HTMLElement & { name: string }} control
 * @param {{ readonly note?: HTMLElement }} [more]
 */
export function field(label, control, { note } = {}) {
  control.id = `field-${control.name}`;
  if (note) {
    note.id = `note-${control.name}`;
    control.setAttribute("aria-describedby", note.id);
  }
  return h("div", { class: "field" }, h("label", { for: control.id }, label), control, note);
}

/**
 * @param {FormData} form
 * @returns {{ readonly request: TaskRequest; readonly key: string } | { readonly problem: string; readonly field: string }}
 */
export function readForm(form) {
  const text = (/** @type {string} */ name) => {
    const value = form.get(name);
    return typeof value === "string" ? value.trim() : "";
  };
  const input = readInput(text("prompt"), text("input"));
  if (typeof input === "string") return { problem: input, field: "input" };
  if (text("model") === "") return { problem: "Choose a provider and a model.", field: "provider" };
  if (text("key") === "") return { problem: "Give it a name.", field: "key" };
  if (Object.keys(input).length === 0) return { problem: "Write a prompt, or some other input.", field: "prompt" };
  const maxCredits = text("maxCredits");
  const request = {
    providerRef: { name: text("provider") },
    model: text("model"),
    input,
    ...(maxCredits !== "" && { maxCredits }),
    ...(text("maxAttempts") !== "" && { retryPolicy: { maxAttempts: Number(text("maxAttempts")) } }),
    unknownPolicy: /** @type {"Fail" | "Hold" | "Resubmit"} */ (text("unknownPolicy") || "Hold"),
  };
  return { request, key: text("key") };
}

/**
 * A sentence when it can't be read.
 *
 * @param {string} prompt
 * @param {string} other
 * @returns {Record<string, unknown> | string}
 */
function readInput(prompt, other) {
  /** @type {unknown} */
  let more = {};
  try {
    if (other !== "") more = JSON.parse(other);
  } catch {
    return "The other input is not JSON.";
  }
  if (typeof more !== "object" || more === null || Array.isArray(more))
    return "The other input must be a JSON object, in { and }.";
  return { ...(prompt !== "" && { prompt }), ...more };
}
