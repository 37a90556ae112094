/** Every screen in both languages, both themes and two widths: complete, accessible, quiet, no wider than the window. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { violations, WIDER } from "./axe";
import { type Look, openBrowser, openPage } from "./open";
import { SCREENS } from "./screens";
import { HOSTILE, startWorkbench, type Workbench } from "./server";

const LOOKS: Required<Look>[] = [
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

for (const screen of SCREENS) {
  for (const look of LOOKS) {
    const name = `${screen.name} ${look.language} ${look.dark ? "dark" : "light"} ${look.width}`;
    test(name, async () => {
      const { context, page, errors } = await openPage(browser, `${workbench.url}/${screen.place}`, look);
      await page.waitForSelector(screen.ready, { state: "attached" });
      if (!screen.stays) await page.waitForLoadState("networkidle");
      assert.deepEqual(await violations(page), []);
      assert.deepEqual(await page.evaluate(WIDER), []);
      assert.equal(await page.evaluate(() => document.documentElement.lang), look.language === "zh" ? "zh-CN" : "en");
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), look.dark ? "dark" : "light");
      assert.deepEqual(errors, []);
      await context.close();
    });
  }
}

test("hostile names are text", async () => {
  for (const place of ["#/runs", "#/runs/hostile", "#/compare?runs=hostile,shop-3"]) {
    const { context, page, errors } = await openPage(browser, `${workbench.url}/${place}`);
    await page.getByText(HOSTILE.slice(0, 30)).first().waitFor();
    await page.waitForLoadState("networkidle");
    assert.equal(await page.evaluate(() => "harmed" in window), false);
    assert.equal(await page.locator("img").count(), 0);
    assert.deepEqual(errors, []);
    await context.close();
  }
});
