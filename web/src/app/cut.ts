/** Texts that a style may cut: see parts/cut.css. */
const CUT = "bdi, code, .name, .cut, .ant-tag";

/** The whole of what is cut, where one points at it or comes to it by the keyboard. */
function tell(event: Event): void {
  const node = event.target instanceof Element ? event.target.closest<HTMLElement>(CUT) : null;
  for (let at = node; at !== null; at = at.parentElement?.closest<HTMLElement>(CUT) ?? null) {
    const isCut = at.scrollHeight > at.clientHeight + 1 || at.scrollWidth > at.clientWidth + 1;
    // A text of its own stays.
    if (at.title !== "" && at.dataset.whole === undefined) continue;
    if (isCut) {
      at.title = at.textContent ?? "";
      at.dataset.whole = "";
    } else if (at.dataset.whole !== undefined) {
      at.removeAttribute("title");
      delete at.dataset.whole;
    }
  }
}

/** Has texts that are cut tell the rest. */
export function tellWhole(): void {
  document.addEventListener("pointerover", tell);
  document.addEventListener("focusin", tell);
}
