// The timeline as a list: what happened when, and how long it stayed so.
import { h, makeRows, setAttribute, setText } from "./dom.js";
import { durationText, setTime, timeElement } from "./time.js";

/** @import { Moment } from "./timeline.js" */

export function makeTimeline() {
  const moments = h("ol", { class: "timeline" });
  const show = makeRows(moments, () => {
    const [what, note, stay, time] = [h("strong"), h("span"), h("span", { class: "stay" }), timeElement()];
    const element = h("li", {}, h("div", {}, what, " ", time), note, stay);
    return {
      element,
      /** @param {Moment} moment */
      update: (moment) => {
        setAttribute(element, "data-tone", moment.tone);
        setText(what, moment.what);
        setText(note, moment.note);
        setTime(time, moment.tone === "now" ? undefined : moment.at);
        setText(
          stay,
          moment.untilNextMs === undefined || moment.untilNextMs < 1_000
            ? ""
            : `for ${durationText(moment.untilNextMs)}`,
        );
      },
    };
  });
  const note = h(
    "p",
    { class: "note" },
    "From the task, the operator's events (the cluster keeps them for about an hour) and what this page saw (hollow). Single ledger entries are in the operator's database, which this page can't read.",
  );
  return {
    element: h("section", { class: "card" }, h("h2", {}, "What it went through"), moments, note),
    /** @param {readonly Moment[]} told */
    show: (told) => show(told.map((moment) => [moment.tone === "now" ? "now" : `${moment.at} ${moment.what}`, moment])),
  };
}
