/** The page on the server that it is served by: runs are made, not recorded. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { violations } from "./axe";
import { openBrowser, openPage } from "./open";
import { type Real, startReal } from "./real";
import { tick } from "./tick";

let real: Real;
let browser: Browser;
before(async () => {
  real = await startReal();
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await real?.close();
});

/** What a chart says at its newest point, its cursor put there by the keyboard. */
async function newest(page: Page, title: string): Promise<string> {
  const chart = page.getByRole("region", { name: title, exact: true });
  await chart.scrollIntoViewIfNeeded();
  await chart.locator("canvas").waitFor();
  await chart.locator(".plot").focus();
  await page.keyboard.press("Escape");
  await page.keyboard.press("End");
  return (await chart.locator(".legend").textContent()) ?? "";
}

test("a run is begun in the browser, followed live with its target, changed, stopped, and its result counts every request", async () => {
  const { context, page, errors } = await openPage(browser, `${real.url}/#/start`);
  await page.getByPlaceholder("http://127.0.0.1:8080/hello").fill(`${real.target}/hello`);
  await page.getByRole("spinbutton").first().fill("2");
  await page.getByRole("textbox", { name: "Duration" }).fill("10m");
  const before = real.seen();
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForURL(/#\/runs\/.+/);
  // The generator's own CPU goes on with the seconds that are heard, and so do the target's series.
  const target = page.locator("#target .chart").first();
  await target.waitFor();
  await target.scrollIntoViewIfNeeded();
  await target.locator("canvas").waitFor();
  await page.waitForFunction(() =>
    /\b([6-9]|\d{2,}) s/.test(document.querySelector(".figures-row dd")?.textContent ?? ""),
  );
  assert.match(await newest(page, "Load generator"), /\d/);
  assert.deepEqual(await violations(page), []);

  await page.getByRole("button", { name: "Change load" }).click();
  const users = page.getByRole("spinbutton", { name: "Users" });
  assert.equal(await users.inputValue(), "2", "the load that there is");
  await users.fill("5");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.locator(".events li").filter({ hasText: "5" }).first().waitFor();
  await page.waitForFunction(() =>
    Array.from(document.querySelectorAll(".figures-row > div")).some(
      (one) =>
        one.querySelector("dt")?.textContent === "Users at work" &&
        /^5\b/.test(one.querySelector("dd")?.textContent ?? ""),
    ),
  );
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByRole("button", { name: "Stop gracefully" }).click();
  await page.getByText("The run has ended.").waitFor();
  // Its head knows, too.
  await page.locator(".run-head .badge.live").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Show the result" }).click();
  await page.locator("#aggregate tr.ant-table-row").first().waitFor();
  const samples = await page.locator("#aggregate tr.ant-table-row td").nth(1).textContent();
  assert.equal(Number(samples?.replace(/,/g, "")), real.seen() - before);
  assert.deepEqual(await violations(page), []);
  await page.getByRole("link", { name: "Findings", exact: true }).click();
  await page.locator(".card h2").first().waitFor();
  await page.getByRole("link", { name: "Plan and events", exact: true }).click();
  await page.locator("pre").first().waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test("mistakes of a plan are told with their places, in the page's language", async () => {
  const { context, page } = await openPage(browser, `${real.url}/#/start`, { language: "zh" });
  await page.getByText("测试计划", { exact: true }).first().click();
  await page.locator("textarea").fill("name: x\nwrong: 1\n");
  await page.getByRole("button", { name: "开始" }).click();
  await page.locator(".notice.bad").getByText(/wrong/).waitFor();
  assert.match((await page.locator(".notice.bad").textContent()) ?? "", /第 2 行/);
  await context.close();
});

test("a run of the command line appears by itself; what failed is shown with its sample, as text", async () => {
  const { context, page, errors } = await openPage(browser, `${real.url}/#/runs`);
  const known = await page.locator(".run-name a").count();
  const run = real.run("<b>by hand</b>", "/wrong");
  await page.locator(".run-name a").filter({ hasText: "<b>by hand</b>" }).waitFor();
  assert.ok((await page.locator(".run-name a").count()) > known);
  assert.notEqual(await run, null);
  await page.locator(".run-name a").filter({ hasText: "<b>by hand</b>" }).click();
  const again = page.getByRole("button", { name: "Show the result" });
  await page.locator("#errors .ant-collapse-header").first().or(again).waitFor();
  if (await again.isVisible()) await again.click();
  await page.locator("#errors .ant-collapse-header").first().click();
  await page.locator("#errors details summary").first().click();
  await page.getByText("<b>busy</b>").first().waitFor();
  assert.equal(await page.locator("#errors b", { hasText: "busy" }).count(), 0);
  assert.deepEqual(errors, []);
  await context.close();
});

test("a run is noted, deleted and brought back", async () => {
  await real.run("kept", "/hello");
  const { context, page, errors } = await openPage(browser, `${real.url}/#/runs`);
  const row = page.locator("tr.ant-table-row").filter({ has: page.getByRole("link", { name: "kept", exact: true }) });
  await row.getByRole("link", { name: "kept", exact: true }).click();
  await page.getByRole("button", { name: "Add a note" }).click();
  await page.getByRole("textbox", { name: "Note" }).fill("kept <i>as text</i>");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("kept <i>as text</i>").waitFor();
  await page.goto(`${real.url}/#/runs`);
  await page.getByText("kept <i>as text</i>").waitFor();
  await tick(row.getByRole("checkbox"));
  await page.getByRole("button", { name: "Delete" }).click();
  await row.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await row.waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});
