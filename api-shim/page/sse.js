// Server-sent events from text as it comes in pieces. EventSource would do it, but can't send a token.

/**
 * @typedef {object} ServerEvent
 * @property {string} event
 * @property {string} data
 * @property {string | undefined} id Undefined: the one before stays.
 */

/** An event is at most a task, or the ids of all of them. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

/**
 * Takes pieces, and tells each whole event. Throws when one does not end.
 *
 * @param {(event: ServerEvent) => void} tell
 * @returns {(piece: string) => void}
 */
export function makeEventParser(tell) {
  let rest = "";
  return (piece) => {
    const blocks = (rest + piece).split("\n\n");
    rest = blocks.pop() ?? "";
    if (rest.length > MAX_CHARACTERS) throw new Error("cannot read the stream: an event does not end");
    for (const block of blocks) {
      const event = eventOf(block);
      if (event !== undefined) tell(event);
    }
  };
}

/**
 * Undefined for a comment, or for what only sets a time.
 *
 * @param {string} block
 * @returns {ServerEvent | undefined}
 */
function eventOf(block) {
  /** @type {Map<string, string>} */
  const fields = new Map();
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ""));
  }
  const data = fields.get("data");
  return data === undefined ? undefined : { event: fields.get("event") ?? "message", data, id: fields.get("id") };
}
