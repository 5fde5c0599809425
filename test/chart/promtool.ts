// Promtool: the one of the machine, or built once from the pinned module in promtool/, without the discoveries of clouds, which
// make most of it.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { compile, whyNoGo, type Say } from "../env/build.ts";
import { cacheKey, cacheRoot, makeOnce } from "../env/cache.ts";

const MODULE = join(import.meta.dirname, "promtool");
const PROGRAM = "github.com/prometheus/prometheus/cmd/promtool";

/** Where it is: PROMTOOL, the PATH, or the cache, where it is built when it is not there yet (minutes, once). */
export async function ensurePromtool(say: Say): Promise<string> {
  if (process.env.PROMTOOL) return process.env.PROMTOOL;
  if (isInPath()) return "promtool";
  const folder = join(cacheRoot(process.env), cacheKey("promtool", [join(MODULE, "go.mod"), join(MODULE, "go.sum")]));
  const promtool = join(folder, "promtool");
  if (existsSync(promtool)) return promtool;
  const noGo = whyNoGo();
  if (noGo !== undefined) throw new Error(`cannot find promtool: ${noGo}; install Go, or name the program in PROMTOOL`);
  say("building promtool with Go (once; several minutes)");
  const args = ["-tags", "remove_all_sd", "-ldflags", "-s -w"];
  await makeOnce(
    folder,
    (into) => compile(MODULE, [...args, "-o", join(into, "promtool"), PROGRAM], "promtool", say),
    say,
  );
  return promtool;
}

function isInPath(): boolean {
  try {
    execFileSync("promtool", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
