// Debian's Chromium, found and started so that it talks to this machine alone, and a page in it that notes down whatever is wrong.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

export const MISSING =
  "cannot try the web page: no Chromium is in PATH; install it (apt-get install chromium), or name it by GENOP_CHROMIUM";

/** Undefined when there is none. */
export function findChromium(): string | undefined {
  const named = process.env.GENOP_CHROMIUM;
  if (named) return named;
  const folders = (process.env.PATH ?? "").split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A profile of its own, without a sandbox (tests may be root), and without a word to the world. */
const FLAGS = [
  ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync", "--mute-audio"],
];

/** Throws the sentence that says what to install. */
export async function startChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error(MISSING);
  return chromium.launch({ executablePath, args: FLAGS });
}

export interface WatchedPage {
  readonly page: Page;
  /** Everything that a page in order never says: errors, violations of its policy, dialogs. */
  readonly wrong: readonly string[];
}

export interface Looks {
  readonly scheme?: "dark" | "light";
  readonly width?: number;
  readonly height?: number;
  readonly scale?: number;
}

export async function openPage(
  browser: Browser,
  { height = 800, scale = 1, scheme = "light", width = 1200 }: Looks = {},
): Promise<WatchedPage> {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: scheme, deviceScaleFactor: scale });
  const wrong: string[] = [];
  page.on("pageerror", ({ message }) => wrong.push(message));
  page.on("dialog", (dialog) => {
    wrong.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    // Chromium says so of each answer that is no success, and tests ask for such.
    const isExpected = message.text().startsWith("Failed to load resource");
    if (["error", "warning"].includes(message.type()) && !isExpected) wrong.push(message.text());
  });
  await page.addInitScript(
    'addEventListener("securitypolicyviolation", (event) => console.error("violated: " + event.violatedDirective + " " + event.blockedURI))',
  );
  return { page, wrong };
}
