/** Studies on a server with `--allow tune`: a real service with one faulty setting is measured, changed, put back. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { copyFile, mkdir, readdir, readFile, readlink, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import type { StudyDetail, Trial, TrialMeasured } from "../../src/api/studies";
import { violations, WIDER } from "./axe";
import { openBrowser, openPage } from "./open";
import { over, type Real, recordedFault, startReal } from "./real";

/** With what editors of files like to lose. */
const SETTINGS = "# settings of the service\r\nworkers = 1\r\nname=名字\r\npassword=hunter2hunter2\r\n\r\nlast=1";
/** The service that the tests of the command line tune. */
const SERVICE = new URL("../../../crates/cli/tests/tune/service.py", import.meta.url).pathname;

let real: Real;
let browser: Browser;
let port = 0;
before(async () => {
  port = await freePort();
  const prepare = (folder: string): Promise<void> => recordedFault(folder, "F01-101-faulty");
  real = await startReal({ args: ["--allow", "tune"], prepare });
  await mkdir(join(real.folder, "conf"));
  await copyFile(SERVICE, join(real.folder, "service.py"));
  await writeFile(settings(), SETTINGS);
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  // A test that failed leaves no service behind.
  for (const pid of await services()) process.kill(pid, "SIGKILL");
  await real?.close();
});

const settings = (): string => join(real.folder, "conf", "service.properties");

async function freePort(): Promise<number> {
  const taken = createServer();
  await new Promise<void>((done) => taken.listen(0, "127.0.0.1", done));
  const { port } = taken.address() as AddressInfo;
  await new Promise((done) => taken.close(done));
  return port;
}

/** The service's processes: those at work in the folder of this test. */
async function services(): Promise<number[]> {
  const known: number[] = [];
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    const at = await readlink(`/proc/${pid}/cwd`).catch(() => "");
    if (at === real.folder && line.includes("service.py")) known.push(Number(pid));
  }
  return known;
}

const study = (more: string): string => `plan: http://127.0.0.1:${port}/work
users: 8
measure: 1s
warm-up: 1s
components:
  service:
    start: python3 -u service.py --port ${port} --file conf/service.properties
    ready: http://127.0.0.1:${port}/settings
    ready-within: 30s
    stop-within: 500ms
knobs:
  workers:
    file: conf/service.properties
    key: workers
    read-back:
      http: http://127.0.0.1:${port}/settings
      pointer: /workers
${more}`;

