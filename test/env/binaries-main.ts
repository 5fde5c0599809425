// Makes sure that the programs of the test environment exist, with its progress on standard error.
import { ensureBinaries } from "./binaries.ts";

try {
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  await ensureBinaries(process.env, { controlPlane: true, objectStore: true }, say);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
