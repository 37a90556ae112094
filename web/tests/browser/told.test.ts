/** Runs at set times, who is told of them, and machines that are heard: on a real server, with real receivers. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { after, before, test } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import type { Schedule } from "../../src/api/schedules";
import { violations, WIDER } from "./axe";
import { type Fleet, startFleet, WORKER, ZONE } from "./fleet";
import { openBrowser, openPage } from "./open";
import { type Real, startReal } from "./real";
import { remove } from "./remove";
import { tick } from "./tick";

const SECRET = "a secret of the receiver";
const HOSTILE = "<img src=x onerror=harmed=1>";

interface Message {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Takes messages, and lets a test wait for one. */
class Receiver {
  readonly messages: Message[] = [];
  private readonly waiting: (() => void)[] = [];
  private readonly server: Server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (part: string) => {
      body += part;
    });
    request.on("end", () => {
      this.messages.push({ path: request.url ?? "", headers: request.headers, body });
      // What begins so is refused once and for all.
      response.writeHead(request.url?.startsWith("/refuse") ? 410 : 200).end("<b>ok</b>");
      for (const again of this.waiting.splice(0)) again();
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((done) => this.server.listen(0, "127.0.0.1", done));
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async message(is: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.messages.find(is);
      if (found) return found;
      await new Promise<void>((heard) => this.waiting.push(heard));
    }
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }
}

const receiver = new Receiver();
let address = "";
let fleet: Fleet;
let real: Real;
let browser: Browser;
before(async () => {
  address = await receiver.listen();
  fleet = await startFleet();
  real = await startReal({
    args: [...fleet.args, "--allow-webhook", address],
    env: { ...fleet.env, PLIMSOLL_WEBHOOK_SECRET: SECRET, PLIMSOLL_WEBHOOK_PATH: "t0ken" },
  });
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await real?.close();
  await fleet?.close();
  await receiver.close();
});

const schedules = async (): Promise<Schedule[]> => ((await real.api("/schedules")) as { items: Schedule[] }).items;

const rowOf = (page: Page, name: string): Locator =>
  page.getByRole("row").filter({ has: page.locator("bdi").getByText(name, { exact: true }) });

async function order(page: Page, name: string, cron: string, zone: string): Promise<void> {
  const form = page.locator("form");
  await form.getByRole("textbox", { name: "When" }).fill(cron);
  await form.getByRole("textbox", { name: "Time zone" }).fill(zone);
  await form.getByPlaceholder("http://127.0.0.1:8080/hello").fill(`${real.target}/hello`);
  await form.getByRole("spinbutton").first().fill("1");
  await form.getByRole("textbox", { name: "Duration" }).fill("1s");
  await form.getByRole("textbox", { name: "Name" }).fill(name);
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await rowOf(page, name).waitFor();
}

test("who is told of runs is added; a test arrives, signed, with what the environment has", async () => {
  const { context, page, errors } = await openPage(browser, `${real.url}/#/settings`);
  const told = page.locator("section").filter({ has: page.getByRole("heading", { name: "Who is told of runs" }) });
  await told.getByRole("textbox", { name: "Name" }).fill(HOSTILE);
  await told
    .getByRole("textbox", { name: "Address" })
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the server puts it in
    .fill("http://RECEIVER/hook/${PLIMSOLL_WEBHOOK_PATH}".replace("RECEIVER", address));
  await told.getByRole("textbox", { name: "Variable with the secret" }).fill("PLIMSOLL_WEBHOOK_SECRET");
  for (const event of ["begin", "end", "finding"]) await tick(told.getByRole("checkbox", { name: event }));
  await told.getByRole("button", { name: "Add", exact: true }).click();
  await rowOf(page, HOSTILE).getByRole("button", { name: "Send a test" }).click();
  const { path, headers, body } = await receiver.message(({ body }) => body.includes('"test"'));
  assert.equal(path, "/hook/t0ken");
  const time = String(headers["x-plimsoll-timestamp"]);
  const signed = createHmac("sha256", SECRET).update(`${time}.${body}`).digest("hex");
  assert.equal(headers["x-plimsoll-signature"], `sha256=${signed}`);
  // What came of it is said where it was asked for; the receiver's words are a text.
  await told.getByRole("status").getByText("The test has arrived: status 200.").waitFor();
  await told.getByRole("status").getByText("<b>ok</b>").waitFor();
  // Its way is not shown, and neither is what the environment has.
  await rowOf(page, HOSTILE).getByText(`http://${address}/…`).waitFor();
  assert.equal(/t0ken|a secret of/.test((await page.textContent("body")) ?? ""), false);
  assert.equal(await page.evaluate(() => "harmed" in window), false);
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(errors, []);
  await context.close();
});

