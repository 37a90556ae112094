/** What people do in the workbench, done in a browser. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { type Opened, openBrowser, openPage } from "./open";
import { startWorkbench, type Workbench } from "./server";
import { tick } from "./tick";

let workbench: Workbench;
let browser: Browser;
let opened: Opened | null = null;

before(async () => {
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
});
beforeEach(async () => {
  workbench = await startWorkbench();
});
afterEach(async () => {
  await opened?.context.close();
  opened = null;
  await workbench.close();
});

async function at(place: string, language: "en" | "zh" = "en"): Promise<Page> {
  opened = await openPage(browser, `${workbench.url}/${place}`, { language });
  return opened.page;
}

const firstCell = (page: Page, column: number): Promise<string | null> =>
  page.locator("#aggregate tbody tr.ant-table-row td").nth(column).textContent();

test("a zoom in one chart zooms all, the table speaks of that stretch, and the link carries it", async () => {
  const page = await at("#/runs/shop-3");
  const over = page.locator("#time .u-over").first();
  await over.waitFor();
  await page.locator("#aggregate .ant-table-row").first().waitFor();
  const whole = await firstCell(page, 1);
  const box = await over.boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width * 0.3, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 40, { steps: 5 });
  await page.mouse.up();
  await page.getByText("from the stored histograms").waitFor();
  await page.waitForFunction(
    (before) => document.querySelector("#aggregate tr.ant-table-row td:nth-child(2)")?.textContent !== before,
    whole,
  );
  const link = page.url();
  assert.match(link, /from=1\d&to=2\d/);
  await page.getByRole("button", { name: "Show the whole run" }).click();
  await page.getByText("The whole measured time").waitFor();
  await page.goto(link);
  await page.reload();
  await page.getByText("from the stored histograms").waitFor();
  assert.deepEqual(opened?.errors, []);
});

test("the keyboard alone moves one cursor over all charts, zooms, and shows the whole run", async () => {
  const page = await at("#/runs/shop-3");
  const charts = page.locator("#time .chart");
  await charts.first().locator("canvas").waitFor();
  await charts.first().locator(".plot").focus();
  for (let i = 0; i < 8; i += 1) await page.keyboard.press("ArrowRight");
  // Each chart that is drawn says the same second.
  await page.waitForFunction(() => {
    const said = Array.from(document.querySelectorAll("#time .chart h3 .at"), (at) => at.textContent).filter(Boolean);
    return said.length >= 2 && new Set(said).size === 1 && said[0] !== "0 s";
  });
  await page.keyboard.press("+");
  await page.waitForURL(/from=/);
  await page.keyboard.press("0");
  await page.waitForFunction(() => !location.hash.includes("from="));
});

test("steps one after the other each zoom further, and only the last stretch is asked for", async () => {
  const page = await at("#/runs/shop-3");
  await page.locator("#time .chart canvas").first().waitFor();
  await page.waitForLoadState("networkidle");
  const asked: string[] = [];
  page.on("request", (request) => {
    if (/\/labels\?/.test(request.url())) asked.push(request.url());
  });
  await page.evaluate(() => {
    const plot = document.querySelector("#time .chart .plot");
    for (let i = 0; i < 3; i += 1) plot?.dispatchEvent(new KeyboardEvent("keydown", { key: "+", bubbles: true }));
  });
  await page.waitForURL(/from=/);
  const [, from, to] = /from=(\d+)&to=(\d+)/.exec(page.url()) ?? [];
  // 44 s halved three times, to whole seconds.
  assert.ok(Number(to) - Number(from) >= 5 && Number(to) - Number(from) <= 8, page.url());
  await page.getByText("from the stored histograms").waitFor();
  assert.deepEqual(
    asked.map((url) => /from_s=(\d+)/.exec(url)?.[1]),
    [from],
  );
});

test("columns are sorted both ways, by the keyboard too", async () => {
  const page = await at("#/runs/shop-3");
  const head = page.locator("#aggregate th").filter({ hasText: "Average" }).first();
  await head.waitFor();
  const figures = async (): Promise<number[]> => {
    const rows = await page
      .locator("#aggregate .kind")
      .first()
      .locator("tr.ant-table-row td:nth-child(3)")
      .allTextContents();
    return rows.map(Number);
  };
  await head.click();
  const down = await figures();
  assert.deepEqual(
    down,
    [...down].sort((a, b) => b - a),
  );
  await head.focus();
  await page.keyboard.press("Enter");
  const up = await figures();
  assert.deepEqual(
    up,
    [...up].sort((a, b) => a - b),
  );
  assert.ok(new Set(up).size > 1);
});

test("a search and a verdict narrow the list; the address keeps them", async () => {
  const page = await at("#/runs");
  await page.locator(".run-name").nth(2).waitFor();
  await page
    .getByRole("searchbox")
    .or(page.getByLabel("Search names, plans, targets, notes"))
    .first()
    .fill("pool of 8");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelectorAll(".run-name").length === 1);
  assert.match(page.url(), /search=pool/);
});

test("a deleted run comes back", async () => {
  const page = await at("#/runs");
  await page.locator(".run-name").nth(2).waitFor();
  await tick(page.getByRole("checkbox").nth(1));
  await page.getByRole("button", { name: "Delete" }).click();
  await page.waitForFunction(() => document.querySelectorAll(".run-name").length === 2);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.waitForFunction(() => document.querySelectorAll(".run-name").length === 3);
});

test("a note and tags are kept", async () => {
  const page = await at("#/runs/shop-3");
  await page.getByRole("button", { name: "Edit note and tags" }).click();
  await page.getByRole("textbox", { name: "Note" }).fill("<b>bold</b> note");
  await page.getByRole("button", { name: "Save" }).click();
  // What is typed stands in the dialog, too: that goes when the note is kept.
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await page.getByText("<b>bold</b> note").waitFor();
  assert.equal(workbench.shelf.rows[0]?.note, "<b>bold</b> note");
});

test("a run is started from the browser, followed live, changed and stopped", async () => {
  const page = await at("#/start");
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByText("Write an address that begins with").waitFor();
  assert.equal(workbench.shelf.orders.length, 0);
  await page.getByPlaceholder("http://127.0.0.1:8080/hello").fill("http://127.0.0.1:1/hello");
  const users = page.getByRole("spinbutton", { name: "Users" });
  for (const wrong of ["-5", "0", "2.5", "十", "999999999999", ""]) {
    await users.fill(wrong);
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByText("Write a whole number of at least 1").waitFor();
    assert.equal(workbench.shelf.orders.length, 0, wrong);
  }
  await users.fill("10");
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForURL(/#\/runs\/live-1/);
  assert.deepEqual(workbench.shelf.orders[0], {
    url: "http://127.0.0.1:1/hello",
    users: 10,
    duration: "30s",
    watch: "auto",
  });
  await page.locator("#root .figures-row").waitFor();
  await page.getByText("Found nginx[18080] <b>").waitFor();
  await page.locator(".chart canvas").first().waitFor();
  await page.getByRole("button", { name: "Extend" }).click();
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByRole("button", { name: "Stop gracefully" }).click();
  await page.getByText("The run has ended.").waitFor();
  assert.deepEqual(workbench.shelf.asked, ['extend {"by_s":60}', 'stop {"how":"graceful"}']);
  await page.getByRole("button", { name: "Show the result" }).click();
  await page.locator("#aggregate").waitFor();
  assert.deepEqual(opened?.errors, []);
});

test("mistakes of a plan are shown with their places", async () => {
  const page = await at("#/start");
  await page.getByText("Plan", { exact: true }).first().click();
  await page.locator("textarea").fill("name: x\nwrong: 1\n");
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByText("line 2, column 1: unknown key “wrong”").waitFor();
});

test("what is not there says so", async () => {
  const page = await at("#/runs/nobody");
  await page.getByText("There is no run nobody.").waitFor();
  await page.goto(`${workbench.url}/#/nowhere`);
  await page.getByText("There is no such page").waitFor();
});

test("from a finding to a study of it: the editor opens with its text, which is begun; a mistake has its place", async () => {
  const page = await at("#/runs/shop-3/findings");
  await page.getByRole("link", { name: "Study of this finding" }).first().click();
  await page.getByText("Made from a finding.").waitFor();
  await page.getByText("shop.yaml", { exact: false }).first().waitFor();
  const text = page.getByRole("textbox", { name: "Study (YAML)" });
  await page.waitForFunction(() => document.querySelector("textarea")?.value.includes("maximise throughput"));
  await text.fill("wrong: 1");
  await page.getByRole("button", { name: "Begin" }).click();
  await page.getByText("line 1, column 1: unknown key “wrong”").waitFor();
  await text.fill("plan: shop.yaml");
  await page.getByRole("button", { name: "Begin" }).click();
  await page.waitForURL(/#\/tune\/shop$/);
  await page.getByText("11 trials can judge nothing.").waitFor();
  await page.locator("tr.ant-table-row").nth(5).waitFor();
  await page.getByText("Everything is as it was before the study.").waitFor();
  // What the study names goes with it.
  const files = [{ name: "shop.yaml", base64: "bmFtZTogc2hvcAo=" }];
  const order = { study: "plan: shop.yaml", files };
  assert.equal(workbench.shelf.asked.at(-1), `studies ${JSON.stringify(order)}`);
});

test("a study that goes on tells each trial, and is stopped; one that was cut off is put back", async () => {
  const page = await at("#/tune");
  await page.getByRole("link", { name: "live-study" }).click();
  await page.locator("tr.ant-table-row").nth(3).waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByText("the target is put back as it was").waitFor();
  await page.goto(`${workbench.url}/#/tune/cut-study`);
  await page.getByRole("button", { name: "Put everything back" }).click();
  await page.getByText("The server has taken it.").waitFor();
  assert.deepEqual(workbench.shelf.asked, ["studies/live-study/stop {}", "studies/cut-study/restore {}"]);
});

test("a run at set times is ordered as it is typed", async () => {
  const page = await at("#/schedules");
  await page.locator(".plain-table").waitFor();
  await page.getByRole("textbox", { name: "When" }).fill("0 3 * * *");
  await page.getByPlaceholder("http://127.0.0.1:8080/hello").fill("http://127.0.0.1:1/a");
  await page.getByRole("button", { name: "Add" }).click();
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>(".ant-input-lg")?.value === "");
  assert.deepEqual(JSON.parse((workbench.shelf.asked[0] ?? "").replace("schedules ", "")), {
    name: "http://127.0.0.1:1/a",
    cron: "0 3 * * *",
    order: { url: "http://127.0.0.1:1/a", users: 10, duration: "30s", watch: "auto" },
  });
});

test("a measurement is ordered as it is typed", async () => {
  const page = await at("#/measurements/new?kind=interleave");
  const url = page.getByPlaceholder("http://127.0.0.1:8080/hello");
  await url.nth(0).fill("http://127.0.0.1:1/a");
  await url.nth(1).fill("http://127.0.0.1:1/b");
  await page.getByRole("spinbutton", { name: "Pairs" }).fill("7");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForURL(/#\/measurements\/m-2/);
  const [asked = ""] = workbench.shelf.asked;
  const shared = { users: 10, duration: "30s" };
  assert.deepEqual(JSON.parse(asked.replace("measurements ", "")), {
    kind: "interleave",
    order: { url: "http://127.0.0.1:1/a", ...shared, watch: "auto" },
    b: { url: "http://127.0.0.1:1/b", ...shared, watch: "auto" },
    pairs: 7,
  });
});

test("language and theme are chosen, and remembered", async () => {
  const page = await at("#/runs");
  await page.getByLabel("Language").selectOption("zh");
  await page.getByRole("heading", { name: "测试运行" }).waitFor();
  await page.getByLabel("主题").selectOption("dark");
  await page.reload();
  await page.getByRole("heading", { name: "测试运行" }).waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
});

/** Goes on by the Tab key until what has the focus is called so. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let i = 0; i < 200; i += 1) {
    await page.keyboard.press("Tab");
    const said = await page.evaluate(() => {
      const at = document.activeElement;
      const labels = at instanceof HTMLInputElement ? Array.from(at.labels ?? [], (one) => one.textContent) : [];
      return [at?.getAttribute("aria-label"), at?.getAttribute("placeholder"), at?.textContent, ...labels].join(" ");
    });
    if (name.test(said)) return;
  }
  assert.fail(`the Tab key never came to ${name}`);
}

test("a run is begun, stopped and looked at by the keyboard alone", async () => {
  const page = await at("#/runs");
  await page.locator(".run-name").first().waitFor();
  await tabTo(page, /^ *New run/);
  await page.keyboard.press("Enter");
  await page.locator("form").waitFor();
  await tabTo(page, /127\.0\.0\.1:8080/);
  await page.keyboard.type("http://127.0.0.1:1/hello");
  await page.keyboard.press("Enter");
  await page.waitForURL(/#\/runs\/live-1/);
  await page.locator("#root .figures-row").waitFor();
  await tabTo(page, /^ *Stop$/);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Stop gracefully" }).waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent?.includes("Stop gracefully"));
  await page.keyboard.press("Enter");
  await page.getByText("The run has ended.").waitFor();
  await tabTo(page, /Show the result/);
  await page.keyboard.press("Enter");
  await page.locator("#aggregate").waitFor();
  await tabTo(page, /^ *Findings$/);
  await page.keyboard.press("Enter");
  await page.locator(".finding").first().waitFor();
  assert.deepEqual(opened?.errors, []);
});

test("from a finding to the thread that holds its lock, and through the flame graph, by the keyboard alone", async () => {
  const page = await at("#/runs/shop-3/findings");
  await page.locator(".exhibits .locks").first().waitFor();
  await page.getByText("shop.Inventory.reserve").first().waitFor();
  await tabTo(page, /^ *Flight recording/);
  await page.keyboard.press("Enter");
  await page.locator(".flame-graph canvas").waitFor();
  await tabTo(page, /Search calls/);
  await page.keyboard.type("cart.add");
  await page.getByText(/20 found, [\d.]+ % of all/).waitFor();
  await tabTo(page, /Arrow keys go from call to call/);
  const said = (): Promise<string | null> => page.locator(".flame-at").textContent();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.match((await said()) ?? "", /shop\.layer0\.Service\.call 900 samples \(90/);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Show the whole graph" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Show the whole graph" }).waitFor({ state: "detached" });
  assert.equal(await page.evaluate(() => "harmed" in window), false);
  assert.deepEqual(opened?.errors, []);
});
