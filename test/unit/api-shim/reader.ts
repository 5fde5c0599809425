// Who reads a stream, as slowly as a test wants, and what he reads.
import { EventEmitter } from "node:events";
import type { TaskView } from "../../../api-shim/tasks/view.ts";
import type { Phase } from "../../../operator/task/phase.ts";

/** A connection that takes what it is told to. */
export class Reader extends EventEmitter {
  taken = "";
  isFull = false;
  closed = false;
  write(text: string): boolean {
    this.taken += text;
    return !this.isFull;
  }
  end(text: string): void {
    this.taken += text;
    this.destroy();
  }
  destroy(): void {
    this.closed = true;
    this.emit("close");
  }
}

export function view(version: number, phase: Phase = "Polling", id = "a"): TaskView {
  return {
    id,
    namespace: "studio",
    version: String(version),
    suspend: false,
    cancelRequested: false,
    deleting: false,
    phase,
  };
}
