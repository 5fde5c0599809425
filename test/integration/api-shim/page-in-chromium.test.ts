// The web page in a browser, on a shim and a real API server and object store, without an operator: what that would say the test
// says. The whole stack, with a film that is made while one looks on, is in test/long.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { HOSTILE } from "../../browser/hostile.ts";
import { inChromium } from "../../browser/in-chromium.ts";
import { manyTasks } from "../../browser/many-tasks.ts";
import { askByKeyboard, signInByKeyboard, tabRound, tabTo } from "../../browser/person.ts";
import { signIn, untilLive } from "../../browser/session.ts";
import { ask, WISH } from "./client.ts";
import { limit, makeWorld, type RunningShim, type World } from "./fixture.ts";
import { AXE_FAULTS, LOOKS, makeHostile, makeProvider, publishPicture, wishOf } from "./page-scene.ts";

const LIMIT_MS = 240_000;
const VARIABLES = { HEARTBEAT_SECONDS: "1" };

inChromium("the page", (open) => {
  let world: World;
  let shim: RunningShim;
  let provider: string;
  beforeAll(async () => {
    world = await makeWorld();
    shim = await world.start(VARIABLES);
    provider = await makeProvider(world);
  }, LIMIT_MS);
  afterAll(async () => {
    const path = `/apis/genop.dev/v1alpha1/generationproviders/${provider}`;
    await world.admin.request({ method: "DELETE", path }, { signal: limit() });
    await world.close();
  }, LIMIT_MS);

  const session = () => ({ url: `${shim.url}/`, token: world.tokens.tenant });
  const tasks = (page: Page) => page.locator(".tasks li");

  test(
    "who has no good token, or no right, is told what to do, and the token is kept in no address and no cookie",
    async () => {
      const page = await open();
      await page.goto(session().url);
      await page.getByLabel("Token").fill("abc.def.ghi");
      await page.getByRole("button", { name: "Sign in" }).click();
      await expect(page.getByRole("alert").textContent()).resolves.toContain("kubectl create token");
      await page.getByLabel("Token").fill(world.tokens.tenant);
      await page.getByLabel("Namespace").fill("default");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("alert").filter({ hasText: "Role" }).waitFor();
      const kept = page.url() + (await page.evaluate<string>("document.cookie + JSON.stringify(localStorage)"));
      expect(kept).not.toContain(world.tokens.tenant.slice(0, 20));
    },
    LIMIT_MS,
  );

  test(
    "a task is asked for by keyboard alone, followed as it goes on, and its picture is seen",
    async () => {
      const page = await open();
      await page.goto(session().url);
      await signInByKeyboard(page, world.tokens.tenant);
      await untilLive(page);
      await askByKeyboard(page, { provider, model: "sim-image", prompt: "a quiet harbour at sunrise" });
      expect(await page.evaluate<string>("document.activeElement.id")).toBe("view-title");
      const id = page.url().split("/").at(-1) ?? "";
      const asked = await world.tasks.get(`${world.tenant}/${id}`, { signal: limit() });
      expect(asked?.spec).toMatchObject({
        providerRef: { name: provider },
        input: { prompt: "a quiet harbour at sunrise" },
      });

      const phase = page.locator(".head .phase");
      const credits = { reserved: "0.1", settled: "0", released: "0" };
      await world.setStatus(id, { phase: "Pending", reason: "QuotaExhausted", queuePosition: 3, credits });
      await page.locator(".message").getByText("#3 in line").waitFor();
      await world.setStatus(id, { phase: "Polling", reason: "JobRunning", queuePosition: null, attempt: 1 });
      await phase.getByText("Polling").waitFor();
      await world.setStatus(id, {
        ...{ phase: "Succeeded", reason: "AssetsPublished", assets: [await publishPicture(world, id)] },
        credits: { ...credits, settled: "0.1" },
      });
      await phase.getByText("Succeeded").waitFor();
      const told = await page.locator(".timeline strong").allTextContents();
      expect(told).toEqual([
        "Asked for",
        "Pending: QuotaExhausted",
        "Polling: JobRunning",
        "Succeeded: AssetsPublished",
      ]);
      expect(await page.locator("dl").first().textContent()).toContain("Paid0.1");
      await page.locator("img[src^=http]").waitFor();
      expect(
        await page.evaluate(
          "document.querySelector('img').decode().then(() => document.querySelector('img').naturalWidth)",
        ),
      ).toBe(64);
    },
    LIMIT_MS,
  );

  test(
    "every control is reached and left by Tab, and a question is answered, or escaped from, by keyboard",
    async () => {
      const made = await ask(shim.url, "POST", "/v1/tasks", { token: world.tokens.tenant, key: "asked", body: WISH });
      const id = String(made.body.id);
      const page = await open();
      await signIn(page, session(), "#/new");
      await page.locator(`option[value="${provider}"]`).waitFor({ state: "attached" });
      const { passed, there } = await tabRound(page);
      expect(passed).toEqual(there);
      expect(there.length).toBeGreaterThan(12);

      await page.goto(`${session().url}#/tasks/${world.tenant}/${id}`);
      await tabTo(page, "button.danger");
      await page.keyboard.press("Enter");
      await page.getByText("Cancel this task?").waitFor();
      await page.keyboard.press("Escape");
      await page.getByText("Cancel this task?").waitFor({ state: "hidden" });
      expect(await page.evaluate("document.activeElement.textContent")).toBe("Cancel …");
      await page.keyboard.press("Enter");
      await tabTo(page, "dialog button.danger");
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Cancel …" }).waitFor({ state: "hidden" });
      const { spec } = (await world.tasks.get(`${world.tenant}/${id}`, { signal: limit() })) ?? {};
      expect(spec).toMatchObject({ cancelRequested: true });
    },
    LIMIT_MS,
  );

  test(
    "what was missed while the REST face was away is made up for, from where the stream ended",
    async () => {
      for (const name of ["gone", "changed"])
        await world.tasks.create(wishOf(world, provider, name), { signal: limit() });
      const page = await open();
      await signIn(page, session());
      for (const name of ["gone", "changed"]) await page.getByText(name, { exact: true }).waitFor();
      await page.evaluate("document.body.dataset.sameAsBefore = 'yes'");

      await shim.stop();
      await page.locator('#connection[data-state="lost"]').waitFor();
      await world.tasks.remove(`${world.tenant}/gone`, { signal: limit() });
      await world.setStatus("changed", { phase: "Polling" });
      await world.tasks.create(wishOf(world, provider, "made-meanwhile"), { signal: limit() });
      const again = page.waitForRequest(
        (one) => one.url().endsWith("/v1/events") && Number(one.headers()["last-event-id"]) > 0,
      );
      shim = await world.start({ ...VARIABLES, REST_PORT: String(shim.port) });
      await again;
      await untilLive(page);
      await tasks(page).filter({ hasText: "changed" }).getByText("Polling").waitFor();
      await page.getByText("made-meanwhile", { exact: true }).waitFor();
      await page.getByText("gone", { exact: true }).waitFor({ state: "detached" });
      expect(await page.evaluate("document.body.dataset.sameAsBefore")).toBe("yes"); // it was not loaded anew
    },
    LIMIT_MS,
  );

  const views = () => [
    { hash: "#/tasks", shows: `${provider} · ${HOSTILE}` },
    { hash: `#/tasks/${world.tenant}/hostile`, shows: `note ${HOSTILE}` },
    { hash: "#/new", shows: "Held before the submit" },
    { hash: "#/account", shows: HOSTILE },
    { hash: "#/providers", shows: "ProviderReady" },
  ];

  test(
    "every view holds hostile and endless texts as texts, fits, and has no fault that axe finds, by day and by night",
    async () => {
      await makeHostile(world, provider);
      const page = await open();
      await signIn(page, session());
      await page.evaluate(axe.source);
      for (const { rules, scheme, width } of LOOKS) {
        // A colour on its way to another one is judged as neither.
        await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
        await page.setViewportSize({ width, height: 800 });
        for (const { hash, shows } of views()) {
          await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
          await page.getByText(shows).first().waitFor();
          expect([hash, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([hash, width]);
          expect([hash, scheme, await page.evaluate(`axe.run(${rules}).then(${AXE_FAULTS})`)]).toEqual([
            hash,
            scheme,
            [],
          ]);
        }
      }
      expect(await page.locator('img[src="x"], main script').count()).toBe(0);
    },
    LIMIT_MS,
  );

  test(
    "a thousand tasks are one page of rows, and the rest is a key away",
    async () => {
      const page = await open();
      const answer = { status: 200, contentType: "text/event-stream", body: manyTasks(1_000) };
      await page.route("**/v1/events", (route) => route.fulfill(answer));
      await page.goto(session().url);
      await page.getByLabel("Token").fill(world.tokens.tenant);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByText("1–50 of 1000").waitFor();
      expect(await tasks(page).count()).toBe(50);
      expect(await tasks(page).first().textContent()).toContain("task-999");
      await page.getByRole("button", { name: "Next" }).press("Enter");
      await page.getByText("51–100 of 1000").waitFor();
      await page.getByLabel("Search").fill("task-77");
      await tasks(page).nth(11).waitFor({ state: "detached" });
      expect(await tasks(page).count()).toBe(11);
    },
    LIMIT_MS,
  );
});
