// The program that builds images on this machine, and how each of them is told to build the same image from the same files.
import { spawnSync } from "node:child_process";

export const ENGINES = ["docker", "podman", "buildah"] as const;
export type Engine = (typeof ENGINES)[number];

export interface Recipe {
  readonly tag: string;
  readonly base: string;
  /** Of every file and of the image, in seconds since 1970. */
  readonly epoch: number;
  /** Of packages that the build must not take from an earlier one. */
  readonly fresh: boolean;
}

/** The one that is named, else the first that is there. Throws when there is none. */
export function engineFor(wanted: string | undefined, isThere: (program: string) => boolean = answers): Engine {
  const names = ENGINES.filter((name) => wanted === undefined || name === wanted);
  if (names.length === 0) throw new Error(`cannot build with ${wanted ?? ""}: it is none of ${ENGINES.join(", ")}`);
  const found = names.find(isThere);
  if (found === undefined) throw new Error(`cannot build an image: install ${names.join(", ")}`);
  return found;
}

function answers(program: string): boolean {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;
}

/** The arguments of the build, in the folder of the Dockerfile. */
export function buildArguments(engine: Engine, { base, epoch, fresh, tag }: Recipe): readonly string[] {
  const common = ["--build-arg", `BASE=${base}`, "--build-arg", `SOURCE_DATE_EPOCH=${epoch}`];
  const anew = fresh ? ["--no-cache"] : [];
  // BuildKit: files of a layer get the time only when the exporter is told to.
  const docker = ["buildx", "build", ...common, ...anew, "--output", `type=docker,name=${tag},rewrite-timestamp=true`];
  const others = [
    "build",
    ...common,
    ...anew,
    "--format",
    "oci",
    "--layers",
    "--timestamp",
    String(epoch),
    "--tag",
    tag,
  ];
  return [...(engine === "docker" ? docker : others), "."];
}

/** The arguments that print the image's digest: of its configuration, which names every layer. */
export function digestArguments(engine: Engine, tag: string): readonly string[] {
  return engine === "buildah"
    ? ["inspect", "--type", "image", "--format", "{{.FromImageID}}", tag]
    : ["image", "inspect", "--format", "{{.Id}}", tag];
}
