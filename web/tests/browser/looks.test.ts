/** Every screen in both languages, both themes and two widths: complete, accessible, quiet, no wider than the window. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { type Look, openBrowser, openPage } from "./open";
import { SCREENS } from "./screens";
import { HOSTILE, startWorkbench, type Workbench } from "./server";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
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

interface Violation {
  id: string;
  impact: string | null;
  nodes: { html: string; failureSummary?: string }[];
}

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run: (of: Document) => Promise<{ violations: Violation[] }> } };
    return (await axe.run(document)).violations;
  });
  const grave = found.filter((one) => one.impact === "serious" || one.impact === "critical");
  return grave.map(
    (one) =>
      `${one.id}: ${one.nodes
        .map((node) => node.html.slice(0, 160))
        .join(" | ")
        .slice(0, 600)}`,
  );
}

/** What sticks out of the window and out of no box that scrolls; text, since the runner's marks are not there. */
const WIDER = `(() => {
  const scrolls = (node) => {
    for (let at = node.parentElement; at && at !== document.body; at = at.parentElement) {
      if (getComputedStyle(at).overflowX !== "visible") return true;
    }
    return false;
  };
  const out = Array.from(document.querySelectorAll("body *")).filter((node) => {
    const at = node.getBoundingClientRect();
    return at.width > 0 && at.right > innerWidth + 1 && !scrolls(node);
  });
  return out.slice(0, 5).map((node) => node.tagName + "." + node.className + " " + (node.textContent || "").slice(0, 40));
})()`;

for (const screen of SCREENS) {
  for (const look of LOOKS) {
    const name = `${screen.name} ${look.language} ${look.dark ? "dark" : "light"} ${look.width}`;
    test(name, async () => {
      const { context, page, errors } = await openPage(browser, `${workbench.url}/${screen.place}`, look);
      await page.waitForSelector(screen.ready, { state: "attached" });
      await page.waitForLoadState("networkidle");
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
