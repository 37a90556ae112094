/** Evidence of a real fault, recorded, on a real server: what the page says is what the captures' own texts say. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import type { Capture, FindingEvidence } from "../../src/api/evidence";
import type { SeriesNames } from "../../src/api/types";
import { plansOf, targetPlans } from "../../src/parts/targetPlans";
import { violations, WIDER } from "./axe";
import { openBrowser, openPage } from "./open";
import { type Real, recordedFault, startReal } from "./real";

let real: Real;
let browser: Browser;
let run = "";
let captures: Capture[] = [];
before(async () => {
  real = await startReal({ prepare: (folder) => recordedFault(folder) });
  browser = await openBrowser();
  const runs = (await real.api("/runs")) as { items: { id: string }[] };
  run = runs.items[0]?.id ?? "";
  captures = ((await real.api(`/runs/${run}/evidence/captures?limit=1000`)) as { items: Capture[] }).items;
});
after(async () => {
  await browser?.close();
  await real?.close();
});

/** The bytes of a capture as text. */
const textOf = async ({ number }: Capture): Promise<string> =>
  (await fetch(`${real.url}/api/v1/runs/${run}/evidence/captures/${number}/file`)).text();

const first = (kind: string): Capture => {
  const found = captures.find((capture) => capture.kind === kind);
  assert.ok(found, kind);
  return found;
};

async function opened(page: Page, capture: Capture): Promise<void> {
  await page.goto(`${real.url}/#/runs/${run}/evidence?capture=${capture.number}`);
  await page.locator(".capture").waitFor();
}

test("each capture opens in each of its views, in both languages, without a fault", async () => {
  for (const language of ["en", "zh"] as const) {
    const place = `${real.url}/#/runs/${run}/evidence`;
    const { context, page, errors } = await openPage(browser, place, { language, dark: language === "zh" });
    await page
      .locator(".captures tbody tr")
      .nth(captures.length - 1)
      .waitFor();
    for (const capture of captures) {
      await opened(page, capture);
      const views = page.locator(".capture .section-head .ant-segmented-item");
      for (let i = 0; i < Math.max(1, await views.count()); i += 1) {
        if ((await views.count()) > 0) await views.nth(i).click();
        await page.waitForLoadState("networkidle");
        assert.equal(await page.locator(".capture .notice.bad").count(), 0, `${capture.number} ${capture.kind}`);
      }
    }
    assert.deepEqual(errors, []);
    await context.close();
  }
});

test("threads and their locks are those of the dump", async () => {
  const dump = first("thread_dump");
  const text = await textOf(dump);
  const { context, page, errors } = await openPage(browser, `${real.url}/#/runs/${run}/evidence`);
  await opened(page, dump);
  const said =
    (await page
      .locator(".capture")
      .getByText(/different stacks/)
      .textContent()) ?? "";
  const threads = text.split("\n").filter((line) => line.startsWith('"') && line.includes(" #")).length;
  assert.ok(threads > 5);
  assert.ok(Number(/(\d+) threads/.exec(said)?.[1]) >= threads, `${said} ${threads}`);
  // The first group's first call stands in the dump.
  const call = (await page.locator(".stack .calls code").first().textContent()) ?? "?";
  assert.ok(text.includes(call.split(".").at(-1) ?? "?"), call);
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(await page.evaluate(WIDER), []);
  assert.deepEqual(errors, []);
  await context.close();
});

test("the statement that lacks an index stands with its plan, and the classes with their bytes", async () => {
  const { context, page, errors } = await openPage(browser, `${real.url}/#/runs/${run}/evidence`);
  const statements = captures.filter((capture) => capture.views.includes("statements"));
  const texts = await Promise.all(statements.map(textOf));
  const at = texts.findIndex((text) => text.includes('"type":"ALL"'));
  assert.ok(at >= 0);
  await opened(page, statements[at] as Capture);
  await page.locator(".statement").first().waitFor();
  const shown = (await page.locator(".capture").textContent()) ?? "";
  assert.match(shown, /catalog_book/);
  const classes = first("class_histogram");
  const histogram = await textOf(classes);
  await opened(page, classes);
  await page.locator(".capture .figures").first().waitFor();
  // Each class whose name stands in the histogram as it is has the number of objects of that line.
  const rows = await page
    .locator(".capture tbody tr")
    .evaluateAll((all) =>
      all.map((one) => [
        one.querySelector("code")?.textContent ?? "",
        one.querySelectorAll(".r")[1]?.textContent ?? "",
      ]),
    );
  const lines = histogram.split("\n").map((line) => line.trim().split(/\s+/));
  const told = rows.flatMap(([name = "", objects = ""]) => {
    const line = lines.find((parts) => parts[3] === name);
    return line ? [[line[1], objects.replace(/,/g, "")]] : [];
  });
  assert.ok(told.length > 5, JSON.stringify(rows.slice(0, 5)));
  for (const [recorded, page] of told) assert.equal(page, recorded);
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(errors, []);
  await context.close();
});

test("goroutines are a flame graph of all of them, each look counted once", async () => {
  const { context, page, errors } = await openPage(browser, `${real.url}/#/runs/${run}/evidence`);
  await opened(page, first("goroutines"));
  await page.locator(".flame-graph canvas").waitFor();
  await page.locator(".capture").getByText("101 goroutines (100 %)").waitFor();
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(errors, []);
  await context.close();
});

test("the findings open at their evidence: series of the moment and captures", async () => {
  const { context, page, errors } = await openPage(browser, `${real.url}/#/runs/${run}/findings`);
  await page.locator(".finding").first().waitFor();
  await page.locator(".exhibits").first().waitFor();
  await page.locator(".exhibits .chart canvas").first().waitFor();
  // Each chart of the target's is the first that there is for a series: one in words, if any has these.
  const { items } = (await real.api(`/runs/${run}/evidence/findings`)) as { items: FindingEvidence[] };
  const plans = targetPlans((await real.api(`/runs/${run}/series/names`)) as SeriesNames);
  const wanted = items.flatMap(({ series }) =>
    plansOf(
      plans,
      series.map(({ id }) => id),
    ).map(({ title }) => title),
  );
  const titles = await page.locator(".exhibits .chart h3 > span:first-child").allTextContents();
  const ofTarget = titles.filter((title) => !["Throughput, /s", "p95, ms"].includes(title));
  assert.ok(ofTarget.length > 0, titles.join("; "));
  assert.deepEqual(
    ofTarget.filter((title) => !wanted.includes(title)),
    [],
  );
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(await page.evaluate(WIDER), []);
  assert.deepEqual(errors, []);
  await context.close();
});