test("a test that does not arrive says why; an address that is not sent to is refused at its field", async () => {
  for (const language of ["en", "zh"] as const) {
    const { context, page, errors } = await openPage(browser, `${real.url}/#/settings`, { language });
    const isEnglish = language === "en";
    const told = page
      .locator("section")
      .filter({ has: page.getByText(isEnglish ? "Who is told of runs" : "运行通知") });
    const fill = async (label: string, text: string): Promise<void> =>
      told.getByRole("textbox", { name: label, exact: false }).first().fill(text);
    const [name, url, add] = isEnglish ? ["Name", "Address", "Add"] : ["名称", "地址", "添加"];
    await fill(name, `refuses ${language}`);
    await fill(url, "http://10.11.12.13/hook");
    await told.getByRole("button", { name: add }).click();
    const wrong = told.locator(".field", { has: page.getByText(url, { exact: true }) }).locator(".wrong");
    await wrong.getByText("--allow-webhook").waitFor();
    await fill(url, `http://${address}/refuse`);
    await told.getByRole("button", { name: add }).click();
    const row = rowOf(page, `refuses ${language}`);
    await row.getByRole("button", { name: isEnglish ? "Send a test" : "发送测试消息" }).click();
    const said = told.getByRole("alert");
    await said.getByText(isEnglish ? "The test has not arrived" : "测试消息未送达").waitFor();
    await said.getByText(isEnglish ? "status 410" : "状态码410").waitFor();
    await said.getByText("<b>ok</b>").waitFor();
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(await page.evaluate(WIDER), []);
    assert.deepEqual(
      errors.filter((error) => !error.includes("400")),
      [],
    );
    await context.close();
  }
});

test("a run at a set time is made in the browser; another one is changed, switched off, deleted", async () => {
  const { context, page, errors } = await openPage(browser, `${real.url}/#/schedules`);
  await page.getByText("Nothing runs at set times yet.").waitFor();
  // Due at the next full minute, while the other tests go on; the last test here waits for its run.
  await order(page, "each minute", "* * * * *", "UTC");
  await order(page, "nightly", "30 2 * * *", "Asia/Shanghai");
  const nightly = async (): Promise<Schedule | undefined> =>
    (await schedules()).find(({ cron }) => cron !== "* * * * *");
  // Half past two in Shanghai is half past six in the evening, UTC, in every season.
  assert.match((await nightly())?.next ?? "", /T18:30:00/);
  await rowOf(page, "nightly").getByRole("button", { name: "Change" }).click();
  const changed = page.locator("tr.changing");
  await changed.getByRole("textbox", { name: "When" }).fill("61 2 * * *");
  await changed.getByRole("button", { name: "Save" }).click();
  await page.locator(".ant-message-error").getByText("61 2 * * *").first().waitFor();
  await changed.getByRole("textbox", { name: "When" }).fill("0 4 * * 1");
  await changed.getByRole("textbox", { name: "Name" }).fill(HOSTILE);
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(await page.evaluate(WIDER), []);
  await changed.getByRole("button", { name: "Save" }).click();
  await rowOf(page, HOSTILE).getByText("0 4 * * 1").waitFor();
  assert.match((await nightly())?.next ?? "", /T20:00:00/);
  const enabled = rowOf(page, HOSTILE).getByRole("switch");
  await enabled.click();
  await page.waitForFunction(() => document.querySelector("tr:nth-child(2) [role=switch][aria-checked=false]"));
  assert.equal((await nightly())?.next, null);
  await remove(page, rowOf(page, HOSTILE), HOSTILE);
  await rowOf(page, HOSTILE).waitFor({ state: "detached" });
  assert.equal((await schedules()).length, 1);
  assert.equal(await page.evaluate(() => "harmed" in window), false);
  // What the server refused (400) stands in the console as the browser's own word.
  assert.deepEqual(
    errors.filter((error) => !error.includes("400")),
    [],
  );
  await context.close();
});

