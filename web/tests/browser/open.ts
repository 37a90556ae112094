/** A real Chromium, and pages that tell what went wrong in them. */
import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { FRESH, freshPages } from "./pages";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export function chromiumPath(): string | undefined {
  return PLACES.find((path) => existsSync(path));
}

export async function openBrowser(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (!executablePath) throw new Error("no Chromium here: apt-get install chromium");
  return chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

export interface Look {
  language?: "en" | "zh";
  dark?: boolean;
  width?: number;
  /** Pixels of a picture for each of the page's. */
  scale?: number;
}

export interface Opened {
  context: BrowserContext;
  page: Page;
  /** Errors of scripts and of the console, refused styles and scripts too. */
  errors: string[];
}

export async function openPage(browser: Browser, url: string, look: Look = {}): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width: look.width ?? 1280, height: 900 },
    deviceScaleFactor: look.scale ?? 1,
    locale: look.language === "zh" ? "zh-CN" : "en-US",
    colorScheme: look.dark ? "dark" : "light",
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning")
      errors.push(`${message.text()} ${message.location().url}`.trim());
  });
  // Nothing leaves this host.
  await context.route("**/*", (route) =>
    new URL(route.request().url()).hostname === "127.0.0.1" ? route.continue() : route.abort(),
  );
  if (FRESH) await freshPages(context);
  await page.goto(url);
  return { context, page, errors };
}
