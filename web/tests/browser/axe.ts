/** What axe finds on a page, and what is wider than the window. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  id: string;
  impact: string | null;
  nodes: { html: string; failureSummary?: string }[];
}

interface Axe {
  run: (of: Document, how: { resultTypes: string[] }) => Promise<{ violations: Violation[] }>;
}

/** Serious and critical violations. */
export async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: Axe };
    return (await axe.run(document, { resultTypes: ["violations"] })).violations;
  });
  const grave = found.filter((one) => one.impact === "serious" || one.impact === "critical");
  return grave.map(
    (one) =>
      `${one.id}: ${one.nodes
        .map((node) => node.html.slice(0, 160))
        .join(" | ")
        .slice(0, 600)}`,
  );
}

/** What sticks out of the window and out of no box that scrolls; text, since the runner's marks are not there. */
export const WIDER = `(() => {
  const scrolls = (node) => {
    for (let at = node.parentElement; at && at !== document.body; at = at.parentElement) {
      if (getComputedStyle(at).overflowX !== "visible") return true;
    }
    return false;
  };
  const out = Array.from(document.querySelectorAll("body *")).filter((node) => {
    const at = node.getBoundingClientRect();
    return at.width > 0 && at.right > innerWidth + 1 && !scrolls(node);
  });
  return out.slice(0, 5).map((node) => node.tagName + "." + node.className + " " + (node.textContent || "").slice(0, 40));
})()`;
