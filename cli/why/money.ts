// What a task costs, in one sentence. Pure.
import { formatCredits, micro, parseCredits } from "../../operator/task/credits.ts";
import { isAbsent, type Facts } from "./facts.ts";

interface Sums {
  readonly reserved: bigint;
  readonly settled: bigint;
  readonly released: bigint;
  readonly loss: bigint;
}

export function creditsOf(facts: Facts): string {
  const { loss, released, reserved, settled } = sumsOf(facts);
  const { account, task } = facts;
  const { maxCredits } = task.spec;
  const parts = [
    `${text(settled)} paid, ${text(reserved - settled - released)} held, ${text(released)} given back`,
    ...(loss > 0n ? [`${text(loss)} billed beyond what was held (the platform's loss)`] : []),
    ...(maxCredits === undefined ? [] : [`an attempt may cost ${maxCredits}`]),
    ...(isAbsent(account) ? [] : [`the namespace has ${account.available} left`]),
  ];
  return parts.join("; ");
}

/** The record's own figures; the status', which may lag, where there is no record. */
function sumsOf({ evidence, task }: Facts): Sums {
  if (isAbsent(evidence)) {
    const { credits } = task.status;
    return {
      reserved: read(credits?.reserved),
      settled: read(credits?.settled),
      released: read(credits?.released),
      loss: 0n,
    };
  }
  const sum = (kind: "held" | "loss" | "released" | "settled"): bigint =>
    evidence.attempts.reduce((total, attempt) => total + read(attempt[kind]), 0n);
  return { reserved: sum("held"), settled: sum("settled"), released: sum("released"), loss: sum("loss") };
}

function read(credits: string | undefined): bigint {
  return (credits === undefined ? undefined : parseCredits(credits)) ?? 0n;
}

function text(amount: bigint): string {
  return formatCredits(micro(amount));
}
