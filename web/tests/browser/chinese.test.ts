/** What a real server tells of real runs, in Chinese: no English sentence stands in it but what others wrote. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import type { RunPage, RunRow } from "../../src/api/types";
import { englishIn } from "./english";
import { type Opened, openBrowser, openPage } from "./open";
import { type Real, recordedFault, startReal } from "./real";

const FAULT = "F04-101-faulty";

let real: Real;
let browser: Browser;
let opened: Opened;
let runs: RunRow[] = [];
before(async () => {
  real = await startReal({
    args: ["--allow-webhook", "127.0.0.1"],
    prepare: (folder) => recordedFault(folder, FAULT),
  });
  const plan = `
name: 校验
target: ${real.target}
users: 1
duration: 2s
steps:
  - {get: /hello, check: {status: 201}}
`;
  assert.notEqual(await real.runPlan(plan), null);
  await real.run("慢", "/slow");
  runs = ((await real.api("/runs")) as RunPage).items;
  browser = await openBrowser();
  opened = await openPage(browser, `${real.url}/#/runs`, { language: "zh" });
});
after(async () => {
  await browser?.close();
  await real?.close();
});

const idOf = (name: string): string => runs.find((run) => run.name === name)?.id ?? "";

async function at(place: string, ready: string): Promise<Page> {
  const { page } = opened;
  await page.goto(`${real.url}/#/${place}`);
  await page.locator(ready).first().waitFor();
  await page.waitForLoadState("networkidle");
  return page;
}

async function isChinese(page: Page): Promise<void> {
  assert.deepEqual(await englishIn(page), [], page.url());
}

test("findings of a recorded fault, with where their rules come from", async () => {
  const fault = runs.find((run) => run.name !== "校验" && run.name !== "慢");
  const page = await at(`runs/${fault?.id}/findings`, ".finding");
  await isChinese(page);
  const said = (await page.textContent("main")) ?? "";
  assert.doesNotMatch(said, /field case|\bF\d\d\b/);
  await isChinese(await at(`runs/${fault?.id}`, ".overview"));
  await isChinese(await at(`runs/${fault?.id}/evidence`, ".captures"));
});

test("why a check failed is said in Chinese, without what it found and with it", async () => {
  const page = await at(`runs/${idOf("校验")}`, "#errors .error-head");
  const head = page.locator("#errors .error-head").first();
  await head.getByText("状态码应为 201").waitFor();
  await head.click();
  await page.locator("#errors details summary").first().getByText("实际为：200").waitFor();
  await isChinese(page);
});

test("runs that are compared: the loads, and why they are not simply comparable", async () => {
  const page = await at(`compare?runs=${idOf("校验")},${idOf("慢")}`, ".compared-labels, .notice.warn");
  await page.getByText("两侧没有共同的请求").waitFor();
  await isChinese(page);
});

test("why a webhook is refused, and why a test does not arrive", async () => {
  const page = await at("settings", ".settings-form .ant-checkbox-group");
  const told = page.locator("section").filter({ has: page.getByRole("heading", { name: "运行通知" }) });
  const form = told.locator("form");
  await form.locator("input").nth(0).fill("值班");
  await form.getByRole("textbox", { name: "地址" }).fill("http://10.1.2.3/");
  await form.getByRole("button", { name: "添加" }).click();
  await form.locator(".wrong").getByText("指向本机或内网").waitFor();
  await isChinese(page);
  await form.getByRole("textbox", { name: "地址" }).fill("http://127.0.0.1:1/");
  await form.getByRole("button", { name: "添加" }).click();
  await told.getByRole("button", { name: "发送测试消息" }).click();
  await told.getByRole("alert").getByText("无法连接").waitFor();
  await told.getByRole("button", { name: "消息记录" }).click();
  await told.locator(".deliveries li").first().waitFor();
  await isChinese(page);
});

test("what limits beyond the capacity", async () => {
  const { id } = (await real.api("/measurements", {
    kind: "capacity",
    order: { url: `${real.target}/slow`, goals: ["p95 < 1 ms"], watch: "auto" },
    from: "1",
    to: "2",
    step_s: 5,
    max_measurements: 2,
    cool_down: "0s",
    warm_up: "0s",
  })) as { id: string };
  const page = await at(`measurements/${id}`, ".measurement");
  await page.locator(".overview .limits").waitFor({ timeout: 120_000 });
  await isChinese(page);
});
