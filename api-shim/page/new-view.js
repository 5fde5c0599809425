// The form that asks for a generation. One key for each filled form, kept until the task is there: sending again after a lost answer
// is the same wish.
import { h, fill, setText } from "./dom.js";
import { taskHash } from "./place.js";
import { field, readForm } from "./request.js";
import { problemElement, refusalText } from "./view.js";

/** @import { ProviderReply } from "../routes/providers.ts" */
/** @import { TaskRequest } from "../tasks/request.ts" */
/** @import { Refusal } from "./api.js" */
/** @import { Context, View } from "./view.js" */

/**
 * @param {Context} context
 * @returns {View}
 */
export function makeNewView({ api, announce, store }) {
  const choice = makeChoice();
  const problem = h("div");
  const send = h("button", { type: "submit", class: "primary" }, "Ask for it");
  const form = h(
    "form",
    { class: "card", submit, novalidate: true },
    ...fieldsOf(choice),
    problem,
    h("div", { class: "actions" }, send),
  );
  setValue(form, "key", suggestedKey());

  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    const read = readForm(new FormData(form));
    problem.replaceChildren();
    if ("problem" in read) refuse(read.problem, read.field);
    else void create(read);
  }
  /** @param {{ readonly request: TaskRequest; readonly key: string }} read */
  async function create(read) {
    send.disabled = true;
    try {
      const task = await api.create(read.request, read.key);
      store.put(task);
      announce("The task is accepted.");
      location.hash = taskHash(task.namespace, task.id);
    } catch (error) {
      refuse(refusalText(error), undefined, /** @type {Refusal} */ (error));
    } finally {
      send.disabled = false;
    }
  }
  /** @type {(text: string, name: string | undefined, refusal?: Refusal) => void} */
  function refuse(text, name, refusal) {
    const errors = refusal?.errors ?? [];
    fill(
      problem,
      h("p", { class: "problem", role: "alert" }, text),
      errors.length > 0 &&
        h("ul", {}, ...errors.map(({ detail, pointer }) => h("li", {}, h("code", {}, pointer), ` ${detail}`))),
    );
    const wrong = name === undefined ? null : form.elements.namedItem(name);
    if (wrong instanceof HTMLElement) wrong.focus();
  }

  api.providers().then(choice.show, (/** @type {unknown} */ error) => fill(problem, problemElement(error)));
  const title = h("h1", { id: "view-title", tabindex: -1 }, "New task");
  return {
    element: h("section", { class: "narrow", "aria-labelledby": "view-title" }, title, form),
    title: "New task",
  };
}

/**
 * @param {HTMLFormElement} form
 * @param {string} name
 * @param {string} value
 */
function setValue(form, name, value) {
  const control = form.elements.namedItem(name);
  if (control instanceof HTMLInputElement) control.value = value;
}

/** @param {ReturnType<typeof makeChoice>} choice */
function fieldsOf({ model, note, price, provider }) {
  return [
    h("div", { class: "pair" }, field("Provider", provider, { note }), field("Model", model, { note: price })),
    field("Prompt", h("textarea", { name: "prompt", rows: 4 })),
    field("Name", h("input", { name: "key", autocomplete: "off", maxlength: 128 }), {
      note: h(
        "small",
        {},
        "Unique in the namespace, such as an order number. The same name again is the same wish, and is not paid for twice.",
      ),
    }),
    field(
      "Ceiling",
      h("input", { name: "maxCredits", inputmode: "decimal", autocomplete: "off", placeholder: "none" }),
      {
        note: h("small", {}, "In credits. A task whose estimate is above it is rejected before anything is paid."),
      },
    ),
    h(
      "details",
      {},
      h("summary", {}, "More"),
      field(
        "Other input, as JSON",
        h("textarea", { name: "input", rows: 4, spellcheck: "false", placeholder: '{"num_outputs": 2}' }),
      ),
      field(
        "Attempts that may be paid for",
        h("input", { name: "maxAttempts", type: "number", min: 1, max: 10, value: 1 }),
      ),
      field(
        "When the provider's answer is lost and can't be found out",
        h(
          "select",
          { name: "unknownPolicy" },
          h("option", { value: "Hold" }, "Hold: a person decides"),
          h("option", { value: "Fail" }, "Fail: give it up"),
          h("option", { value: "Resubmit" }, "Resubmit: send it again, and perhaps pay twice"),
        ),
      ),
    ),
  ];
}

/** Provider and model, as far as the namespace may use them. */
function makeChoice() {
  const provider = h("select", { name: "provider", change: chosen });
  const model = h("select", { name: "model", change: priced });
  const [note, price] = [h("small"), h("small")];
  /** @type {readonly ProviderReply[]} */
  let providers = [];

  const current = () => providers.find(({ name }) => name === provider.value);
  function chosen() {
    const found = current();
    fill(model, ...(found?.models ?? []).map(({ name }) => h("option", { value: name }, name)));
    setText(note, found === undefined || found.ready ? "" : "Not ready: the task waits until it is.");
    priced();
  }
  function priced() {
    const text = priceText(current()?.models.find(({ name }) => name === model.value));
    setText(price, text === "" ? "" : `Held before the submit: ${text}`);
  }
  return {
    ...{ provider, model, note, price },
    /** @param {readonly ProviderReply[]} told */
    show: (told) => {
      providers = told;
      fill(
        provider,
        ...told.map(({ name, ready }) => h("option", { value: name }, ready ? name : `${name} (not ready)`)),
      );
      chosen();
      if (told.length === 0) setText(note, "No provider serves this namespace. Ask who runs the platform.");
    },
  };
}

/** @param {ProviderReply["models"][number] | undefined} model */
export function priceText(model) {
  const { perOutput, perRequest, perSecond } = model?.price ?? {};
  const parts = [
    perRequest !== undefined && `${perRequest} a request`,
    perOutput !== undefined && `${perOutput} an output`,
    perSecond !== undefined && `${perSecond} a second`,
  ].filter(Boolean);
  return parts.join(" + ");
}

function suggestedKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(6));
  return `page-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
