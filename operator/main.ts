// The operator's process: read the configuration, run until a signal, exit. No logic of its own.
import { setFlagsFromString } from "node:v8";
import { readConfig } from "./config.ts";
import { runProcess } from "./runtime/run-process.ts";
import { makeOperator } from "./wiring.ts";

await runProcess(() => makeOperator(readConfig(process.env)));
