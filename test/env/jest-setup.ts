// Jest's global setup of the levels that need real parts: one environment per run. GENOP_TEST_PARTS (such as "postgres" or
// "postgres,s3") leaves the other parts out; an environment named by GENOP_TEST_ENVIRONMENT is used as it is.
import { only, startEnvironment, type EnvironmentOptions } from "./environment.ts";
import { keepForTeardown } from "./jest-owner.ts";
import { SHARED_VARIABLE } from "./shared.ts";

const PARTS = ["controlPlane", "postgres", "s3", "provider"] as const;

function optionsFrom(wanted: string | undefined): EnvironmentOptions {
  if (wanted === undefined || wanted === "") return {};
  const names = wanted.split(",");
  const unknown = names.filter((name) => !PARTS.some((part) => part === name));
  if (unknown.length > 0)
    throw new Error(`cannot read GENOP_TEST_PARTS: ${unknown.join(", ")} is none of ${PARTS.join(", ")}`);
  return only(...PARTS.filter((part) => names.includes(part)));
}

/** Called once by jest, before the first test of any project that names this file. */
async function setUp(): Promise<void> {
  if (process.env[SHARED_VARIABLE]) return;
  const environment = await startEnvironment(optionsFrom(process.env.GENOP_TEST_PARTS));
  keepForTeardown(async () => {
    Reflect.deleteProperty(process.env, SHARED_VARIABLE);
    await environment.stop();
  });
  process.env[SHARED_VARIABLE] = environment.coordinatesPath; // test processes are forked after this
}

export { setUp as default };
