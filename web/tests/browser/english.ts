/** English in a page that should have none: names, code and what people wrote themselves stand in elements of their own. */
import type { Page } from "playwright-core";

/** Marks texts that are not the page's own. */
const OTHERS = "bdi, code, pre, textarea, input, option, .plot, .note, .run-links, .choice";

/** Three small words in a row are a sentence, or a part of one. */
const WORDS = "(?:^|[^A-Za-z./:_-])((?:[a-z]{2,}[ ,]+){2,}[a-z]{2,})(?![A-Za-z./:_-])";

/** Parts of English sentences that are shown. */
export function englishIn(page: Page): Promise<string[]> {
  return page.evaluate(
    ([others, words]) => {
      const found = new Set<string>();
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const parent = node.parentElement;
        if (!parent || parent.closest(`script, style, ${others}`)) continue;
        const text = (node.textContent ?? "").trim();
        if (new RegExp(words).test(text)) found.add(`${parent.tagName} ${parent.className}: ${text}`);
      }
      return [...found];
    },
    [OTHERS, WORDS] as const,
  );
}
