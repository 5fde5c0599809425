// Replicas of the operator, of which one leads; the leader can be killed, and a new process takes its place in the fleet.
import type { Installation } from "./installation.ts";
import { startOperator } from "./process.ts";
import type { OperatorProcess } from "./process.ts";

export interface Fleet {
  /** SIGKILLs the process that leads, if one does now, and starts another at once. */
  killLeader(): Promise<void>;
  kills(): number;
  /** SIGTERM to all; the exit codes. */
  stop(): Promise<readonly (number | NodeJS.Signals)[]>;
}

interface Member {
  readonly process: OperatorProcess;
  leads: boolean;
}

export interface FleetOptions {
  readonly replicas: number;
  readonly variables: Readonly<Record<string, string>>;
  readonly logFile: string;
}

export function startFleet(installation: Installation, options: FleetOptions): Fleet {
  const members: Member[] = [];
  const never = new AbortController().signal;
  let kills = 0;
  const add = (): void => {
    const member: Member = { process: startOperator(installation, options), leads: false };
    members.push(member);
    member.process
      .logged(({ event }) => event === "leader.started", never)
      .then(
        () => (member.leads = true),
        () => undefined,
      );
  };
  for (let count = 0; count < options.replicas; count += 1) add();
  return {
    kills: () => kills,
    killLeader: async () => {
      const victim = members.find(({ leads }) => leads);
      if (!victim) return;
      members.splice(members.indexOf(victim), 1);
      victim.process.kill("SIGKILL");
      await victim.process.ended;
      kills += 1;
      add();
    },
    stop: () => Promise.all(members.map(({ process }) => process.stop())),
  };
}
