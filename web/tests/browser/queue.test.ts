/** Runs that wait for others, and plans that come with their files, on a real server. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import type { Schedule } from "../../src/api/schedules";
import { violations, WIDER } from "./axe";
import { openBrowser, openPage } from "./open";
import { type Real, startReal } from "./real";
import { tick } from "./tick";

/** The words that the service was asked for. */
const words = new Set<string>();
let real: Real;
let browser: Browser;
before(async () => {
  real = await startReal({
    responds: (request) => {
      const word = new URL(request.url ?? "/", "http://any").searchParams.get("word");
      if (word) words.add(word);
      return false;
    },
  });
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await real?.close();
});

/** Starts one without watching from the page; gives the last part of its address. */
async function begin(page: Page, name: string, duration: string): Promise<string> {
  await page.goto(`${real.url}/#/runs`);
  await page.goto(`${real.url}/#/start`);
  await page.getByPlaceholder("http://127.0.0.1:8080/hello").fill(`${real.target}/hello`);
  await page.getByRole("spinbutton").first().fill("1");
  await page.getByRole("textbox", { name: "Duration" }).fill(duration);
  await page.getByRole("textbox", { name: "Name" }).fill(name);
  await tick(page.getByRole("checkbox", { name: "Watch the target" }), false);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForURL(/#\/runs\/.+/);
  return decodeURIComponent(page.url().split("/").at(-1) ?? "");
}

const waiting = async (): Promise<string[]> =>
  ((await real.api("/runs?limit=1")) as { queued: { id: string }[] }).queued.map((one) => one.id);

test("a run that must wait says its place, moves up when another is taken back, and begins by itself", async () => {
  const { context, page, errors } = await openPage(browser, `${real.url}/#/start`);
  const first = await begin(page, "goes on", "10m");
  await page.locator(".figures-row").first().waitFor();
  const back = await begin(page, "taken <b>back</b>", "1s");
  await page.getByText("Place in the queue: 1.").waitFor();
  await page.locator("bdi").getByText("taken <b>back</b>", { exact: true }).waitFor();
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(await page.evaluate(WIDER), []);
  const other = await openPage(browser, `${real.url}/#/start`);
  const last = await begin(other.page, "waits", "1s");
  await other.page.getByText("Place in the queue: 2.").waitFor();
  assert.deepEqual(await waiting(), [back, last]);
  // The list has those that wait, too.
  await page.goto(`${real.url}/#/runs`);
  await page.locator(".notice").filter({ hasText: "waits" }).first().waitFor();
  await page.goto(`${real.url}/#/runs/${back}`);
  await page.getByRole("button", { name: "Take back" }).click();
  await page.waitForURL(/#\/runs$/);
  assert.deepEqual(await waiting(), [last]);
  await other.page.getByText("Place in the queue: 1.").waitFor();
  await real.api(`/runs/${first}/stop`, { how: "at_once" });
  // Nobody touches this page: it follows the run that has begun, to its end.
  await other.page.getByText("Place in the queue").waitFor({ state: "detached" });
  await other.page
    .getByRole("button", { name: "Show the result" })
    .or(other.page.locator("#aggregate"))
    .first()
    .waitFor();
  // Its address is its own, which outlives the ticket; one step back is where it was asked for.
  assert.doesNotMatch(other.page.url(), /queued-/);
  await other.page.goBack();
  await other.page.waitForURL(/#\/start$/);
  await page.goto(`${real.url}/#/runs/${back}`);
  await page.getByText("This run was never made").waitFor();
  await page.getByText("was taken back before it began").waitFor();
  const runs = (await real.api("/runs")) as { items: { name: string }[] };
  const names = runs.items.map((one) => one.name);
  assert.ok(names.includes("waits") && names.includes("goes on"), names.join());
  assert.ok(!names.some((name) => name.startsWith("taken")), names.join());
  // That a run waits is the status of what was asked for, which the console has as an error.
  const wrong = [...errors, ...other.errors].filter((error) => !/ 409 .*\/runs\/queued-\d+$/.test(error));
  assert.deepEqual(wrong, []);
  await other.context.close();
  await context.close();
});

/** A file of words, as somebody chooses it. */
const rows = (text: string) => ({ name: "words.csv", mimeType: "text/csv", buffer: Buffer.from(text) });

/** Types a plan of one user who asks for three words of a file; gives where its files are chosen. */
async function typePlan(page: Page): Promise<Locator> {
  const plan = [
    "name: with data",
    "users: 1",
    "iterations: 3",
    "data:",
    "  - csv: lists/words.csv",
    "steps:",
    `  - get: ${real.target}/hello?word=\${word}`,
  ];
  await page.getByText("Plan", { exact: true }).first().click();
  await page.locator("textarea").fill(`${plan.join("\n")}\n`);
  return page.locator('input[type="file"][multiple]');
}

test("a plan comes with the file that it reads, below the path that it has for it", async () => {
  const { context, page, errors } = await openPage(browser, `${real.url}/#/start`);
  const files = await typePlan(page);
  await files.setInputFiles([rows("word\nold\n"), { ...rows(""), name: "empty.csv" }]);
  // The same name again is the newer file; what is not needed is taken away.
  await page.getByRole("textbox", { name: "Path in the plan" }).nth(1).waitFor();
  await files.setInputFiles([rows("word\none\ntwo\n三\n")]);
  await page.getByRole("button", { name: "Remove" }).first().click();
  const path = page.getByRole("textbox", { name: "Path in the plan" });
  assert.equal(await path.count(), 1);
  assert.equal(await path.inputValue(), "words.csv");
  await tick(page.getByRole("checkbox", { name: "Watch the target" }), false);
  // A path that leads out of the plan's folder is refused, with its reason.
  await path.fill("../words.csv");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page
    .getByRole("alert")
    .getByText(/\.\.\/words\.csv/)
    .waitFor();
  await path.fill("lists/words.csv");
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(await page.evaluate(WIDER), []);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForURL(/#\/runs\/.+/);
  await page.getByRole("button", { name: "Show the result" }).or(page.locator("#aggregate")).first().waitFor();
  assert.deepEqual([...words].sort(), ["one", "two", "三"]);
  // The refusal is an error in the console, of a status that is right to be there.
  assert.deepEqual(
    errors.filter((error) => !/400|422/.test(error)),
    [],
  );
  await context.close();
});

test("a measurement's plan and a schedule's come with their files, too", async () => {
  words.clear();
  const { context, page, errors } = await openPage(browser, `${real.url}/#/measurements/new?kind=repeat`);
  const path = page.getByRole("textbox", { name: "Path in the plan" });
  await (await typePlan(page)).setInputFiles([rows("word\n四\nfive\nsix\n")]);
  await path.fill("lists/words.csv");
  await page.getByRole("spinbutton", { name: "How often" }).fill("2");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.locator("tfoot").waitFor({ timeout: 120_000 });
  assert.equal(await page.locator("tbody tr").count(), 2);
  assert.deepEqual([...words].sort(), ["five", "six", "四"]);
  await page.goto(`${real.url}/#/schedules`);
  await (await typePlan(page)).setInputFiles([rows("word\nseven\n")]);
  await path.fill("lists/words.csv");
  await page.getByRole("textbox", { name: "When" }).fill("30 2 29 2 *");
  await page.getByRole("textbox", { name: "Name" }).fill("in leap years");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("cell", { name: "in leap years Plan" }).waitFor();
  const { items } = (await real.api("/schedules")) as { items: Schedule[] };
  const sent = items[0]?.order.files?.map(({ name }) => name);
  assert.deepEqual(sent, ["lists/words.csv"]);
  assert.deepEqual(errors, []);
  await context.close();
});
