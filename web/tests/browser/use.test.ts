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
  const tiles = page.locator(".overview .figures-of");
  const samples = tiles.locator("dd").last();
  assert.equal(await tiles.locator("> p").textContent(), "Whole run");
  const all = await samples.textContent();
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
  // The big figures and the phases are of the stretch; what is of the whole run says so.
  assert.match((await tiles.locator("> p").textContent()) ?? "", /^1\d s – 2\d s$/);
  assert.notEqual(await samples.textContent(), all);
  assert.match((await page.locator("#distribution h3 .at").last().textContent()) ?? "", /^1\d s – 2\d s$/);
  for (const place of [".verdict", ".limits", "#errors .section-head", "#curve .section-head"])
    await page.locator(place).getByText("Whole run", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Show the whole run" }).click();
  await page.getByText("The whole measured time").waitFor();
  assert.equal(await tiles.locator("> p").textContent(), "Whole run");
  assert.equal(await samples.textContent(), all);
  assert.equal(await page.locator(".verdict").getByText("Whole run").count(), 0);
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
  await page.locator("#root .figures-row").first().waitFor();
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

test("the load of a live run is changed from what each scenario's is, and it says how long it goes on", async () => {
  const page = await at("#/runs/live");
  const tile = (name: string) => page.locator(".figures-row .card").filter({ hasText: name }).locator("dd");
  await page.getByRole("button", { name: "Change load" }).click();
  const rate = page.getByRole("spinbutton", { name: "Arrivals a second" });
  assert.equal(await rate.inputValue(), "12.5");
  await rate.fill("20");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.locator(".scenario-choice").click();
  await page.getByTitle("browse", { exact: true }).click();
  const users = page.getByRole("spinbutton", { name: "Users" });
  assert.equal(await users.inputValue(), "40");
  await users.fill("50");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.waitForFunction(() => document.querySelectorAll(".ant-message-notice").length >= 2);
  assert.deepEqual(workbench.shelf.asked, [
    'load {"scenario":"buy","rate":"20/s"}',
    'load {"scenario":"browse","users":50}',
  ]);
  assert.equal((await tile("Planned").textContent())?.trim(), "10 min");
  assert.match((await tile("Left").textContent()) ?? "", /^9 min /);
  // What no time ends says so.
  workbench.shelf.loads = { end_s: null, scenarios: [] };
  await page.reload();
  await page.getByText("no end fixed by time").waitFor();
  assert.equal(await page.getByText("Left", { exact: true }).count(), 0);
  await page.getByRole("button", { name: "Change load" }).click();
  await page.getByText("The load of this run cannot be changed here now.").waitFor();
});

test("the target's charts have words, their series' names where one points, and any series can be chosen", async () => {
  const page = await at("#/runs/shop-3");
  const titles = page.locator("#target .chart h3 > span:first-child");
  await titles.nth(3).waitFor();
  assert.deepEqual(await titles.evaluateAll((all) => all.map((one) => [one.textContent, one.getAttribute("title")])), [
    ["CPU of the process (100 % is one core), % · nginx[18080]", "process.cpu.time"],
    ["CPU of the process (100 % is one core), % · python3[18081]", "process.cpu.time"],
    ["CPU of the host, % · vm", "system.cpu.time"],
    ["Memory of the host, MiB · vm", "system.memory.usage"],
  ]);
  await page.locator(".series-choice").click();
  await page.keyboard.type("disk.busy");
  await page.getByTitle("system.disk.busy").first().click();
  await titles.nth(4).waitFor();
  assert.match((await titles.nth(4).textContent()) ?? "", /system\.disk\.busy/);
});

test("what became of a run that was never made is said, and no failure", async () => {
  const page = await at("#/runs");
  await page.route("**/api/v1/runs/queued-2", (route) =>
    route.fulfill({
      status: 409,
      contentType: "application/problem+json",
      body: JSON.stringify({ type: "/problems/not-made", title: "It was never made", detail: "It was taken back." }),
    }),
  );
  await page.goto(`${workbench.url}/#/runs/queued-2`);
  await page.getByText("This run was never made").waitFor();
  await page.getByText("It was taken back.").waitFor();
  assert.equal(await page.getByRole("alert").count(), 0);
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

test("captures are asked for only where they were allowed, in every form that watches", async () => {
  const captures = (page: Page) => page.getByRole("checkbox", { name: "Allow captures of it" });
  const page = await at("#/start");
  const url = page.getByPlaceholder("http://127.0.0.1:8080/hello");
  await url.fill("http://127.0.0.1:1/hello");
  await page.getByText("Each pauses or slows the target for a moment.").waitFor();
  await tick(captures(page));
  // What is not watched has nothing captured; a plan may name its sources itself.
  const watch = page.getByRole("checkbox", { name: "Watch the target" });
  await tick(watch, false);
  assert.equal(await captures(page).isDisabled(), true);
  await page.getByText("Plan", { exact: true }).first().click();
  assert.equal(await captures(page).isDisabled(), false);
  await page.getByText("URL", { exact: true }).first().click();
  await tick(watch);
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForURL(/#\/runs\/live-1/);
  assert.equal(workbench.shelf.orders[0]?.watch_allow_capture, true);
  await page.goto(`${workbench.url}/#/measurements/new?kind=repeat`);
  await url.fill("http://127.0.0.1:1/hello");
  await tick(captures(page));
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForURL(/#\/measurements\/m-2/);
  await page.goto(`${workbench.url}/#/schedules`);
  await url.fill("http://127.0.0.1:1/hello");
  await tick(captures(page));
  await page.getByRole("button", { name: "Add" }).click();
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>(".ant-input-lg")?.value === "");
  for (const asked of workbench.shelf.asked) assert.match(asked, /"watch":"auto","watch_allow_capture":true/);
  assert.equal(workbench.shelf.asked.length, 2);
});

test("what differs between chosen runs is judged by sides, and only what is shown is coloured", async () => {
  const page = await at("#/compare?runs=shop-3,shop-2");
  await page.getByRole("heading", { name: /^Not judged: with one run a side/ }).waitFor();
  await page.getByText("The two sides were loaded differently.").waitFor();
  const coloured = page.locator("main .good-text, main .bad-text");
  assert.equal(await coloured.count(), 0);
  const labels = page.locator(".compared-labels");
  const heads = (await labels.locator("thead th").allTextContents()).map((text) => text.trim());
  for (const head of ["Throughput, /s", "Mean, ms", "p95, ms", "p99, ms", "Errors, %"]) assert.ok(heads.includes(head));
  // A third run on one side: the server judges, and the address carries the sides.
  await page.goto(`${workbench.url}/#/compare?runs=shop-3,shop-2,hostile&a=shop-3&b=shop-2`);
  await page
    .getByLabel(/^Side of /)
    .nth(0)
    .waitFor();
  await page.locator(".compare select").nth(2).selectOption("b");
  await page.getByRole("heading", { name: /^B differs from A/ }).waitFor();
  assert.match(page.url(), /b=shop-2%2Chostile/);
  assert.ok((await coloured.count()) > 0);
  for (const text of await coloured.allTextContents()) assert.doesNotMatch(text, /±|^[+−]?0(\.0+)? %$/);
  const stock = labels.getByRole("row").filter({ hasText: "GET /stock" });
  assert.equal(await stock.locator(".good-text, .bad-text").count(), 0);
  await stock.getByRole("button", { name: "GET /stock" }).click();
  await labels.getByText("95 % confidence interval of B − A").waitFor();
  // A side without a run is nothing to judge.
  await page.locator(".compare select").nth(0).selectOption("out");
  await page.getByText("Put at least one run on each side.").waitFor();
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
  await page.locator("#root .figures-row").first().waitFor();
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
