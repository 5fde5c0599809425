// A stream of a namespace with many tasks, as text: to see what the page makes of them, not what the stack does.
import { view } from "../unit/api-shim/reader.ts";

/** `task-0` is the oldest. */
export function manyTasks(count: number): string {
  const ids = Array.from({ length: count }, (_, index) => `task-${index}`);
  const events = ids.map((id, index) => {
    const createdAt = new Date(Date.UTC(2026, 10, 1) + index * 1_000).toISOString();
    return `id: ${index + 1}\nevent: task\ndata: ${JSON.stringify({ ...view(index + 1, "Polling", id), createdAt })}\n\n`;
  });
  const first = { namespace: "studio", heartbeatSeconds: 60, ids };
  return [`event: tasks\ndata: ${JSON.stringify(first)}\n\n`, ...events].join("");
}
