// Preloaded into the operator's process by its starter: when the starter is gone, however it went, this process goes too.
// The tether is standard input, which nothing else of the operator reads. Worker threads preload this as well, and have none.
import { Socket } from "node:net";
import { isMainThread } from "node:worker_threads";

if (isMainThread) {
  // Unreferenced: it must not keep a process alive that has nothing else to do.
  new Socket({ fd: 0 })
    .once("close", () => process.exit(1))
    .resume()
    .unref();
}
