// The namespace's account, as far as the cluster tells it. The balance is in the operator's books, and is not made up here.
import { fill, h } from "./dom.js";
import { timeElement } from "./time.js";
import { problemElement, refreshing } from "./view.js";

/** @import { CreditsReply } from "../routes/credits.ts" */
/** @import { Context, View } from "./view.js" */

/**
 * @param {Context} context
 * @returns {View}
 */
export function makeAccountView({ api }) {
  const place = h("div", { class: "stack" });
  let shown = "";
  const close = refreshing(async () => {
    try {
      const credits = await api.credits();
      const text = JSON.stringify(credits);
      if (text !== shown) fill(place, ...contents(credits));
      shown = text;
    } catch (error) {
      shown = "";
      fill(place, problemElement(error));
    }
  });
  const title = h("h1", { id: "view-title", tabindex: -1 }, "Account");
  return { element: h("section", { "aria-labelledby": "view-title" }, title, place), title: "Account", close };
}

/** @param {CreditsReply} credits */
function contents({ granted, grants, held, released, reserved, settled, tasks }) {
  const figures = /** @type {const} */ ([
    ["Granted", granted, "by the grants that are booked"],
    ["Held now", held, "for tasks that have not ended"],
    ["Paid", settled, `for ${tasks} tasks that are there`],
    ["Given back", released, `of ${reserved} held in all`],
  ]);
  return [
    h(
      "dl",
      { class: "sums" },
      ...figures.map(([name, amount, note]) =>
        h("div", { class: "card" }, h("dt", {}, name), h("dd", {}, amount, " ", h("small", {}, note))),
      ),
    ),
    h(
      "p",
      { class: "note" },
      "Added up over the objects that are there now. Tasks and grants that were deleted are not in it, so this is no balance; the balance is in the operator's database, which this page can't read.",
    ),
    h(
      "section",
      { class: "card" },
      h("h2", {}, "Grants"),
      grants.length === 0 ? h("p", { class: "empty" }, "No grant is there.") : grantTable(grants),
    ),
  ];
}

/** @param {CreditsReply["grants"]} grants */
function grantTable(grants) {
  const heads = ["Grant", "Credits", "Booked", "Why", "Made"].map((head) => h("th", { scope: "col" }, head));
  const rows = grants.map(({ applied, createdAt, credits, name, reason }) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, name),
      h("td", {}, credits),
      h("td", {}, applied ? "yes" : "not yet"),
      h("td", {}, reason),
      h("td", {}, timeElement(createdAt)),
    ),
  );
  return h("div", { class: "wide" }, h("table", {}, h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...rows)));
}
