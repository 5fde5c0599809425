// Makes dist/kubectl-genop, one file that needs Node and nothing else, and dist/kubectl_complete-genop, by which kubectl completes.
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");
const [folder = join(root, "dist")] = process.argv.slice(2);
const program = join(folder, "kubectl-genop");
const completion = join(folder, "kubectl_complete-genop");

await build({
  entryPoints: [join(root, "cli", "main.ts")],
  outfile: program,
  bundle: true,
  minify: true,
  // Names of classes are part of what is told of a fault.
  keepNames: true,
  platform: "node",
  target: "node22.19",
  format: "esm",
  legalComments: "eof",
  logLevel: "warning",
  banner: {
    js: '#!/usr/bin/env node\nimport{createRequire as requireOf}from"node:module";const require=requireOf(import.meta.url);',
  },
});
writeFileSync(completion, '#!/bin/sh\nexec kubectl-genop __complete "$@"\n');
for (const file of [program, completion]) chmodSync(file, 0o755);
