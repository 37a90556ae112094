/**
 * How long frames take while a long run is zoomed: 8 h, 50 labels, 200 series of the target, all shown.
 * node --import tsx tests/measure/zoom.ts
 */
import type { LabelSummary, SeriesColumn } from "../../src/api/types";
import { openBrowser, openPage } from "../browser/open";
import { startWorkbench } from "../browser/server";

const [HOURS, LABELS, GROUPS, OF_EACH, POINTS] = [8, 50, 50, 4, 600];
const STEP_S = (HOURS * 3600) / POINTS;

const workbench = await startWorkbench();
const { recorded } = workbench.shelf;
const wave = (n: number) =>
  Array.from({ length: POINTS }, (_, i) => 50 + 40 * Math.sin(i / (7 + n)) + ((i * 7919) % 13));
recorded.times = Array.from({ length: POINTS }, (_, i) => i * STEP_S);
recorded.series = recorded.series.map((column, n): SeriesColumn => ({ ...column, values: wave(n) }));
recorded.target = Array.from({ length: GROUPS * OF_EACH }, (_, n): SeriesColumn => {
  const group = Math.floor(n / OF_EACH);
  return {
    id: `target:${n}`,
    name: `measured.quantity.${group}`,
    unit: "1",
    entity: { kind: "process", name: `worker-${group}`, host: "vm" },
    attributes: [`part=${n % OF_EACH}`],
    values: wave(n),
  };
});
const first = recorded.summary.labels[0] as LabelSummary;
recorded.summary.labels = Array.from({ length: LABELS }, (_, n) => ({ ...first, label: `label ${n}` }));
recorded.heat = {
  times_s: Array.from({ length: 240 }, (_, i) => i * 120),
  step_s: 120,
  bounds_ms: Array.from({ length: 30 }, (_, i) => 10 ** (i / 10)),
  counts: Array.from({ length: 240 }, (_, i) => Array.from({ length: 30 }, (_, row) => (i * row) % 97)),
};
workbench.shelf.seconds = HOURS * 3600;

const browser = await openBrowser();
const { page, errors } = await openPage(browser, `${workbench.url}/#/runs`, { width: 1280 });
await page.locator(".run-name a").first().waitFor();
const begun = Date.now();
await page.locator(".run-name a").first().click();
await page.locator("#time .chart canvas").first().waitFor();
await page.locator("#aggregate tr.ant-table-row").first().waitFor();
const opened = Date.now() - begun;

/** Counts frames; text, since the runner's marks on functions are not known in the page. */
const LOOK = `(() => {
  const seen = [];
  Object.assign(window, { seen, looks: true });
  let last = performance.now();
  const look = (now) => {
    seen.push(now - last);
    last = now;
    if (window.looks) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()`;

/** Frames between now and the end of what is done meanwhile, ms. */
async function frames(what: () => Promise<void>): Promise<number[]> {
  await page.evaluate(LOOK);
  await what();
  return page.evaluate(() => {
    const told = window as unknown as { seen: number[]; looks: boolean };
    told.looks = false;
    return told.seen.slice(1);
  });
}

function told(name: string, all: number[]): void {
  const sorted = [...all].sort((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1);
  process.stdout.write(`${name}: ${all.length} frames, p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, max ${at(1)} ms\n`);
}

process.stdout.write(`opened in ${opened} ms\n`);
const plot = page.locator("#time .chart .plot").first();
await plot.focus();
told(
  "zoom in and out by the keyboard, 20 steps",
  await frames(async () => {
    for (let i = 0; i < 10; i += 1) await page.keyboard.press(i < 5 ? "+" : "-", { delay: 40 });
    for (let i = 0; i < 10; i += 1) await page.keyboard.press(i < 5 ? "+" : "-", { delay: 40 });
    await page.waitForTimeout(300);
  }),
);
await page.keyboard.press("0");
const box = await page.locator("#time .u-over").first().boundingBox();
if (box) {
  told(
    "cursor over all charts",
    await frames(async () => {
      await page.mouse.move(box.x + 5, box.y + 40);
      await page.mouse.move(box.x + box.width - 5, box.y + 40, { steps: 90 });
    }),
  );
  told(
    "zoom by dragging, three times",
    await frames(async () => {
      for (let i = 0; i < 3; i += 1) {
        await page.mouse.move(box.x + box.width * 0.3, box.y + 40);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width * 0.7, box.y + 40, { steps: 20 });
        await page.mouse.up();
        await page.waitForTimeout(250);
      }
    }),
  );
}
await page.locator("#target").scrollIntoViewIfNeeded();
await page.keyboard.press("0");
const target = page.locator("#target .chart .plot").first();
await target.waitFor();
await target.focus();
told(
  "zoom of the target's series by the keyboard",
  await frames(async () => {
    for (let i = 0; i < 10; i += 1) await page.keyboard.press(i < 5 ? "+" : "-", { delay: 40 });
    await page.waitForTimeout(300);
  }),
);
process.stdout.write(`errors: ${errors.length}\n`);
await browser.close();
await workbench.close();
