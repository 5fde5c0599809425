// Adds to the list of packages what the image has of a system: Node, and the Debian packages of the shared libraries. Runs while the
// image is built. usage: node system.mjs LIST FOLDER, prints the list
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

const { node: version } = process.versions;

/** The Debian packages that own the libraries below the folder; none where there is no dpkg. */
function librariesOf(folder) {
  if (!existsSync("/usr/bin/dpkg-query")) return [];
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  const names = files.filter((file) => file.isFile() && /\.so(\.|$)/.test(file.name)).map((file) => file.name);
  return [...new Set(names.flatMap(ownersOf))].sort().map(componentOf);
}

/** By the name alone: the path may lead through a link that dpkg knows under its other name. */
function ownersOf(library) {
  const lines = execFileSync("dpkg-query", ["--search", `*/${library}`], { encoding: "utf8" }).split("\n");
  return lines.flatMap((line) => /^([^: ,]+)(?::\S+)?: /.exec(line)?.[1] ?? []);
}

function componentOf(name) {
  const format = "${Version} ${Architecture}\n";
  const told = execFileSync("dpkg-query", ["--show", `--showformat=${format}`, name], { encoding: "utf8" });
  const [release = "", architecture = ""] = told.split("\n")[0].split(" ");
  const purl = `pkg:deb/debian/${name}@${encodeURIComponent(release)}?arch=${architecture}`;
  return { "bom-ref": purl, type: "library", name, version: release, purl };
}

const [file, folder] = process.argv.slice(2);
const list = JSON.parse(readFileSync(file, "utf8"));
const node = { type: "application", name: "node", version, purl: `pkg:generic/node@${version}` };
list.components.push({ "bom-ref": node.purl, ...node, licenses: [{ license: { id: "MIT" } }] }, ...librariesOf(folder));
process.stdout.write(`${JSON.stringify(list, undefined, 1)}\n`);
