// The way in: a token that is pasted, and perhaps a namespace.
import { h } from "./dom.js";
import { field } from "./request.js";

/** @import { Session } from "./session.js" */
/** @import { View } from "./view.js" */

/**
 * @param {{ readonly namespace: string; readonly problem: string; readonly signIn: (session: Session) => void }} options
 * @returns {View}
 */
export function makeSignInView({ namespace, problem, signIn }) {
  const token = h("input", { name: "token", type: "password", autocomplete: "off", required: true });
  const place = h("input", {
    name: "namespace",
    value: namespace,
    autocomplete: "off",
    spellcheck: "false",
    autocapitalize: "off",
    placeholder: "the token's own",
  });
  const element = h(
    "section",
    { class: "narrow", "aria-labelledby": "view-title" },
    h("h1", { id: "view-title", tabindex: -1 }, "Sign in"),
    problem !== "" && h("p", { class: "problem", role: "alert" }, problem),
    h(
      "form",
      {
        class: "card",
        submit: (event) => {
          event.preventDefault();
          const given = token.value.replaceAll(/\s/g, "").replace(/^Bearer/i, "");
          if (given === "") token.focus();
          else signIn({ token: given, namespace: place.value.trim() });
        },
      },
      field("Token", token, {
        note: h(
          "small",
          {},
          "A token of the cluster, for example from ",
          h("code", {}, "kubectl -n NAMESPACE create token NAME"),
          ". It stays in this tab, and is forgotten with it.",
        ),
      }),
      field("Namespace", place),
      h("div", { class: "actions" }, h("button", { type: "submit", class: "primary" }, "Sign in")),
    ),
  );
  return { element, title: "Sign in" };
}
