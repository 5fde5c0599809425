// The providers that serve the namespace: whether they work, how much is going on there, and what they cost.
import { fill, h } from "./dom.js";
import { priceText } from "./new-view.js";
import { timeElement } from "./time.js";
import { problemElement, refreshing } from "./view.js";

/** @import { ProviderReply } from "../routes/providers.ts" */
/** @import { Context, View } from "./view.js" */

/**
 * @param {Context} context
 * @returns {View}
 */
export function makeProvidersView({ api }) {
  const cards = h("div", { class: "cards" });
  const title = h("h1", { id: "view-title", tabindex: -1 }, "Providers");
  let shown = "";
  const close = refreshing(async () => {
    try {
      const providers = await api.providers();
      const text = JSON.stringify(providers);
      if (text !== shown) fill(cards, ...(providers.length === 0 ? [NONE()] : providers.map(card)));
      shown = text;
    } catch (error) {
      shown = "";
      fill(cards, problemElement(error));
    }
  });
  const element = h("section", { "aria-labelledby": "view-title" }, title, cards);
  return { element, title: "Providers", close };
}

const NONE = () => h("p", { class: "empty" }, "No provider serves this namespace.");

/** @param {ProviderReply} provider */
function card({ conditions, inFlight, models, name, ready, waiting }) {
  return h(
    "section",
    { class: "card" },
    h(
      "div",
      { class: "title" },
      h("h2", {}, name),
      h("span", { class: "phase", "data-tone": ready ? "succeeded" : "attention" }, ready ? "Ready" : "Not ready"),
    ),
    h(
      "p",
      { class: "figures" },
      h("span", {}, h("b", {}, inFlight ?? "–"), " in flight"),
      h("span", {}, h("b", {}, waiting ?? "–"), " waiting"),
    ),
    conditions.length === 0 && h("p", { class: "problem" }, "The operator has not looked at it yet."),
    h("ul", { class: "conditions" }, ...conditions.map(condition)),
    h(
      "table",
      {},
      h("caption", {}, "Models, and the credits that are held"),
      h(
        "tbody",
        {},
        ...models.map((model) => h("tr", {}, h("th", { scope: "row" }, model.name), h("td", {}, priceText(model)))),
      ),
    ),
  );
}

/** @param {ProviderReply["conditions"][number]} condition */
function condition({ message, reason, since, status, type }) {
  const tone = status === "True" ? "succeeded" : "attention";
  return h(
    "li",
    { "data-tone": tone },
    h("strong", {}, `${type}: ${status}`),
    " ",
    timeElement(since),
    h("span", {}, `${reason}: ${message}`),
  );
}
