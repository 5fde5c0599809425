// The faults that all reading requests share, and how a row's expectation is compared with what was seen.
import { expect } from "@jest/globals";

/** What a client sees of each; a word where there was no answer. */
export const SHARED_FAULTS = [
  { fault: "rate-limited", sees: { status: 429 } },
  { fault: "server-error", sees: { status: 500 } },
  { fault: "html-502", sees: { status: 502, body: expect.stringContaining("<html>") as unknown } },
  { fault: "empty", sees: { status: 200, body: "" } },
  { fault: "truncated", sees: { status: 200, body: "broken off" } },
  { fault: "reset", sees: "reset" },
  { fault: "silence", sees: "silence" },
] as const;

/** How long a test bears silence. */
export const patienceFor = (fault: string): number => (fault === "silence" ? 300 : 10_000);

export const matches = (seen: unknown, sees: unknown): void => {
  if (typeof sees === "string") expect(seen).toBe(sees);
  else expect(seen).toMatchObject(sees as object);
};
