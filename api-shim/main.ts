// The REST face's process: read the configuration, run until a signal, exit. No logic of its own.
import { runProcess } from "../operator/runtime/run-process.ts";
import { readConfig } from "./config.ts";
import { makeShim } from "./wiring.ts";

await runProcess(() => makeShim(readConfig(process.env)));
