/** A run's result on the server that the page is served by: what it shows is what the API says of the same run. */
import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { after, before, test } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import type { Distribution, LabelTable, LoadCurve, RunDetail, RunPage, RunRow, SeriesTable } from "../../src/api/types";
import { count, figure, percent } from "../../src/format/number";
import { violations, WIDER } from "./axe";
import { type Opened, openBrowser, openPage } from "./open";
import { type Real, startReal } from "./real";
import { tick } from "./tick";

const SECRET = "b3-secret-4711";

let real: Real;
let browser: Browser;
let run: RunRow;
const rows = async (): Promise<RunRow[]> => ((await real.api("/runs")) as RunPage).items;
const of = (path: string): Promise<unknown> => real.api(`/runs/${run.id}${path}`);

before(async () => {
  real = await startReal();
  browser = await openBrowser();
  const plan = `
name: shop
target: ${real.target}
stages:
  - {users: 2, ramp: 0s, for: 5s}
  - {users: 6, ramp: 0s, for: 5s}
  - {users: 12, ramp: 0s, for: 5s}
headers: {Authorization: "Bearer ${SECRET}"}
steps:
  - {get: /hello, label: hello}
  - {get: /slow, label: slow}
  - {get: /wrong, label: wrong}
  - think: 50ms
goals: [p95 < 5 s, errors < 1 %]
`;
  assert.notEqual(await real.runPlan(plan), null);
  await real.run("another", "/hello");
  run = (await rows()).find((row) => row.name === "shop") as RunRow;
});
after(async () => {
  await browser?.close();
  await real?.close();
});

const at = (place: string): Promise<Opened> => openPage(browser, `${real.url}/#/${place}`);

const rowOf = (page: Page, name: string): Locator =>
  page.locator("tr.ant-table-row").filter({ has: page.getByRole("link", { name, exact: true }) });

/** The column of the label table's requests, as shown. */
async function shown(page: Page, column: number): Promise<string[]> {
  const cells = page.locator(`#aggregate .kind`).first().locator(`tr.ant-table-row td:nth-child(${column})`);
  return cells.allTextContents();
}

test("the list has each run's target, verdict, figures and course, and is narrowed by text and verdict", async () => {
  const { context, page, errors } = await at("runs");
  const row = rowOf(page, "shop");
  await row.waitFor();
  const said = await row.locator("td").allTextContents();
  assert.ok(said.some((cell) => cell.includes(run.target ?? "?")));
  // A busy machine may have made the load generator the limit.
  const verdicts: Record<string, string> = { failed: "Failed", limited: "Load generator was the bottleneck" };
  assert.ok(said.includes(verdicts[run.verdict ?? ""] ?? "?"), `${run.verdict} ${said}`);
  assert.ok(said.includes(figure(run.throughput)) && said.includes(figure(run.p95_ms)));
  assert.ok(said.includes(percent(run.error_share)));
  assert.equal(await row.locator("svg polyline, svg path").count(), 1);
  await page.getByLabel("Search names, plans, targets, notes").first().fill("anoth");
  await page.keyboard.press("Enter");
  await row.waitFor({ state: "detached" });
  await page.goto(`${real.url}/#/runs?verdict=${run.verdict}`);
  await row.waitFor();
  const expected = (await rows()).filter((one) => one.verdict === run.verdict).length;
  await page.waitForFunction((n) => document.querySelectorAll(".run-name").length === n, expected);
  assert.deepEqual(errors, []);
  await context.close();
});

