/** Pictures of every screen, or of some, to be looked at: node --import tsx tests/browser/shots.ts FOLDER [NAME,NAME] */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { openBrowser, openPage } from "./open";
import { SCREENS } from "./screens";
import { startWorkbench } from "./server";

const folder = process.argv[2] ?? "shots";
await mkdir(folder, { recursive: true });
const workbench = await startWorkbench();
const browser = await openBrowser();
const wanted = process.argv[3]?.split(",");
const widths = process.env.PLAIN_NAMES ? [1280] : [1280, 400];
for (const width of widths) {
  for (const [language, dark] of [
    ["en", false],
    ["zh", true],
  ] as const) {
    for (const screen of SCREENS.filter((one) => !wanted || wanted.includes(one.name))) {
      const { context, page, errors } = await openPage(browser, `${workbench.url}/${screen.place}`, {
        language,
        dark,
        width,
      });
      await page
        .waitForSelector(screen.ready, { timeout: 40000 })
        .catch((error: unknown) => errors.push(String(error)));
      if (screen.stays) await page.waitForTimeout(4000);
      else await page.waitForLoadState("networkidle");
      const fullPage = !process.env.PLAIN_NAMES;
      const clip = { x: 0, y: 0, width, height: 760 };
      const path = join(folder, `${screen.name}-${language}-${width}.png`);
      await page.screenshot(fullPage ? { path, fullPage } : { path, clip });
      process.stdout.write(`${screen.name} ${language} ${width} ${errors.join(" | ")}\n`);
      await context.close();
    }
  }
}
await browser.close();
await workbench.close();
