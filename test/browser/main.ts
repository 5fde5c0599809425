// `node test/browser/main.ts FOLDER`: the pictures of docs/guide/page.md, taken of a real run with an operator. What a picture
// waits for is what it shows; afterwards somebody has to look at them.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { applyObjects } from "../operator/installation.ts";
import { quotaObject, type Wish } from "../operator/tenancy.ts";
import { openPage, startChromium, type Looks } from "./chromium.ts";
import { signIn } from "./session.ts";
import { setStage, type Stage } from "./stage.ts";

const QUOTA = "inFlight: 40\nmodels: { sim-video: { inFlight: 2 } }\n";
const LONG = { durationMs: 900_000 };

/** A morning in a studio, good and bad; the name is also the key, which is what the list shows. */
const CAST: readonly Omit<Wish, "namespace">[] = [
  {
    name: "poster-harbour",
    model: "sim-image",
    simulate: { outputs: [{ kind: "image" }, { kind: "image", name: "back.png" }] },
  },
  { name: "trailer-autumn", model: "sim-video", simulate: { durationMs: 20_000 } },
  { name: "order-1038", model: "sim-image", simulate: { end: "moderated" } },
  { name: "voice-over-3", model: "sim-voice" },
  { name: "order-1039", model: "sim-video", simulate: LONG },
  { name: "order-1040", model: "sim-video", simulate: LONG },
  { name: "order-1041", model: "sim-video" },
  { name: "order-1042", model: "sim-video" },
  { name: "backdrop-fog", model: "sim-image", provider: "fallen" },
  { name: "order-1043", model: "sim-image", simulate: { submit: ["reset-after"] } },
  { name: "too-dear", model: "sim-video", spec: { maxCredits: "0.05" } },
];

async function play({ stand }: Stage): Promise<void> {
  await applyObjects(stand.environment, [quotaObject({ simulated: QUOTA })]);
  for (const wish of CAST) await stand.wish({ ...wish, spec: { ...wish.spec, idempotencyKey: wish.name } });
}

async function picture(browser: Browser, stage: Stage, shot: Shot): Promise<void> {
  const { page } = await openPage(browser, shot.looks);
  await signIn(page, stage, shot.hash);
  await shot.ready(page);
  // Chromium alone writes webp only by its own protocol.
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 80 });
  writeFileSync(join(shot.folder, shot.file), Buffer.from(data, "base64"));
  await page.close();
}

interface Shot {
  readonly file: string;
  readonly folder: string;
  readonly hash: string;
  readonly looks: Looks;
  readonly ready: (page: Page) => Promise<void>;
}

function shotsFor(folder: string): readonly Shot[] {
  const waiting = async (page: Page): Promise<void> => {
    await page
      .locator(".tasks li")
      .nth(CAST.length - 1)
      .waitFor();
    await page.getByText("#2 in line").waitFor();
  };
  return [
    {
      folder,
      file: "task.webp",
      hash: "#/tasks/studio/trailer-autumn",
      looks: { width: 1100, height: 900 },
      ready: played,
    },
    { folder, file: "tasks.webp", hash: "#/tasks", looks: { width: 1100, height: 860 }, ready: waiting },
    {
      folder,
      file: "small.webp",
      hash: "#/tasks",
      looks: { width: 360, height: 740, scheme: "dark", scale: 1.5 },
      ready: waiting,
    },
  ];
}

async function played(page: Page): Promise<void> {
  await page.locator(".head .phase").getByText("Succeeded").waitFor({ timeout: 120_000 });
  await page.locator(".timeline").getByText("Succeeded", { exact: true }).waitFor();
  await page.locator("video[src]").waitFor();
  await page.evaluate(`new Promise((seen) => {
    const film = document.querySelector("video");
    const look = () => film.readyState >= 2 ? seen() : film.addEventListener("loadeddata", look, { once: true });
    look();
  })`);
}

async function main(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const fallen = { name: "fallen", spec: { credentials: { secretRef: { name: "there-is-none", key: "token" } } } };
  const stage = await setStage([{ name: "simulated" }, fallen]);
  const browser = await startChromium();
  try {
    await play(stage);
    for (const shot of shotsFor(folder)) await picture(browser, stage, shot);
  } finally {
    await browser.close();
    await stage.close();
  }
}

await main(process.argv[2] ?? join(import.meta.dirname, "..", "..", "docs", "guide", "images"));
