/** A run against a real Java server that is watched: what limits it appears by itself, and a capture is taken by hand. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import type { Capture } from "../../src/api/evidence";
import { violations } from "./axe";
import { openBrowser, openPage } from "./open";
import { over, type Real, saying, startReal } from "./real";

/** The server that the tests of the command line diagnose: 2 workers of 50 ms. */
const LIMITED = new URL("../../../crates/cli/tests/java/Limited.java", import.meta.url).pathname;

let real: Real;
let browser: Browser;
let java: ChildProcess;
let port = "";
before(async () => {
  java = spawn("java", ["-XX:TieredStopAtLevel=1", LIMITED, "workers"], { stdio: ["pipe", "pipe", "inherit"] });
  port = (await saying(java, /port (\d+)/)).found[1] ?? "";
  real = await startReal();
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await real?.close();
  // It ends with its input.
  java?.stdin?.end();
  if (java) await over(java);
});

interface Evidence {
  items: Capture[];
}

test("what limits a run appears while it goes on; a capture is taken by a click, and opens in the page", async () => {
  const order = {
    url: `http://127.0.0.1:${port}/`,
    users: 12,
    duration: "10m",
    warm_up: "2s",
    watch: "auto",
    watch_allow_capture: true,
  };
  const { id } = (await real.api("/runs", order)) as { id: string };
  const { context, page, errors } = await openPage(browser, `${real.url}/#/runs/${id}`);
  const finding = page.getByRole("link", { name: /All 2 worker threads/ });
  await finding.first().waitFor({ timeout: 120_000 });
  const captures = async (): Promise<Capture[]> =>
    ((await real.api(`/runs/${id}/evidence/captures?limit=1000`)) as Evidence).items;
  const asked = async (): Promise<Capture[]> => (await captures()).filter((one) => one.moment === "request");
  assert.deepEqual(await asked(), []);
  await page.getByRole("button", { name: "Take a capture now" }).click();
  await page.getByText(/^Taken: .*[Tt]hread dump/).waitFor({ timeout: 60_000 });
  const dump = (await asked()).find((one) => one.kind === "thread_dump");
  assert.ok(dump, "the server has the dump that the page speaks of");
  assert.deepEqual(await violations(page), []);
  // What was taken is looked at while the run goes on: both workers work or wait for their 50 ms.
  await page.goto(`${real.url}/#/runs/${id}/evidence?capture=${dump.number}`);
  await page
    .locator(".capture")
    .getByText(/Limited/)
    .first()
    .waitFor();
  await real.api(`/runs/${id}/stop`, { how: "at_once" });
  assert.deepEqual(errors, []);
  await context.close();
});
