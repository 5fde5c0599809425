// Preloaded into the operator's process by its starter: when the starter is gone, however it went, this process goes too.
// The tether is standard input, which nothing else of the operator reads.
process.stdin.once("close", () => process.exit(1)).resume();
// It must not keep a process alive that has nothing else to do.
(process.stdin as unknown as { unref(): void }).unref();