test("workers and agents that are heard are shown with health, clock and version, and what was calibrated", async () => {
  const { context, page, errors } = await openPage(browser, `${real.url}/#/machines`);
  const worker = rowOf(page, WORKER);
  await worker.getByText("healthy").waitFor();
  await worker.getByText("idle").waitFor();
  await worker.getByText(`zone=${ZONE}`).waitFor();
  const { version } = (await real.api("/meta")) as { version: string };
  const cells = await worker.getByRole("cell").allTextContents();
  assert.ok(cells.includes(version), cells.join(" | "));
  assert.ok(cells.includes(hostname()), cells.join(" | "));
  const agent = page.getByRole("row").filter({ hasText: "agent" });
  await agent.waitFor();
  assert.ok((await agent.getByRole("cell").allTextContents()).includes(version));
  const { items } = (await real.api("/calibrations")) as { items: { users: number; threads: number }[] };
  assert.equal(items.length, 1);
  const ceilings = page.locator("section").filter({ has: page.getByRole("heading", { name: "Calibrations" }) });
  assert.equal(await ceilings.locator("tbody tr").count(), 1);
  await ceilings.getByText("built-in").first().waitFor();
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(await page.evaluate(WIDER), []);
  assert.deepEqual(errors, []);
  await context.close();
});

test("a run of something that is down tells its begin, end, verdict and finding, and the log says so", async () => {
  const { context, page, errors } = await openPage(browser, `${real.url}/#/start`);
  await page.getByPlaceholder("http://127.0.0.1:8080/hello").fill("http://127.0.0.1:1/down");
  await page.getByRole("textbox", { name: "Duration" }).fill("2s");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForURL(/#\/runs\/.+/);
  const of = async (event: string): Promise<Record<string, unknown>> => {
    const { body } = await receiver.message(
      ({ body }) => body.includes(`"event":"${event}"`) && body.includes("127.0.0.1:1/"),
    );
    return JSON.parse(body) as Record<string, unknown>;
  };
  const told = await Promise.all(["begin", "end", "verdict", "finding"].map(of));
  const [begin, end, verdict, finding] = told;
  assert.equal(new Set(told.map(({ run }) => run)).size, 1);
  assert.equal(begin?.verdict, null);
  const { verdict: known } = (await real.api(`/runs/${begin?.run}`)) as { verdict: string };
  assert.notEqual(known, "passed");
  assert.equal(end?.verdict, known);
  assert.equal(verdict?.verdict, known);
  // What it says is the page's own first finding.
  const { findings } = (await real.api(`/runs/${begin?.run}/findings`)) as { findings: { title: string }[] };
  assert.ok(JSON.stringify(finding).includes(JSON.stringify(findings[0]?.title)), JSON.stringify(finding));
  await page.goto(`${real.url}/#/settings`);
  await rowOf(page, HOSTILE).getByRole("button", { name: "Messages" }).click();
  const log = page.locator(".deliveries li");
  for (const event of ["begin", "end", "not passed", "finding", "test"])
    await log.filter({ hasText: event }).first().waitFor();
  assert.equal(await log.filter({ hasText: "sent" }).count(), await log.count());
  await remove(page, rowOf(page, HOSTILE), HOSTILE);
  await rowOf(page, HOSTILE).waitFor({ state: "detached" });
  assert.equal(await page.evaluate(() => "harmed" in window), false);
  // It may have waited for the run of the schedule (409), which the page says in words.
  assert.deepEqual(
    errors.filter((error) => !error.includes("409")),
    [],
  );
  await context.close();
});

test("the run of the set time has begun by itself, and its result is a click away", async () => {
  const { context, page, errors } = await openPage(browser, `${real.url}/#/schedules`);
  // A schedule is due within a minute.
  const last = rowOf(page, "each minute").locator("td a").first();
  await last.waitFor({ timeout: 120_000 });
  const [schedule] = await schedules();
  assert.equal(schedule?.last?.error, null);
  // Nobody began it but the clock: it was due at a full minute.
  assert.match(schedule?.last?.at ?? "", /:00\.000Z$/);
  await last.click();
  await page.waitForURL(new RegExp(`#/runs/${schedule?.last?.run}`));
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.goto(`${real.url}/#/schedules`);
  await remove(page, rowOf(page, "each minute"), "each minute");
  await page.getByText("Nothing runs at set times yet.").waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});
