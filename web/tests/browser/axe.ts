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

/**
 * Text that runs out of its own box over what is beside it, that is cut and does not tell the rest, that makes a table
 * scroll without end, or that fills a screen.
 */
export const SPILLED = `(() => {
  const told = (node) => node.closest("[title]")?.title || "";
  const shown = Array.from(document.querySelectorAll("main *, header *")).filter((node) => {
    const at = node.getBoundingClientRect();
    return at.width > 1 && at.height > 1;
  });
  const own = (node) => Array.from(node.childNodes).map((one) => (one.nodeType === 3 ? one.data : "")).join("");
  const owns = (node) => own(node).trim() !== "";
  const spilled = shown.filter((node) => {
    const style = getComputedStyle(node);
    if (style.display === "inline" || style.overflowX === "auto" || style.overflowX === "scroll") return false;
    return owns(node) && style.overflowX === "visible" && node.scrollWidth > node.clientWidth + 2;
  });
  // As a pointer comes over it.
  for (const node of shown) node.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
  const cut = shown.filter((node) => {
    const style = getComputedStyle(node);
    const isCut = style.overflowX === "hidden" || style.overflowX === "clip";
    const hides = node.scrollWidth > node.clientWidth + 2 || node.scrollHeight > node.clientHeight + 2;
    return isCut && hides && node.textContent.length > 200 && told(node) === "";
  });
  const says = (why) => (node) => why + " " + node.tagName + "." + node.className + " " + node.textContent.slice(0, 40);
  const FAR = 2000;
  const far = shown.filter((node) => getComputedStyle(node).overflowX === "auto" && node.scrollWidth > FAR);
  // Sentences and what stands as it was written go on as far as they must.
  const LINES = "p, li, pre, dd, summary, textarea, h2, .notice, .bad-text, .first-finding, td div, td .muted";
  const isTall = (node) => node.getBoundingClientRect().height > 200 && own(node).length > 200;
  const tall = shown.filter((node) => isTall(node) && !node.closest(LINES));
  const all = { spilled, cut, far, tall };
  return Object.entries(all).flatMap(([why, nodes]) => nodes.map(says(why))).slice(0, 40);
})()`;
