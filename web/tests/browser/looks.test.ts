/** Every screen in both languages, both themes and two widths: complete, accessible, quiet, no wider than the window. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { SPILLED, violations, WIDER } from "./axe";
import { englishIn } from "./english";
import { HOSTILE } from "./evidence";
import { type Look, openBrowser, openPage } from "./open";
import { SCREENS, type ScreenPlace } from "./screens";
import { startWorkbench, type Workbench } from "./server";

const LOOKS: Required<Omit<Look, "scale">>[] = [
  { language: "en", dark: false, width: 1280 },
  { language: "zh", dark: true, width: 1280 },
  { language: "en", dark: true, width: 400 },
  { language: "zh", dark: false, width: 400 },
];

let workbench: Workbench;
let browser: Browser;
before(async () => {
  workbench = await startWorkbench();
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await workbench?.close();
});

/** Goes to a screen from a page that has nothing on it: what is looked for is then this screen's. */
async function show(page: Page, screen: ScreenPlace): Promise<void> {
  for (const place of ["#/nowhere", screen.place]) {
    await page.evaluate((to) => {
      location.hash = to;
    }, place);
    if (place === "#/nowhere") await page.waitForFunction(() => !document.querySelector("main .card, main table"));
  }
  await page.waitForSelector(screen.ready, { state: "attached" });
  if (!screen.stays) await page.waitForLoadState("networkidle");
}

for (const look of LOOKS) {
  const name = `${look.language} ${look.dark ? "dark" : "light"} ${look.width}`;
  test(name, async (all) => {
    // One page goes from screen to screen, as people do.
    const { context, page, errors } = await openPage(browser, `${workbench.url}/#/notices`, look);
    for (const screen of SCREENS) {
      await all.test(`${screen.name} ${name}`, async () => {
        await show(page, screen);
        assert.deepEqual(await violations(page), []);
        assert.deepEqual(await page.evaluate(WIDER), []);
        if (look.language === "zh") assert.deepEqual(await englishIn(page), []);
        assert.deepEqual(errors.splice(0), []);
      });
    }
    assert.equal(await page.evaluate(() => document.documentElement.lang), look.language === "zh" ? "zh-CN" : "en");
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), look.dark ? "dark" : "light");
    await context.close();
  });
}

for (const width of [1280, 400]) {
  test(`names and addresses of 2,000 characters stay in their places at ${width} px`, async (all) => {
    const long = await startWorkbench(true);
    const look: Look = { language: width === 400 ? "zh" : "en", width };
    const { context, page, errors } = await openPage(browser, `${long.url}/#/notices`, look);
    for (const screen of SCREENS) {
      await all.test(`${screen.name} ${width}`, async () => {
        await show(page, screen);
        assert.deepEqual([await page.evaluate(WIDER), await page.evaluate(SPILLED)], [[], []]);
        assert.deepEqual(errors.splice(0), []);
      });
    }
    await context.close();
    await long.close();
  });
}

test("hostile names are text", async () => {
  for (const place of [
    "#/runs",
    "#/runs/hostile",
    "#/compare?runs=hostile,shop-3",
    "#/runs/shop-3/evidence?capture=2",
  ]) {
    const { context, page, errors } = await openPage(browser, `${workbench.url}/${place}`);
    await page.getByText(HOSTILE.slice(0, 30)).first().waitFor();
    await page.waitForLoadState("networkidle");
    assert.equal(await page.evaluate(() => "harmed" in window), false);
    assert.equal(await page.locator("img").count(), 0);
    assert.deepEqual(errors, []);
    await context.close();
  }
});
