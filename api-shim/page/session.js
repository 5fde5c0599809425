// Who reads the page: a token and a namespace, for as long as this tab is open. Never in an address, a cookie or what other tabs see.

/**
 * @typedef {object} Session
 * @property {string} token
 * @property {string} namespace "" for the token's own.
 */

const KEY = "genop.session";

/** @returns {Session | undefined} */
export function savedSession() {
  try {
    const saved = /** @type {unknown} */ (JSON.parse(sessionStorage.getItem(KEY) ?? "null"));
    const { namespace, token } = /** @type {Partial<Session>} */ (saved ?? {});
    return typeof token === "string" && typeof namespace === "string" ? { token, namespace } : undefined;
  } catch {
    return undefined;
  }
}

/** @param {Session} session */
export function saveSession(session) {
  sessionStorage.setItem(KEY, JSON.stringify(session));
}

export function forgetSession() {
  sessionStorage.removeItem(KEY);
}
