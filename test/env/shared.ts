// The environment that all integration and end-to-end tests of a run share. Its owner is jest's global setup.
import { randomBytes } from "node:crypto";
import { attachTo, type AttachedEnvironment } from "./attach.ts";

/** Names the file of coordinates; set by the global setup, or by hand to reuse the environment of `npm run env`. */
export const SHARED_VARIABLE = "GENOP_TEST_ENVIRONMENT";

/** Throws outside of the test levels that have an environment. */
export function sharedEnvironment(): AttachedEnvironment {
  const path = process.env[SHARED_VARIABLE];
  if (path === undefined || path === "") {
    throw new Error(
      `cannot find the shared environment: ${SHARED_VARIABLE} is not set; only test/integration and test/e2e have one`,
    );
  }
  return attachTo(path);
}

export interface FreshDatabase {
  readonly name: string;
  readonly url: string;
  drop(): Promise<void>;
}

/** A database of a test file's own; connections that are still open are cut by `drop`. */
export async function freshDatabase(
  environment: AttachedEnvironment,
  options: { readonly template?: string } = {},
): Promise<FreshDatabase> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  const url = await environment.postgres.makeDatabase(name, options);
  return { name, url, drop: () => environment.postgres.dropDatabase(name) };
}
