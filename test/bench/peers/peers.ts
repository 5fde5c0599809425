// Other people's runtimes, pinned here and never dependencies of the product: built or installed once, into the cache, below a
// name that holds a hash of what pins them.
import { spawn } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { compile, whyNoGo, type Say } from "../../env/build.ts";
import { cacheKey, cacheRoot, makeOnce } from "../../env/cache.ts";

const here = import.meta.dirname;
const filesOf = (folder: string, names: readonly string[]): readonly string[] =>
  names.map((name) => join(here, folder, name));

/** The program on controller-runtime. Throws one sentence when there is no Go to build it. */
export async function controllerRuntimeProgram(say: Say): Promise<string> {
  const pins = filesOf("controller-runtime", ["go.mod", "go.sum", "main.go", "widget.go"]);
  const folder = join(cacheRoot(process.env), cacheKey("bench-controller-runtime", pins));
  const build = async (into: string): Promise<void> => {
    const noGo = whyNoGo();
    if (noGo !== undefined) throw new Error(`cannot build the program on controller-runtime: ${noGo}; use --bare`);
    say("building the program on controller-runtime with Go (once; about two minutes with an empty Go cache)");
    const args = ["-ldflags", "-s -w", "-o", join(into, "bench"), "."];
    await compile(join(here, "controller-runtime"), args, "controller-runtime", say);
  };
  await makeOnce(folder, build, say);
  return join(folder, "bench");
}

/** The folder in which @dot-i/k8s-operator is installed. */
export async function dotIFolder(say: Say): Promise<string> {
  const pins = filesOf("dot-i", ["package.json", "package-lock.json"]);
  const folder = join(cacheRoot(process.env), cacheKey("bench-dot-i", pins));
  const install = async (into: string): Promise<void> => {
    say("installing @dot-i/k8s-operator from its lock file (once)");
    for (const name of ["package.json", "package-lock.json"]) copyFileSync(join(here, "dot-i", name), join(into, name));
    await run("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], into);
  };
  await makeOnce(folder, install, say);
  return folder;
}

function run(command: string, args: readonly string[], folder: string): Promise<void> {
  const child = spawn(command, args, { cwd: folder, stdio: ["ignore", 2, 2] });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`cannot run ${command}: it ended with ${code}`)),
    );
  });
}
