// The sign that says whether what is shown is live.
import { byId, setAttribute, setText } from "./dom.js";
import { durationText } from "./time.js";

/** @import { Connection } from "./live.js" */

const WORDS = { connecting: "Connecting …", live: "Live", lost: "Not live", refused: "Signed out" };

/** @param {(text: string) => void} announce */
export function makeConnectionSign(announce) {
  const sign = byId("connection");
  const text = byId("connection-text");
  let told = "";
  /** @type {Connection} */
  let now = { state: "connecting" };
  function show() {
    const wait = now.state === "lost" ? `, again in ${durationText(now.untilMs - Date.now() + 999)}` : "";
    setText(text, `${WORDS[now.state]}${wait}`);
    setAttribute(sign, "data-state", now.state);
  }
  setInterval(show, 1_000);
  return {
    /** @param {Connection} connection */
    show: (connection) => {
      now = connection;
      show();
      const isLive = now.state === "live";
      // Only what changes the meaning of the page is read aloud, not each try.
      if (isLive && told === "lost") announce("The page is live again.");
      if (now.state === "lost" && told !== "lost") announce("The connection is lost. What is shown may be old.");
      if (isLive || now.state === "lost") told = now.state;
    },
  };
}
