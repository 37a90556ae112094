/** Several people on one server: the first user, logging in, what each role sees and may do. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { violations, WIDER } from "./axe";
import { type Look, type Opened, openBrowser, openPage } from "./open";
import { type Real, startReal } from "./real";
import { remove } from "./remove";

const PASSWORD = "correct horse 电池";

let real: Real;
let browser: Browser;
before(async () => {
  real = await startReal({ args: ["--login", "--allow-host", "127.0.0.1"] });
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await real?.close();
});

async function fill(page: Page, user: string, password: string): Promise<void> {
  await page.getByRole("textbox", { name: "Name" }).fill(user);
  await page.getByLabel("Password").fill(password);
}

/** A page of somebody who has logged in. */
async function loggedIn(user: string, place = "#/runs", look: Look = {}): Promise<Opened> {
  const opened = await openPage(browser, `${real.url}/${place}`, look);
  await fill(opened.page, user, PASSWORD);
  await opened.page.getByRole("button", { name: "Log in", exact: true }).click();
  await opened.page.getByRole("button", { name: `Log out ${user}` }).waitFor();
  // A response of 401 stands in the console before anybody has logged in.
  opened.errors.splice(0);
  return opened;
}

const nav = (page: Page): Promise<string[]> => page.locator("header nav a").allTextContents();

