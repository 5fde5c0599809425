// The page: joins session, stream, store and the view that the address names. Knows none of them from inside.
import { makeAccountView } from "./account-view.js";
import { makeApi } from "./api.js";
import { makeConnectionSign } from "./connection.js";
import { byId, fill, setAttribute, setText } from "./dom.js";
import { follow } from "./live.js";
import { makeNewView } from "./new-view.js";
import { placeOf } from "./place.js";
import { makeProvidersView } from "./providers-view.js";
import { forgetSession, savedSession, saveSession } from "./session.js";
import { makeSignInView } from "./sign-in-view.js";
import { makeStore } from "./store.js";
import { everything } from "./task-list.js";
import { makeTaskView } from "./task-view.js";
import { makeTasksView } from "./tasks-view.js";
import { startTicking } from "./time.js";
import { refusalText } from "./view.js";

/** @import { Refusal } from "./api.js" */
/** @import { Place } from "./place.js" */
/** @import { Session } from "./session.js" */
/** @import { Context, View } from "./view.js" */

/** How often views are drawn anew, at most: a burst of a thousand events is one picture. */
const DRAW_MS = 150;

const main = byId("main");
const announce = (/** @type {string} */ text) => setText(byId("announcer"), text);
const sign = makeConnectionSign(announce);
/** @type {View | undefined} */
let view;
/** @type {{ readonly session: Session; readonly context: Context; readonly end: () => void } | undefined} */
let open;

/** @param {View} next */
function show(next) {
  view?.close?.();
  const isFirst = view === undefined;
  view = next;
  fill(main, next.element);
  document.title = `${next.title} · Generation tasks`;
  // A new view is where the reader now is; the first one is where he came to anyhow.
  if (!isFirst) document.getElementById("view-title")?.focus();
}

/**
 * @param {Context} context
 * @param {Place} place
 */
function viewOf(context, place) {
  switch (place.view) {
    case "account":
      return makeAccountView(context);
    case "new":
      return makeNewView(context);
    case "providers":
      return makeProvidersView(context);
    case "task":
      return makeTaskView(context, place.id);
    case "tasks":
      return makeTasksView(context);
  }
}

function navigate() {
  const place = placeOf(location.hash);
  for (const link of document.querySelectorAll("#navigation a")) {
    const isHere = link.getAttribute("href") === `#/${place.view === "task" ? "tasks" : place.view}`;
    setAttribute(link, "aria-current", isHere ? "page" : undefined);
  }
  if (open === undefined) return;
  if (isElsewhere(place)) signIn({ token: open.session.token, namespace: place.namespace });
  else show(viewOf(open.context, place));
}

/**
 * A link into another namespace is followed there, with the same token; until the server told where we are, nothing is elsewhere.
 *
 * @param {Place} place
 * @returns {place is Extract<Place, { readonly view: "task" }>}
 */
function isElsewhere(place) {
  const here = byId("namespace").textContent;
  return place.view === "task" && here !== "" && place.namespace !== here;
}

/** @param {string} namespace */
function arrive(namespace) {
  setText(byId("namespace"), namespace);
  if (isElsewhere(placeOf(location.hash))) navigate();
}

/** @param {Session} session */
function signIn(session) {
  open?.end();
  saveSession(session);
  setText(byId("namespace"), session.namespace);
  document.body.dataset.signedIn = "true";
  const api = makeApi(session);
  const store = makeStore(() => new Date());
  const end = follow(
    api,
    (event) => {
      store.apply(event);
      if (event.event === "tasks") arrive(namespaceOf(event.data));
    },
    (connection) => {
      sign.show(connection);
      if (connection.state === "refused") signOut(connection.refusal);
    },
  );
  store.onChange(atMostEvery(DRAW_MS, () => view?.update?.()));
  open = { session, context: { api, store, announce, filter: everything() }, end };
  navigate();
}

/** @param {Refusal} [refusal] */
function signOut(refusal) {
  const place = placeOf(location.hash);
  const namespace = open?.session.namespace ?? (place.view === "task" ? place.namespace : "");
  open?.end();
  open = undefined;
  forgetSession();
  delete document.body.dataset.signedIn;
  setText(byId("namespace"), "");
  show(makeSignInView({ namespace, problem: refusal === undefined ? "" : refusalText(refusal), signIn }));
}

/** @param {string} data */
function namespaceOf(data) {
  const told = /** @type {unknown} */ (JSON.parse(data));
  return /** @type {{ readonly namespace: string }} */ (told).namespace;
}

/**
 * @param {number} ms
 * @param {() => void} run
 */
function atMostEvery(ms, run) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      run();
    }, ms);
  };
}

addEventListener("hashchange", navigate);
byId("skip").addEventListener("click", (event) => {
  event.preventDefault(); // the hash says where we are
  main.focus();
});
byId("sign-out").addEventListener("click", () => signOut());
startTicking();
const saved = savedSession();
if (saved === undefined) signOut();
else signIn(saved);
