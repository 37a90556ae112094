// Tables are sorted by their heads' buttons, and whatever is folded is open in print.
(function () {
  "use strict";
  const units = { us: 1e-3, "µs": 1e-3, ms: 1, s: 1e3, B: 1, kB: 1e3, MB: 1e6, GB: 1e9 };
  function value(text) {
    const found = /^[✓✗]?\s*(-?[\d,]+(?:\.\d+)?)\s*([^\s\d]*)/.exec(text.trim());
    return found ? Number(found[1].replace(/,/g, "")) * (units[found[2]] || 1) : null;
  }
  function order(a, b, numbers) {
    if (!numbers) return a.localeCompare(b);
    const x = value(a), y = value(b);
    // What has no number stands below in both directions.
    if (x === null || y === null) return null;
    return x - y;
  }
  function sort(table, head, column) {
    const numbers = head.classList.contains("r"), before = head.getAttribute("aria-sort");
    const up = before ? before === "descending" : !numbers;
    table.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const body = table.tBodies[0];
    const text = (row) => row.cells[column].textContent;
    const rows = Array.from(body.rows).filter((row) => !row.classList.contains("total"));
    const totals = Array.from(body.rows).filter((row) => row.classList.contains("total"));
    rows.sort((a, b) => {
      const found = order(text(a), text(b), numbers);
      if (found === null) return (value(text(a)) === null) - (value(text(b)) === null);
      return up ? found : -found;
    });
    body.append(...rows, ...totals);
  }
  document.querySelectorAll("table").forEach((table) => {
    if (!table.tHead || table.tBodies[0].rows.length < 3) return;
    Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      button.addEventListener("click", () => sort(table, head, column));
      head.replaceChildren(button);
    });
  });
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = Array.from(document.querySelectorAll("details:not([open])"));
    folded.forEach((node) => { node.open = true; });
  });
  addEventListener("afterprint", () => folded.forEach((node) => { node.open = false; }));
})();
