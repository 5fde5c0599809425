// What a person does at the page without a mouse, and what he sees go by.
import type { Page } from "playwright-core";

/** Tabs on until this has the focus. */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let steps = 0; steps < 40; steps += 1) {
    await page.keyboard.press("Tab");
    if (await page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
  }
  throw new Error(`cannot reach ${selector} by keyboard`);
}

/** What the mark of the phase says, from now on. */
export const WATCH_PHASES = `
  const mark = document.querySelector(".head .phase span");
  window.phases = [mark.textContent];
  new MutationObserver(() => window.phases.push(mark.textContent)).observe(mark, { childList: true, characterData: true, subtree: true });
  undefined;
`;
