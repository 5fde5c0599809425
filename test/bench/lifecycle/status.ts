// A status of the size that the operator writes: the phase, its sentence, and the conditions with it.
const CONDITIONS = ["Held", "Submitted", "Succeeded", "NeedsReview", "Reconciling", "Stalled"];

export function statusOf(phase: string, more: Readonly<Record<string, unknown>>): object {
  const lastTransitionTime = `${new Date().toISOString().slice(0, 19)}Z`;
  const [reason, message] = ["AsItIs", "a sentence about as long as the operator's own"];
  const conditions = CONDITIONS.map((type) => ({
    ...{
      type,
      status: type === phase ? "True" : "Unknown",
      observedGeneration: 1,
      lastTransitionTime,
      reason,
      message,
    },
  }));
  return { observedGeneration: 1, phase, reason, message, conditions, ...more };
}
