// Why a wish can never be carried out, in the words that its author reads.
import { MINUTE, NOON, after, seen, task } from "../../builders/seen.ts";
import { table } from "./decision-table.ts";

const CALLBACK = { url: "https://hook.example/", secretRef: { name: "a", key: "b" }, events: ["Succeeded"] };
const rejects = (
  reason: string,
  message: string,
): { readonly type: "end-task" } & Readonly<Record<string, unknown>> => ({
  type: "end-task",
  end: { phase: "Rejected", reason, message },
});

table("a wish that can never be carried out says why", [
  {
    when: "no provider of that name came",
    seen: seen({ provider: { state: "absent" }, now: after(NOON, MINUTE) }),
    then: rejects("ProviderNotFound", 'spec.providerRef.name names no GenerationProvider: "acme"'),
  },
  {
    when: "the provider is not for this namespace",
    seen: seen({ provider: { state: "not-allowed" } }),
    then: rejects(
      "NamespaceNotAllowed",
      'provider "acme" does not serve this namespace: see its spec.allowedNamespaces',
    ),
  },
  {
    when: "the model is none of the provider's",
    seen: seen({ task: task({ wish: { model: "other" } }) }),
    then: rejects("ModelNotFound", 'provider "acme" has no model "other"'),
  },
  {
    when: "it is too dear",
    seen: seen({ task: task({ wish: { maxCredits: "0.09" } }) }),
    then: rejects("OverCeiling", "the estimate of 0.1 credits is over spec.maxCredits, 0.09"),
  },
  {
    when: "nobody would call back",
    seen: seen({ task: task({ wish: { callback: CALLBACK } }) }),
    then: rejects(
      "NotSupported",
      "cannot serve spec.callback: no callback sender is configured; leave it out and watch the task",
    ),
  },
  {
    when: "nobody would moderate",
    seen: seen({ task: task({ wish: { moderation: { profile: "strict" } } }) }),
    then: rejects(
      "NotSupported",
      'cannot serve spec.moderation.profile: the operator\'s configuration has no profile "strict"',
    ),
  },
  {
    when: "its class is not known",
    seen: seen({ task: task({ wish: { slaClass: "constructor" } }) }),
    then: rejects(
      "NotSupported",
      'cannot serve spec.slaClass: the operator\'s configuration has no class "constructor"',
    ),
  },
]);
