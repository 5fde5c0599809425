// Tests that need a browser. Without one they are skipped under a name that says why, and what to install; CI has one.
import { afterAll, afterEach, beforeAll, describe, expect } from "@jest/globals";
import type { Browser, Page } from "playwright-core";
import { findChromium, MISSING, openPage, startChromium, type Looks, type WatchedPage } from "./chromium.ts";

export type OpenPage = (looks?: Looks) => Promise<Page>;

/** Of a browser's start and end, on a busy machine. */
const LIMIT_MS = 120_000;
/** For one step of a person. */
const STEP_MS = 120_000;

/** One browser for all of them. What a page says that a page in order never says fails the test that opened it. */
export function inChromium(what: string, tests: (open: OpenPage) => void): void {
  const canBeTried = findChromium() !== undefined || process.env.CI === "true";
  const name = canBeTried ? what : `${what} (${MISSING})`;
  (canBeTried ? describe : describe.skip)(name, () => {
    let browser: Browser;
    const opened: WatchedPage[] = [];
    beforeAll(async () => {
      browser = await startChromium();
    }, LIMIT_MS);
    afterAll(() => browser.close(), LIMIT_MS);
    afterEach(async () => {
      for (const { page, wrong } of opened.splice(0)) {
        const title = page.isClosed() ? "" : await page.title();
        await page.close();
        expect([wrong, title.includes("broken into")]).toEqual([[], false]);
      }
    });
    tests(async (looks) => {
      const watched = await openPage(browser, looks);
      watched.page.setDefaultTimeout(STEP_MS);
      // A page that broke shows nothing of what is waited for: the wait ends at once, and the test says what broke.
      watched.page.on("pageerror", () => void watched.page.close());
      opened.push(watched);
      return watched.page;
    });
  });
}
