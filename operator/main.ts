// The operator's process: read the configuration, run until a signal, exit. No logic of its own.
import { setFlagsFromString } from "node:v8";
import { readConfig } from "./config.ts";
import { runProcess } from "./runtime/run-process.ts";
import { makeOperator } from "./wiring.ts";

// V8 would let garbage grow to several times what lives, before it collects (docs/performance.md). No limit, unlike a heap size.
setFlagsFromString("--heap-growing-percent=30");

await runProcess(() => makeOperator(readConfig(process.env)));
