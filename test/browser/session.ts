// The way into the page.
import type { Page } from "playwright-core";

export interface Session {
  /** Of the page, without a hash. */
  readonly url: string;
  readonly token: string;
}

/** As a person does it; resolves when the page is live. */
export async function signIn(page: Page, { token, url }: Session, hash = ""): Promise<void> {
  await page.goto(`${url}${hash}`);
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await untilLive(page);
}

export async function untilLive(page: Page): Promise<void> {
  await page.locator('#connection[data-state="live"]').waitFor();
}
