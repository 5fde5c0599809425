// Books a CreditGrant, and turns the ledger's answer into the grant controller's words.
import type { GrantOutcome, Grant } from "../kube/grants-controller.ts";
import type { Metrics } from "../observe/metrics.ts";
import { credits } from "./meters.ts";
import type { Grants } from "../postgres/grants.ts";
import { unreachable } from "../task/unreachable.ts";

export function applyGrantWith(
  grants: Grants,
  metrics: Pick<Metrics, "count">,
): (grant: Grant, signal: AbortSignal) => Promise<GrantOutcome> {
  return async (grant, signal) => {
    const booked = await grants.apply(grant, signal);
    switch (booked.outcome) {
      case "applied":
        metrics.count("credits", { kind: "granted" }, credits(grant.amount));
        return { outcome: "applied", transactionId: booked.transactionId };
      case "already":
        return { outcome: "applied", transactionId: booked.transactionId };
      case "other-input":
        return {
          outcome: "refused",
          message: `cannot apply the grant: it was booked before with another ${booked.field}`,
        };
      case "stale":
        // Not the leader any more: the successor books it.
        throw new Error("cannot apply the grant: this process no longer leads");
      default:
        return unreachable(booked);
    }
  };
}
