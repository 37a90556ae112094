/**
 * Pictures of every screen, or of some, to be looked at: node --import tsx tests/browser/shots.ts FOLDER [NAME,NAME]
 * With LONG=1 all names and addresses have 2,000 characters. With SMALL=1 those of docs/screens.md: the first window of each at 1280 px, without hostile names, made small.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Look, openBrowser, openPage } from "./open";
import { SCREENS, type ScreenPlace } from "./screens";
import { startWorkbench } from "./server";

const folder = process.argv[2] ?? "shots";
const small = Boolean(process.env.SMALL);
const wanted = process.argv[3]?.split(",");
const screens = SCREENS.filter((one) => (!wanted || wanted.includes(one.name)) && !(small && one.hostile));
const HEIGHT = 760;

await mkdir(folder, { recursive: true });
const workbench = await startWorkbench(Boolean(process.env.LONG));
if (small) workbench.shelf.rows = workbench.shelf.rows.filter((row) => row.id !== "hostile");
const browser = await openBrowser();

async function picture(screen: ScreenPlace, look: Required<Look>): Promise<void> {
  const { language, width } = look;
  const { context, page, errors } = await openPage(browser, `${workbench.url}/${screen.place}`, look);
  await page.waitForSelector(screen.ready, { timeout: 40000 }).catch((error: unknown) => errors.push(String(error)));
  // A stream never falls silent: some seconds of it fill its charts.
  if (screen.stays) await page.waitForTimeout(4000);
  else await page.waitForLoadState("networkidle");
  if (small) {
    const path = join(folder, `${screen.name}${language === "zh" ? ".zh-CN" : ""}.png`);
    await page.screenshot({ path, clip: { x: 0, y: 0, width, height: HEIGHT } });
  } else await page.screenshot({ path: join(folder, `${screen.name}-${language}-${width}.png`), fullPage: true });
  process.stdout.write(`${screen.name} ${language} ${width} ${errors.join(" | ")}\n`);
  await context.close();
}

for (const width of small ? [1280] : [1280, 400]) {
  for (const [language, dark] of [
    ["en", false],
    ["zh", true],
  ] as const) {
    for (const screen of screens) await picture(screen, { language, dark, width, scale: small ? 0.6 : 1 });
  }
}
await browser.close();
await workbench.close();
