// Books a CreditGrant, and turns the ledger's answer into the grant controller's words.
import type { GrantOutcome, Grant } from "../kube/grants-controller.ts";
import type { Metrics } from "../observe/metrics.ts";
import { credits } from "./meters.ts";
import type { Grants } from "../postgres/grants.ts";
import { formatCredits } from "../task/credits.ts";
import { unreachable } from "../task/unreachable.ts";

export function applyGrantWith(
  grants: Grants,
  metrics: Pick<Metrics, "count">,
): (grant: Grant, signal: AbortSignal) => Promise<GrantOutcome> {
  return async (grant, signal) => {
    const booked = await grants.apply(grant, signal);
    switch (booked.outcome) {
      case "applied":
        metrics.count("credits", { kind: grant.refund ? "refunded" : "granted" }, credits(grant.amount));
        if (grant.refund) metrics.count("credits", { kind: "lost" }, credits(grant.amount));
        return { outcome: "applied", transactionId: booked.transactionId };
      case "already":
        return { outcome: "applied", transactionId: booked.transactionId };
      case "other-input":
        return {
          outcome: "refused",
          message: `cannot apply the grant: it was booked before with another ${booked.field}`,
        };
      case "nothing-settled":
        return {
          outcome: "refused",
          message:
            "cannot refund: spec.refund names no attempt of this namespace that has ended; create another CreditGrant",
        };
      case "over-settled":
        return {
          outcome: "refused",
          message: `cannot refund more than ${formatCredits(booked.left)}: that is what is left of what the attempt settled`,
        };
      case "stale":
        // Not the leader any more: the successor books it.
        throw new Error("cannot apply the grant: this process no longer leads");
      default:
        return unreachable(booked);
    }
  };
}
