// The web page in a browser, on the whole stack: a film that is asked for, made while one looks on, and played. All else that the page
// does is tried without an operator, in test/integration/api-shim.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { inChromium } from "../browser/in-chromium.ts";
import { askByKeyboard, signInByKeyboard, WATCH_PHASES } from "../browser/person.ts";
import { untilLive } from "../browser/session.ts";
import { setStage, type Stage } from "../browser/stage.ts";

/** Of the whole file, which has one environment of its own, on a busy machine. */
const LIMIT_MS = 300_000;
const FILM = 'document.querySelector("video")';

inChromium("the page on the whole stack", (open) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage([{ name: "simulated" }]);
  }, LIMIT_MS);
  afterAll(() => stage.close(), LIMIT_MS);

  test(
    "a film is asked for by keyboard alone, goes its way while one looks on, and plays",
    async () => {
      const page = await open();
      await page.goto(stage.url);
      await signInByKeyboard(page, stage.token);
      await untilLive(page);
      await askByKeyboard(page, { provider: "simulated", model: "sim-video", prompt: "a quiet harbour at sunrise" });
      await page.evaluate(WATCH_PHASES);
      await page.locator(".head .phase").getByText("Succeeded").waitFor();
      const phases = await page.evaluate<string[]>("window.phases");
      expect(phases).toEqual(expect.arrayContaining(["Polling", "Succeeded"]));
      for (const moment of ["Asked for", "Attempt 1 sent", "Submitted", "Succeeded"]) {
        await page.locator(".timeline").getByText(moment, { exact: true }).waitFor();
      }
      expect(await page.locator("dl").first().textContent()).toContain("Paid0.1");
      await page.locator("video[src]").waitFor();
      expect(await page.evaluate(`${FILM}.play().then(() => ${FILM}.duration)`)).toBeGreaterThan(1);
      // Not by waitForFunction: it evaluates a text in the page, which the page's policy forbids.
      await page.evaluate(`new Promise((seen) => {
        const look = () => ${FILM}.currentTime > 0.1 ? seen() : ${FILM}.addEventListener("timeupdate", look, { once: true });
        look();
      })`);
    },
    LIMIT_MS,
  );
});