test("the first user is made with the code of the terminal, and only with it; logs out and in", async () => {
  const [, code = ""] = /with this code: (\S+)/.exec(real.said) ?? [];
  assert.notEqual(code, "");
  const { context, page } = await openPage(browser, real.url);
  await page.getByRole("heading", { name: "The first user" }).waitFor();
  assert.deepEqual(await violations(page), []);
  await page.getByRole("textbox", { name: "Code" }).fill("aaaa-bbbb-cccc");
  await fill(page, "li", PASSWORD);
  await page.getByRole("button", { name: "Make the user" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByRole("textbox", { name: "Code" }).fill(` ${code} `);
  await page.getByRole("button", { name: "Make the user" }).click();
  await page.getByRole("heading", { name: "Runs" }).waitFor();
  await page.getByRole("button", { name: "Log out li" }).click();
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  // What was behind the login is gone.
  assert.equal(await page.locator("header nav").count(), 0);
  await fill(page, "li", "not this one at all");
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  await page.getByRole("alert").getByText("User and password do not match.").waitFor();
  await fill(page, "li", PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Log out li" }).waitFor();
  // It holds over a reload, without a word in the page's memory.
  await page.reload();
  await page.getByRole("button", { name: "Log out li" }).waitFor();
  assert.equal(await page.evaluate(() => document.cookie), "");
  await context.close();
});

test("an administrator adds users, changes a role, sets what is kept, and reads what was done", async () => {
  const { context, page, errors } = await loggedIn("li", "#/settings");
  const users = page.locator("section").filter({ has: page.getByRole("heading", { name: "Users", exact: true }) });
  for (const [user, role] of [
    ["wang", "look"],
    ["chen", "look and run"],
    ["zhao", "look"],
  ] as const) {
    await users.getByRole("textbox", { name: "Name" }).fill(user);
    await users.getByLabel("Password").fill(PASSWORD);
    await users.locator("form .ant-select").click();
    await page.locator(".ant-select-dropdown:visible .ant-select-item").getByText(role, { exact: true }).click();
    await users.getByRole("button", { name: "Add" }).click();
    await users.getByRole("cell", { name: user, exact: true }).waitFor();
  }
  // What cannot be a name is refused with the reason, and stays to be put right.
  await users.getByRole("textbox", { name: "Name" }).fill("<i>x</i>");
  await users.getByLabel("Password").fill(PASSWORD);
  await users.getByRole("button", { name: "Add" }).click();
  await page.locator(".ant-message-error").getByText("“<i>x</i>” cannot be a user's name").waitFor();
  assert.equal(await users.getByRole("textbox", { name: "Name" }).inputValue(), "<i>x</i>");
  await users.getByRole("textbox", { name: "Name" }).fill("");
  const zhao = users.getByRole("row").filter({ has: page.getByRole("cell", { name: "zhao", exact: true }) });
  await remove(page, zhao, "zhao");
  await zhao.waitFor({ state: "detached" });
  // The last administrator cannot go: the server's reason is shown.
  const li = users.getByRole("row").filter({ has: page.getByRole("cell", { name: "li", exact: true }) });
  await remove(page, li, "li");
  await page.locator(".ant-message-error").getByText("This is the last administrator.").first().waitFor();
  await page.getByRole("spinbutton", { name: "The trash is emptied after, days" }).fill("12");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  await page.reload();
  const days = page.getByRole("spinbutton", { name: "The trash is emptied after, days" });
  await days.waitFor();
  assert.equal(await days.inputValue(), "12");
  const audit = page.locator("section").filter({ has: page.getByRole("heading", { name: "Audit log" }) });
  await audit.getByText("PATCH /settings").first().waitFor();
  await audit.getByText("POST /users").first().waitFor();
  assert.equal((await audit.textContent())?.includes(PASSWORD), false);
  assert.deepEqual(await violations(page), []);
  // A refusal (409) is in the console as the browser's own word.
  assert.deepEqual(
    errors.filter((error) => !/40[09]|422/.test(error)),
    [],
  );
  await context.close();
});

test("who may look sees runs and settings, and begins, changes and administers nothing", async () => {
  const { context, page, errors } = await loggedIn("wang");
  await page.getByRole("link", { name: "Settings" }).waitFor();
  assert.equal((await nav(page)).includes("New run"), false);
  for (const name of ["New run", "Delete", "Import"]) assert.equal(await page.getByRole("button", { name }).count(), 0);
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("heading", { name: "Server", exact: true }).waitFor();
  await page.getByRole("heading", { name: "Tokens of programs" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Save" }).count(), 0);
  assert.equal(await page.getByRole("heading", { name: "Users", exact: true }).count(), 0);
  assert.equal(await page.getByRole("heading", { name: "Audit log" }).count(), 0);
  await page.goto(`${real.url}/#/measurements`);
  await page.getByText("No measurements yet").waitFor();
  assert.equal(await page.getByRole("button", { name: "New measurement" }).count(), 0);
  // Who goes there by a link is told, and has no form in which he would type for nothing.
  for (const [place, right] of [
    ["#/start", "look and run"],
    ["#/measurements/new?kind=hops", "look and run"],
    ["#/tune?new=1", "administer"],
  ]) {
    await page.goto(`${real.url}/${place}`);
    await page.getByText(`This needs the right “${right}”.`).waitFor();
    assert.equal(await page.locator("form").count(), 0, place);
  }
  await page.goto(`${real.url}/#/schedules`);
  await page.getByText("Nothing runs at set times yet.").waitFor();
  assert.equal(await page.locator("form").count(), 0);
  await page.goto(`${real.url}/#/tune`);
  await page.getByRole("heading", { name: "Tuning" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "New study" }).count(), 0);
  // A token of his own may no more than he: neither at first nor by choice.
  await page.goto(`${real.url}/#/settings`);
  const tokens = page.locator("section").filter({ has: page.getByRole("heading", { name: "Tokens of programs" }) });
  await tokens.locator("form .ant-select").click();
  const roles = page.locator(".ant-select-dropdown:visible .ant-select-item");
  await roles.first().waitFor();
  assert.deepEqual(await roles.allTextContents(), ["look"]);
  await page.keyboard.press("Escape");
  await tokens.getByRole("textbox", { name: "What it is for" }).fill("reads");
  await tokens.getByRole("button", { name: "Add" }).click();
  await tokens.locator(".notice code").waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test("who may run makes a run and a token of his own, which works once it is made and not once it is gone", async () => {
  const { context, page, errors } = await loggedIn("chen", "#/start");
  await page.getByPlaceholder("http://127.0.0.1:8080/hello").fill(`${real.target}/hello`);
  await page.getByRole("spinbutton").first().fill("1");
  await page.getByRole("textbox", { name: "Duration" }).fill("2s");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForURL(/#\/runs\/.+/);
  await page.getByText("The run has ended.").or(page.locator("#aggregate")).first().waitFor();
  await page.goto(`${real.url}/#/settings`);
  const tokens = page.locator("section").filter({ has: page.getByRole("heading", { name: "Tokens of programs" }) });
  await tokens.getByRole("textbox", { name: "What it is for" }).fill("<b>ci</b>");
  await tokens.getByRole("button", { name: "Add" }).click();
  const secret = (await tokens.locator(".notice code").textContent()) ?? "";
  assert.match(secret, /^plm_/);
  const asked = (): Promise<Response> =>
    fetch(`${real.url}/api/v1/runs`, { headers: { authorization: `Bearer ${secret}` } });
  assert.equal((await asked()).status, 200);
  await page.reload();
  await tokens.getByText("<b>ci</b>").waitFor();
  assert.equal((await page.textContent("body"))?.includes(secret), false);
  await remove(page, tokens.getByRole("row").filter({ hasText: "<b>ci</b>" }), "<b>ci</b>");
  await tokens.getByText("<b>ci</b>").waitFor({ state: "detached" });
  assert.equal((await asked()).status, 401);
  assert.equal(await page.getByRole("heading", { name: "Users", exact: true }).count(), 0);
  assert.deepEqual(errors, []);
  await context.close();
});

test("one's own password is changed; the old one ends with its sessions", async () => {
  const { context, page } = await loggedIn("wang", "#/settings");
  const own = page.locator("section").filter({ has: page.getByRole("heading", { name: "Your password" }) });
  const change = async (old: string): Promise<void> => {
    await own.getByLabel("Old password").fill(old);
    await own.getByLabel("New password").fill("another 密码 of mine");
    await own.getByRole("button", { name: "Change" }).click();
  };
  await change("not this one at all");
  await page.locator(".ant-message-error").first().waitFor();
  await page.getByRole("button", { name: "Log out wang" }).waitFor();
  await change(PASSWORD);
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  await fill(page, "wang", "another 密码 of mine");
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  await page.getByRole("button", { name: "Log out wang" }).waitFor();
  await context.close();
});

test("the screens of users and settings in the other language and theme, and narrow", async () => {
  for (const look of [
    { language: "zh", dark: true, width: 1280 },
    { language: "zh", dark: false, width: 400 },
  ] as const) {
    const { context, page, errors } = await openPage(browser, `${real.url}/#/settings`, look);
    await page.getByRole("textbox", { name: "用户名" }).fill("li");
    await page.getByLabel("密码").fill(PASSWORD);
    assert.deepEqual(await violations(page), []);
    await page.getByRole("button", { name: "登录", exact: true }).click();
    await page.getByRole("heading", { name: "审计日志" }).waitFor();
    errors.splice(0);
    await page.waitForLoadState("networkidle");
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(await page.evaluate(WIDER), []);
    assert.deepEqual(errors, []);
    await context.close();
  }
});
