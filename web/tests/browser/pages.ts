/** The built pages, as a server hands them out: under its Content-Security-Policy. */
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import type { BrowserContext } from "playwright-core";

const DIST = new URL("../../dist/", import.meta.url).pathname;
const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};
const NONCE = "0123456789abcdef";
const POLICY =
  `default-src 'none'; script-src 'self' 'nonce-${NONCE}'; style-src 'self' 'nonce-${NONCE}'; img-src 'self' data: blob:; ` +
  "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export interface BuiltPage {
  body: Buffer;
  headers: Record<string, string>;
}

/** What is built for a path; null: nothing. */
export async function builtPage(path: string): Promise<BuiltPage | null> {
  const name = path === "/" ? "index.html" : normalize(path).replace(/^\/+/, "");
  try {
    const bytes = await readFile(join(DIST, name));
    return {
      body: name === "index.html" ? Buffer.from(bytes.toString().replaceAll("__CSP_NONCE__", NONCE)) : bytes,
      headers: {
        "content-type": TYPES[extname(name)] ?? "application/octet-stream",
        "content-security-policy": POLICY,
        "x-content-type-options": "nosniff",
      },
    };
  } catch {
    return null;
  }
}

/**
 * With FRESH_PAGES=1 the pages of web/dist stand in place of those in the binary: while one works on the page, no
 * binary needs to be built.
 */
export const FRESH = process.env.FRESH_PAGES === "1";

/** Has a browser take the built pages, whatever the server has; what they ask for goes to the server. */
export async function freshPages(context: BrowserContext): Promise<void> {
  await context.route(
    ({ pathname }) => !pathname.startsWith("/api/"),
    async (route) => {
      const page = await builtPage(new URL(route.request().url()).pathname);
      await (page ? route.fulfill(page) : route.continue());
    },
  );
}