test("any selection is compared: each figure of each run is the API's", async () => {
  const { context, page, errors } = await at("runs");
  for (const name of ["shop", "another"]) await tick(rowOf(page, name).getByRole("checkbox"));
  await page.getByRole("button", { name: "Compare" }).click();
  await page.waitForURL(/#\/compare\?runs=/);
  // What is not in the window is not drawn.
  await page.locator(".chart").first().scrollIntoViewIfNeeded();
  await page.locator(".chart canvas").first().waitFor();
  const said = (await page.locator("table").first().textContent()) ?? "";
  for (const row of await rows()) {
    const { total } = (await real.api(`/runs/${row.id}`)) as RunDetail;
    assert.ok(said.includes(figure(total.throughput_per_s)), `${row.name} ${said}`);
    assert.ok(said.includes(figure(total.response_time_ms.p99)), `${row.name} ${said}`);
  }
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(errors, []);
  await context.close();
});

test("the verdict, what limits and the figures stand in one window, and are the API's", async () => {
  const { context, page, errors } = await at(`runs/${run.id}`);
  const { total, goals } = (await of("")) as RunDetail;
  await page.locator(".overview .figures-row").waitFor();
  for (const part of [".verdict", ".limits", ".figures-row"]) {
    const box = await page.locator(`.overview ${part}`).first().boundingBox();
    assert.ok(box && box.y >= 0 && box.y + box.height <= 900, `${part} ${JSON.stringify(box)}`);
  }
  const figures = (await page.locator(".overview .figures-row dd").allTextContents()).map((text) => text.trim());
  const { p50, p95, p99, max } = total.response_time_ms;
  const times = [p50, p95, p99, max].map((ms) => `${figure(ms)} ms`);
  const expected = [`${figure(total.throughput_per_s)} /s`, ...times, `${percent(total.error_rate)} %`];
  assert.deepEqual(figures, [...expected, count(total.samples)]);
  assert.deepEqual(
    await page.locator(".goals tr").evaluateAll((all) => all.map((one) => one.className)),
    goals.map((goal) => (goal.met ? "good" : "bad")),
  );
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(await page.evaluate(WIDER), []);
  assert.deepEqual(errors, []);
  await context.close();
});

test("the aggregate table has the API's figures, and is sorted by them both ways", async () => {
  const { context, page, errors } = await at(`runs/${run.id}`);
  await page.locator("#aggregate tr.ant-table-row").nth(2).waitFor();
  const { items } = (await of("/labels")) as LabelTable;
  const down = [...items].sort((a, b) => b.response_time_ms.mean - a.response_time_ms.mean);
  const head = page.locator("#aggregate th").filter({ hasText: "Average" }).first();
  for (const order of [down, [...down].reverse()]) {
    await head.click();
    assert.deepEqual(
      await shown(page, 1),
      order.map((row) => row.label),
    );
    assert.deepEqual(
      await shown(page, 3),
      order.map((row) => figure(row.response_time_ms.mean)),
    );
    assert.deepEqual(
      await shown(page, 11),
      order.map((row) => percent(row.error_rate)),
    );
  }
  assert.deepEqual(errors, []);
  await context.close();
});

test("a zoom by the keyboard: the table has the API's figures of that stretch", async () => {
  const { context, page, errors } = await at(`runs/${run.id}`);
  const charts = page.locator("#time .chart");
  await charts.first().locator("canvas").waitFor();
  await charts.first().locator(".plot").focus();
  await page.keyboard.press("End");
  await page.keyboard.press("+");
  await page.getByText("from the stored histograms").waitFor();
  await page.waitForLoadState("networkidle");
  const [, from, to] = /from=(\d+)&to=(\d+)/.exec(page.url()) ?? [];
  const stretch = (await of(`/labels?from_s=${from}&to_s=${to}`)) as LabelTable;
  const whole = (await of("/labels")) as LabelTable;
  assert.ok(stretch.total.samples > 0 && stretch.total.samples < whole.total.samples);
  await page.locator("#aggregate tr.total").getByText(count(stretch.total.samples), { exact: true }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test("heat map, distribution and the curve of a run's stages are drawn of what the API gives", async () => {
  const { context, page, errors } = await at(`runs/${run.id}`);
  for (const title of ["Response times over time, ms", "Response time, ms"]) {
    const chart = page.getByRole("region", { name: title, exact: true });
    await chart.scrollIntoViewIfNeeded();
    await chart.locator("canvas").waitFor();
  }
  // At the right end of the distribution stands the longest response time.
  const chart = page.getByRole("region", { name: "Response time, ms", exact: true });
  const box = await chart.locator(".u-over").boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2);
  const { percentiles } = (await of("/distribution")) as Distribution;
  const longest = percentiles.at(-1)?.[1];
  await chart
    .locator(".legend")
    .getByText(`${figure(longest)} ms`)
    .waitFor();
  const curve = (await of("/curve")) as LoadCurve;
  assert.equal(curve.points.length, 3);
  // Each is drawn once it is in view.
  await page.locator("#curve .chart").nth(1).waitFor({ state: "attached" });
  for (const chart of await page.locator("#curve .chart").all()) {
    await chart.scrollIntoViewIfNeeded();
    await chart.locator("canvas").waitFor();
  }
  const said = await page.locator("#curve .curve-table tbody tr").allTextContents();
  assert.equal(said.length, 3);
  for (const [i, point] of curve.points.entries()) assert.ok(said[i]?.includes(figure(point.p95_ms)), said[i]);
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(errors, []);
  await context.close();
});

test("what failed stands with its meaning and samples, secrets masked", async () => {
  const { context, page, errors } = await at(`runs/${run.id}`);
  const { errors: groups = [] } = (await of("")) as RunDetail;
  await page.locator("#errors .ant-collapse-header").first().click();
  assert.match((await page.locator("#errors .error-head").first().textContent()) ?? "", /503/);
  assert.ok((await page.locator("#errors .error-head").first().textContent())?.includes(count(groups[0]?.count)));
  await page.locator("#errors details summary").first().click();
  await page.locator("#errors .exchange").first().getByText("GET /wrong").waitFor();
  const said = (await page.locator("#errors .exchange").first().textContent()) ?? "";
  assert.match(said, /authorization/i);
  assert.ok(!(await page.content()).includes(SECRET));
  assert.deepEqual(errors, []);
  await context.close();
});

test("a run is saved as one file and read in again, as the same run", async () => {
  const { context, page, errors } = await at(`runs/${run.id}`);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Export" }).click(),
  ]);
  const path = await download.path();
  assert.ok((await stat(path)).size > 1000);
  await page.goto(`${real.url}/#/runs`);
  await rowOf(page, "shop").first().waitFor();
  await page.locator('input[type="file"]').setInputFiles(path);
  await page.waitForFunction(
    () => Array.from(document.querySelectorAll(".run-name a")).filter((one) => one.textContent === "shop").length === 2,
  );
  const both = (await rows()).filter((row) => row.name === "shop");
  const [a, b] = await Promise.all(both.map(async (row) => (await real.api(`/runs/${row.id}`)) as RunDetail));
  assert.notEqual(both[0]?.id, both[1]?.id);
  assert.deepEqual(a?.total, b?.total);
  assert.deepEqual(errors, []);
  await context.close();
});

test("while it goes on, percentiles and errors by kind are those of the API, second by second", async () => {
  const wrong = `  - get: ${real.target}/wrong`;
  const going = real.runPlan(
    ["name: going", "users: 2", "duration: 8s", "steps:", wrong, "  - think: 20ms", ""].join("\n"),
  );
  const { context, page, errors } = await at("runs");
  await rowOf(page, "going").getByRole("link").click();
  await page.getByText("The run has ended.").waitFor();
  assert.notEqual(await going, null);
  const { id } = (await rows()).find((row) => row.name === "going") as RunRow;
  const table = (await real.api(`/runs/${id}/series`)) as SeriesTable;
  const figures = (await page.locator(".figures-row dd").allTextContents()).map((text) => text.trim());
  // The newest whole second; what ended after it is in the last one of the API.
  const valueAt = (at: number, id: string): number | null | undefined =>
    table.series.find((one) => one.id === id)?.values[at];
  const seconds = Array.from(table.times_s.keys());
  // The API rounds to a thousandth, the page what it heard before that.
  const isShown = (value: number | null | undefined): boolean =>
    [-0.0005, 0, 0.0005].some((by) => figures.includes(`${figure((value ?? Number.NaN) + by)} ms`));
  const second = seconds
    .reverse()
    .find((at) => ["p50", "p95", "p99"].every((name) => isShown(valueAt(at, `${name}_ms`))));
  assert.ok(second !== undefined && second >= table.times_s.length - 2, `${figures} ${JSON.stringify(table.series)}`);
  const chart = page.getByRole("region", { name: "Errors by kind", exact: true });
  await chart.scrollIntoViewIfNeeded();
  await chart.locator("canvas").waitFor();
  await chart.locator(".plot").focus();
  await page.keyboard.press("End");
  const kind = table.series.find((one) => one.id.startsWith("errors."));
  assert.ok(kind);
  await chart
    .locator(".legend")
    .getByText(`${figure(kind.values[second])} /s`)
    .first()
    .waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});
