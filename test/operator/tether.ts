// Preloaded into the operator's process by its starter: when the starter is gone, however it went, this process goes too.
// The tether is standard input, which nothing else of the operator reads. Worker threads preload this as well, and have none.
import { Socket } from "node:net";
import { isMainThread } from "node:worker_threads";

if (isMainThread) {
  // By its own name, and not as another socket of the same descriptor: a module that asks for all that `process` has opens it, too.
  const { stdin } = process;
  stdin.once("close", () => process.exit(1)).resume();
  // Unreferenced: it must not keep a process alive that has nothing else to do.
  if (stdin instanceof Socket) stdin.unref();
}
