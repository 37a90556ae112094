/** Measurements, the target without load and machines, on a real server with a small service beside it. */
import assert from "node:assert/strict";
import { hostname } from "node:os";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import type { Comparison } from "../../src/api/measurements";
import { violations, WIDER } from "./axe";
import { type Opened, openBrowser, openPage } from "./open";
import { type Real, startReal } from "./real";
import { tick } from "./tick";

let real: Real;
let browser: Browser;
before(async () => {
  // Nothing listens at the second source: its trouble is to be told.
  real = await startReal({ args: ["--monitor", "host", "--monitor", "redis=127.0.0.1:1"] });
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await real?.close();
});

const at = (place: string): Promise<Opened> => openPage(browser, `${real.url}/#/${place}`);

async function choose(page: Page, kind: string): Promise<void> {
  await page.locator(".kinds").getByText(kind, { exact: true }).click();
}

async function typed(page: Page, of: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(of)) await page.getByRole("spinbutton", { name }).fill(value);
}

async function begin(page: Page): Promise<string> {
  // It is made of runs of seconds: without watching each begins at once.
  const watch = page.getByRole("checkbox", { name: "Watch the target" });
  if ((await watch.count()) > 0) await tick(watch, false);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForURL(/#\/measurements\/m-.+/);
  return page.url().split("/").at(-1) ?? "";
}

/** What the server itself knows of it. */
const known = async (id: string): Promise<Record<string, never>> =>
  (await real.api(`/measurements/${id}`)) as Record<string, never>;

test("a capacity is searched for from the browser, followed live, and its result is the server's", async () => {
  const { context, page, errors } = await at("measurements");
  await page.getByText("No measurements yet").waitFor();
  await page.getByRole("button", { name: "New measurement" }).click();
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.getByText("Write an address that begins with").waitFor();
  await page.getByPlaceholder("http://127.0.0.1:8080/hello").fill(`${real.target}/hello`);
  await page.getByRole("textbox", { name: "Goals" }).fill("p95 < 5 s");
  await typed(page, { From: "1", "Up to": "8", "Hold each load": "5", "Measurements at most": "4" });
  const id = await begin(page);
  // While it goes on: its steps, and the run of the moment in figures.
  await page.locator(".events li").filter({ hasText: "Measurement 1" }).waitFor();
  await page.getByRole("link", { name: "Follow it" }).waitFor();
  await page.locator(".figures-row").first().waitFor();
  assert.deepEqual(await violations(page), []);
  await page.locator(".measurement .chart canvas").first().waitFor({ timeout: 120_000 });
  const { result } = (await known(id)) as unknown as {
    result: {
      result: { end: string; load: number };
      measurements: { run: string; load: number }[];
      curve: { points: { load: number }[]; marks: Record<string, { load: number } | null> };
    };
  };
  assert.equal(result.result.end, "met_at_largest");
  await page.getByRole("heading", { name: `${result.result.load} users`, exact: true }).waitFor();
  await page.getByText("The goals are still met at the largest load tried").first().waitFor();
  assert.equal(await page.locator("tr.ant-table-row").count(), result.measurements.length);
  // The curve: a chart each for throughput and response time, its marks, and each load in the table with its letters.
  assert.equal(await page.locator("#curve .chart canvas").count(), 2);
  const { points, marks } = result.curve;
  assert.ok(points.length >= 3);
  const rows = await page.locator(".curve-table tbody tr").allTextContents();
  assert.equal(rows.length, points.length);
  const letters = { a: "A", c: "C", d: "D", e: "E", n_star: "N*" };
  const named = Object.entries(letters).filter(([name]) => marks[name]);
  assert.ok(named.length > 0);
  assert.equal(await page.locator(".marks li").count(), named.length);
  for (const [at, { load }] of points.entries()) {
    const here = named.filter(([name]) => marks[name]?.load === load).map(([, letter]) => letter);
    const cells = await page.locator(".curve-table tbody tr").nth(at).locator("td").allTextContents();
    assert.equal(cells[0], String(load));
    assert.equal(cells[1]?.replace("not steady", "").trim(), here.join(" "));
  }
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(await page.evaluate(WIDER), []);
  await page.locator("tr.ant-table-row a").first().click();
  await page.waitForURL(new RegExp(`#/runs/${result.measurements[0]?.run}`));
  await page.locator("#aggregate").waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test("the hops of a chain are loaded from the browser; what each adds is told", async () => {
  const { context, page, errors } = await at("measurements/new?kind=hops");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.getByText("Write at least two lines of NAME=URL.").waitFor();
  await page.locator("textarea").fill(`<b>front</b>=${real.target}/slow\nback=${real.target}/hello`);
  await typed(page, { Users: "1", "Rounds that count": "5", "Seconds of a round": "1" });
  const id = await begin(page);
  await page.locator(".hop-name").nth(1).waitFor({ timeout: 120_000 });
  const { result } = (await known(id)) as unknown as { result: { slowest: { name: string } } };
  // The front waits 40 ms more than what is said to be behind it.
  assert.equal(result.slowest.name, "<b>front</b>");
  await page.getByRole("heading", { name: /<b>front<\/b>.* (adds|seems to add) most/ }).waitFor();
  await page.getByText("Hops are loaded by runs that are not kept.").waitFor();
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(errors, []);
  await context.close();
});

test("a run is repeated, and two plans are made in turn: each run is there, and what differs is said", async () => {
  const { context, page, errors } = await at("measurements/new?kind=repeat");
  const url = page.getByPlaceholder("http://127.0.0.1:8080/hello");
  await url.fill(`${real.target}/hello`);
  await typed(page, { "How often": "2" });
  await page.getByRole("textbox", { name: "Duration" }).fill("1s");
  await begin(page);
  await page.locator("tfoot").waitFor({ timeout: 120_000 });
  assert.equal(await page.locator("tbody tr").count(), 2);
  await page.goto(`${real.url}/#/measurements/new?kind=interleave`);
  await url.nth(0).fill(`${real.target}/hello`);
  await url.nth(1).fill(`${real.target}/slow`);
  for (const i of [0, 1]) await page.getByRole("textbox", { name: "Duration" }).nth(i).fill("2s");
  await typed(page, { Pairs: "3" });
  const id = await begin(page);
  await page.locator(".measurement .verdict").waitFor({ timeout: 120_000 });
  // B waits 40 ms more at each request. Whether three pairs show that is decided by what else the machine does.
  const { result } = (await known(id)) as unknown as { result: Comparison };
  assert.ok((result.total.find(({ metric }) => metric === "mean")?.diff ?? 0) > 0);
  const slower = result.total.filter(({ metric, verdict }) => metric !== "throughput" && verdict === "higher");
  const table = page.locator(".measurement .verdict table").first();
  const told = table.getByRole("cell", { name: "higher (worse)" });
  if (slower.length > 0) await told.first().waitFor();
  assert.equal(await told.count(), slower.length);
  assert.equal(await page.locator(".run-links a").count(), 6);
  assert.deepEqual(await violations(page), []);
  await page.getByRole("link", { name: "Side by side" }).click();
  await page.locator(".compare tbody tr").nth(5).waitFor();
  // The same pairs are judged as such again, and the same is said.
  assert.match(page.url(), /paired=1/);
  await page.getByText("paired: the runs of both sides were interleaved").waitFor();
  await page.getByRole("cell", { name: "higher (worse)" }).first().waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test("a search that goes on is stopped, and is in the list as stopped", async () => {
  const { context, page } = await at("measurements/new");
  await choose(page, "Capacity");
  await page.getByPlaceholder("http://127.0.0.1:8080/hello").fill(`${real.target}/hello`);
  await typed(page, { "Up to": "50", "Hold each load": "600" });
  await begin(page);
  await page.locator(".events li").first().waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.locator("h1 .badge").filter({ hasText: "Stopped" }).waitFor({ timeout: 60_000 });
  await page.getByRole("link", { name: "Measurements" }).first().click();
  await page.locator("tr.ant-table-row").first().getByText("Stopped").waitFor();
  await context.close();
});

test("what the server refuses is said with its reason", async () => {
  const { context, page } = await at("measurements/new");
  await page.getByText("Plan", { exact: true }).first().click();
  await page.locator("textarea").first().fill("name: x\nwrong: 1\n");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page
    .getByRole("alert")
    .getByText(/line 2, column 1.*wrong/)
    .waitFor();
  await context.close();
});

test("the target is watched without load: live, on one cursor, zoomed; a source that fails says why", async () => {
  const { context, page, errors } = await at("monitor");
  const charts = page.locator(".charts .chart");
  await charts.first().locator("canvas").waitFor({ timeout: 60_000 });
  await page
    .locator(".troubles")
    .getByText(/127\.0\.0\.1:1/)
    .first()
    .waitFor({ timeout: 60_000 });
  await page.getByText("watched", { exact: true }).first().waitFor();
  const newest = async (): Promise<string> => {
    await charts.first().locator(".plot").focus();
    await page.keyboard.press("End");
    return (await charts.first().locator("h3 .at").textContent()) ?? "";
  };
  const before = await newest();
  assert.match(before, /^\d\d:\d\d:\d\d$/);
  await page.waitForFunction((was) => {
    const plot = document.querySelector<HTMLElement>(".charts .plot");
    plot?.dispatchEvent(new KeyboardEvent("keydown", { key: "End", bubbles: true }));
    const said = document.querySelector(".charts h3 .at")?.textContent ?? "";
    return said !== "" && said !== was;
  }, before);
  await page.waitForFunction(() => {
    const said = Array.from(document.querySelectorAll(".charts h3 .at"), (one) => one.textContent).filter(Boolean);
    return said.length >= 2 && new Set(said).size === 1;
  });
  await page.keyboard.press("+");
  await page.waitForURL(/from=\d{9,}/);
  await page.getByRole("button", { name: "Show the whole run" }).or(page.locator(".zoom.on button")).first().click();
  await page.getByText("1 hour", { exact: true }).click();
  await page.waitForURL(/last=3600/);
  await charts.first().locator("canvas").waitFor();
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(await page.evaluate(WIDER), []);
  assert.deepEqual(errors, []);
  await context.close();
});

test("a plan over its runs says what changed between them", async () => {
  await real.run("trend", "/hello");
  await real.run("trend", "/hello", 2);
  const { context, page, errors } = await at("runs");
  const rows = page.locator("tr.ant-table-row").filter({ hasText: "trend" });
  await rows.nth(1).waitFor();
  await tick(rows.first().getByRole("checkbox"));
  await page.getByRole("button", { name: "Trend" }).click();
  await page.getByRole("heading", { name: /^Trend/ }).waitFor();
  await page.locator("tr.ant-table-row").nth(1).waitFor();
  await page
    .locator(".changes li")
    .filter({ hasText: /load.*1.*→.*2/ })
    .first()
    .waitFor();
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(errors, []);
  await context.close();
});

test("this machine is shown as its system names it", async () => {
  const { context, page, errors } = await at("machines");
  await page.locator(".facts-list dd").getByText(hostname(), { exact: true }).waitFor();
  await page.getByRole("heading", { name: "Calibrations" }).waitFor();
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(errors, []);
  await context.close();
});
