// The buttons that choose among tasks, each with how many there are.
import { h, makeRows, setAttribute, setText } from "./dom.js";
import { durationText } from "./time.js";
import { GROUPS } from "./words.js";

/** @import { Filter, Listed } from "./task-list.js" */

/** @typedef {{ readonly name: string; readonly label: string; readonly note: string; readonly tone: string; readonly isChosen: boolean }} Chip */

/**
 * @param {string} label
 * @param {(name: string) => void} choose
 */
export function makeChips(label, choose) {
  const element = h("div", { class: "chips", role: "group", "aria-label": label });
  const show = makeRows(element, () => {
    const [text, note] = [h("span"), h("span", { class: "count" })];
    const button = h("button", { type: "button", class: "chip", click: () => choose(button.value) }, text, " ", note);
    return {
      element: button,
      /** @param {Chip} chip */
      update: (chip) => {
        button.value = chip.name;
        setText(text, chip.label);
        setText(note, chip.note);
        setAttribute(button, "data-tone", chip.tone);
        setAttribute(button, "aria-pressed", String(chip.isChosen));
      },
    };
  });
  return {
    element,
    /** @param {readonly Chip[]} chips */
    show: (chips) => {
      show(chips.map((chip) => [chip.name, chip]));
      element.hidden = chips.length === 0;
    },
  };
}

/**
 * @param {Listed} listed
 * @param {Filter} filter
 * @returns {readonly Chip[]}
 */
export function groupChips({ groups }, { group }) {
  return [/** @type {const} */ (["all", "All"]), ...GROUPS].map(([name, label]) => {
    const count = groups.get(name) ?? 0;
    return { name, label, note: String(count), tone: count > 0 ? name : "all", isChosen: group === name };
  });
}

/**
 * @param {Listed} listed
 * @param {Filter} filter
 * @returns {readonly Chip[]}
 */
export function reasonChips({ reasons }, filter) {
  if (filter.group === "all" || filter.group === "succeeded") return [];
  return reasons.map(({ count, oldest, reason }) => {
    const age = oldest === "" ? "" : `, oldest ${durationText(Date.now() - Date.parse(oldest))}`;
    return { name: reason, label: reason, note: `${count}${age}`, tone: "all", isChosen: filter.reason === reason };
  });
}
