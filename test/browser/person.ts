// What a person does at the page without a mouse, and what he sees go by.
import type { Page } from "playwright-core";

const HERE = "document.activeElement";

/** Tabs on until this has the focus. */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let steps = 0; steps < 40; steps += 1) {
    await page.keyboard.press("Tab");
    if (await page.evaluate<boolean>(`${HERE}.matches(${JSON.stringify(selector)})`)) return;
  }
  throw new Error(`cannot reach ${selector} by keyboard`);
}

/** By keyboard alone, from the top of a page that was just opened. */
export async function signInByKeyboard(page: Page, token: string): Promise<void> {
  await tabTo(page, "#skip");
  await page.keyboard.press("Enter");
  await tabTo(page, "[name=token]");
  await page.keyboard.insertText(token);
  await page.keyboard.press("Enter");
}

export interface Wish {
  readonly provider: string;
  readonly model: string;
  readonly prompt: string;
}

/** By keyboard alone, from anywhere in the page. */
export async function askByKeyboard(page: Page, { model, prompt, provider }: Wish): Promise<void> {
  await tabTo(page, '#navigation a[href="#/new"]');
  await page.keyboard.press("Enter");
  await page.locator(`option[value="${provider}"]`).waitFor({ state: "attached" });
  await tabTo(page, "[name=provider]");
  await page.keyboard.type(provider);
  await tabTo(page, "[name=model]");
  await page.keyboard.type(model);
  await tabTo(page, "[name=prompt]");
  await page.keyboard.type(prompt);
  await tabTo(page, "button[type=submit]");
  await page.keyboard.press("Enter");
  await page.waitForURL(/#\/tasks\/.*\/rest-/);
}

const STOPS = `[...document.querySelectorAll("a[href], button, input, select, textarea, summary, video, audio")]
  .filter((one) => !one.disabled && one.checkVisibility())`;

/**
 * What Tab comes by on one round through the page, and what there is to come by. They differ when something can't be reached, or
 * can't be left.
 */
export async function tabRound(
  page: Page,
): Promise<{ readonly passed: readonly string[]; readonly there: readonly string[] }> {
  const there = await page.evaluate<string[]>(`(window.stops = ${STOPS}).map((one) => one.outerHTML)`);
  const passed: string[] = [];
  await tabTo(page, "#skip");
  while (passed.length < there.length) {
    const at = await page.evaluate<number>(`window.stops.indexOf(${HERE})`);
    passed.push(there[at] ?? "something else");
    await page.keyboard.press("Tab");
  }
  return { passed, there };
}

/** What the mark of the phase says, from now on. */
export const WATCH_PHASES = `
  const mark = document.querySelector(".head .phase span");
  window.phases = [mark.textContent];
  new MutationObserver(() => window.phases.push(mark.textContent)).observe(mark, { childList: true, characterData: true, subtree: true });
  undefined;
`;