async function begin(page: Page, text: string): Promise<string> {
  await page.getByRole("textbox", { name: "Study (YAML)" }).fill(text);
  await page.getByRole("button", { name: "Begin" }).click();
  await page.waitForURL(/#\/tune\/[^?]+$/);
  return page.url().split("/").at(-1) ?? "";
}

const known = async (name: string): Promise<StudyDetail> => (await real.api(`/studies/${name}`)) as StudyDetail;

const measured = (trial: Trial): TrialMeasured | null => (trial.result.end === "measured" ? trial.result : null);

test("a study begun as text is followed trial by trial; its result is the server's, and all is put back", async () => {
  const { context, page, errors } = await openPage(browser, `${real.url}/#/tune`);
  await page.getByText("No studies yet").waitFor();
  await page.getByRole("button", { name: "New study" }).click();
  const text = study("    values: [4, 99]\nsearch: one-at-a-time\ntrials: 16\nseed: 3\n");
  // A mistake has its place, and is put right.
  await page.getByRole("textbox", { name: "Study (YAML)" }).fill(`nmae: shop\n${text}`);
  await page.getByRole("button", { name: "Begin" }).click();
  await page
    .getByRole("alert")
    .getByText(/line 1, column 1.*nmae/)
    .waitFor();
  const before = await readFile(settings());
  assert.equal(await begin(page, `name: shop\n${text}`), "shop");
  // Live: trials come one by one, while the server itself says that it goes on.
  const rows = page.locator("tr.ant-table-row");
  await rows.first().waitFor({ timeout: 60_000 });
  assert.equal((await known("shop")).state, "running");
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor();
  assert.deepEqual(await violations(page), []);
  await page.getByText("Everything is as it was before the study.").waitFor({ timeout: 240_000 });
  const end = await known("shop");
  assert.equal(end.state, "finished");
  assert.equal(await rows.count(), end.trials.length);
  // Each row says what its trial had: what was tried, what was read back, the figure.
  for (const [at, trial] of end.trials.entries()) {
    const row = rows.nth(at);
    const cells = await row.locator("td").allTextContents();
    assert.equal(cells[0], String(trial.number));
    const of = measured(trial);
    if (!of) {
      // With 99 it does not start, and says a password, which nobody is told.
      assert.equal(trial.values.workers, "99");
      await row.getByText("does not start").waitFor();
      continue;
    }
    // What it was found with is not read back: nothing was written.
    const read = trial.values.workers === undefined ? "–" : `workers=${trial.values.workers}`;
    assert.equal(cells.at(-2), read, cells.join(" | "));
    await row.locator(`a[href="#/runs/${of.run}"]`).waitFor();
  }
  assert.ok(end.trials.some((trial) => measured(trial) === null));
  // What is best is what was faulty: one worker alone.
  assert.deepEqual(end.result?.kept, { workers: "4" });
  await page.getByRole("heading", { name: "Better", exact: true }).waitFor();
  await page.locator(".verdict .lead").getByText("workers=4").waitFor();
  // Put back byte for byte, as somebody else's sum says, and nothing of the service is left.
  assert.deepEqual(await readFile(settings()), before);
  assert.equal(end.files[0]?.sha256, createHash("sha256").update(before).digest("hex"));
  assert.deepEqual(await services(), []);
  await page.getByText("What its settings stand in").click();
  await page.getByText(/service\.properties.*as before/).waitFor();
  const shown = (await page.textContent("body")) ?? "";
  assert.equal(shown.includes("hunter2"), false);
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(await page.evaluate(WIDER), []);
  // From a trial to its run.
  await rows.first().getByRole("link").first().click();
  await page.locator("#aggregate").waitFor();
  assert.deepEqual(
    errors.filter((error) => !error.includes("422")),
    [],
  );
  await context.close();
});

test("a study that goes on is stopped, in Chinese; all is as it was, and the list says so", async () => {
  const { context, page, errors } = await openPage(browser, `${real.url}/#/tune?new=1`, { language: "zh" });
  const before = await readFile(settings());
  await page.locator("textarea").fill(`name: <b>商店</b>\n${study("    range: 2..8\ntrials: 200\nseed: 5\n")}`);
  await page.locator("form button[type=submit]").click();
  await page.waitForURL(/#\/tune\/[^?]+$/);
  const name = decodeURIComponent(page.url().split("/").at(-1) ?? "");
  await page.locator("tr.ant-table-row").first().waitFor({ timeout: 60_000 });
  assert.notDeepEqual(await services(), []);
  await page.getByRole("button", { name: "停止", exact: true }).click();
  await page
    .locator(".notice.good")
    .getByText("一切")
    .or(page.locator(".notice.good"))
    .first()
    .waitFor({ timeout: 60_000 });
  const end = (await real.api(`/studies/${encodeURIComponent(name)}`)) as StudyDetail;
  assert.equal(end.state, "interrupted");
  assert.equal(end.brought_back?.as_before, true);
  assert.deepEqual(await readFile(settings()), before);
  assert.deepEqual(await services(), []);
  assert.deepEqual(await violations(page), []);
  await page.goto(`${real.url}/#/tune`);
  await page.locator("tr.ant-table-row").nth(1).waitFor();
  const states = await page.locator("tr.ant-table-row .badge").allTextContents();
  assert.deepEqual(states.length, 2);
  assert.deepEqual(errors, []);
  await context.close();
});

test("a study of the command line appears by itself, and is not offered to be stopped here", async () => {
  const { context, page, errors } = await openPage(browser, `${real.url}/#/tune`);
  await writeFile(join(real.folder, "study.yaml"), `name: by-hand\n${study("    range: 2..8\ntrials: 12\nseed: 3\n")}`);
  const before = await readFile(settings());
  const made = real.start(["tune", "study.yaml"]);
  await page.getByRole("link", { name: "by-hand" }).click({ timeout: 60_000 });
  await page.locator("tr.ant-table-row").first().waitFor({ timeout: 60_000 });
  assert.equal((await known("by-hand")).state, "running");
  await page.getByText("Run by plimsoll tune").waitFor();
  assert.equal(await page.getByRole("button", { name: "Stop", exact: true }).count(), 0);
  // Its own process is told to end, and puts all back; the page hears of that.
  made.kill("SIGINT");
  await over(made);
  await page.getByText("Everything is as it was before the study.").waitFor();
  assert.equal((await known("by-hand")).state, "interrupted");
  assert.deepEqual(await readFile(settings()), before);
  assert.deepEqual(await services(), []);
  assert.deepEqual(errors, []);
  await context.close();
});

test("from a finding of a recorded fault to the study that the server makes of it", async () => {
  const runs = (await real.api("/runs?limit=200")) as { items: { id: string; name: string }[] };
  const run = runs.items.find(({ name }) => name === "recorded")?.id;
  assert.ok(run);
  const { findings } = (await real.api(`/runs/${run}/findings`)) as {
    findings: { rank: number; advice: { knob: string | null }[] }[];
  };
  const advised = findings.find(({ advice }) => advice.some(({ knob }) => knob !== null));
  assert.ok(advised);
  const { context, page, errors } = await openPage(browser, `${real.url}/#/runs/${run}/findings`);
  await page.locator(`a[href*="finding=${advised.rank}"]`).click();
  const field = page.getByRole("textbox", { name: "Study (YAML)" });
  await page.waitForFunction(() => (document.querySelector("textarea")?.value ?? "") !== "");
  const proposed = (await real.api(`/runs/${run}/findings/${advised.rank}/study`)) as { study: string };
  assert.equal(await field.inputValue(), proposed.study);
  const knob = advised.advice.find(({ knob }) => knob !== null)?.knob;
  assert.ok(proposed.study.includes(`  ${knob}:`), proposed.study);
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(errors, []);
  await context.close();
});
