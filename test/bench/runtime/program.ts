// What the contestants that run in Node say to the bench: "ready", and "done" after the writes that were asked for.

export interface Program {
  readonly namespace: string;
  readonly workers: number;
  /** A variant, by the bench's own word. */
  readonly how: string;
  readonly ready: () => void;
  /** Call after each write that was answered. */
  readonly wrote: () => void;
}

/** Reads the arguments. The process ends when whoever started it is gone, however it went. */
export function beginProgram(): Program {
  const [namespace = "", wanted, workers, how = ""] = process.argv.slice(2);
  let writes = 0;
  process.stdin
    .once("close", () => process.exit(1))
    .resume()
    .unref();
  return {
    namespace,
    workers: Number(workers),
    how,
    ready: () => void process.stdout.write("ready\n"),
    wrote: () => {
      writes += 1;
      if (writes === Number(wanted)) process.stdout.write("done\n");
    },
  };
}
