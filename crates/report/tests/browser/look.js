// Looks at a report as its reader does, and tells the page around it.
(function () {
  "use strict";
  const errors = [];
  addEventListener("error", (event) => errors.push(event.message));
  const box = (node) => {
    const at = node.getBoundingClientRect();
    return [at.left, at.top + scrollY, at.width, at.height].map((x) => Math.round(x * 10)).join();
  };

  // The widest table with a button in the head of a column of numbers.
  function sorting() {
    const found = { sorted_down: false, sorted_up: false, totals_last: true };
    const tables = Array.from(document.querySelectorAll("table")).filter((table) => table.querySelector("th.r button"));
    tables.sort((a, b) => b.rows[0].cells.length - a.rows[0].cells.length);
    const table = tables[0];
    if (!table) return found;
    const column = Array.from(table.rows[0].cells).findIndex((cell) => cell.classList.contains("r"));
    const totals = Array.from(table.querySelectorAll("tr.total"));
    const figures = () => Array.from(table.tBodies[0].rows).filter((row) => !row.classList.contains("total"))
      .map((row) => Number(row.cells[column].textContent.replace(/[^\d.]/g, "")));
    const ordered = (sign) => figures().every((x, i, all) => i === 0 || sign * (x - all[i - 1]) >= 0);
    const varied = new Set(figures()).size > 1;
    const button = table.rows[0].cells[column].querySelector("button");
    const last = () => {
      const rows = Array.from(table.tBodies[0].rows);
      return totals.every((row, i) => rows[rows.length - totals.length + i] === row);
    };
    button.click();
    found.sorted_down = varied && ordered(-1);
    found.totals_last = last();
    button.click();
    found.sorted_up = varied && ordered(1);
    found.totals_last = found.totals_last && last();
    return found;
  }

  // Moves the pointer over every chart; names what is elsewhere or of another size afterwards.
  function hovering() {
    // The time above a chart lies over nothing and may be as wide as it likes.
    const watched = Array.from(document.querySelectorAll("section, .chart, .legend, .legend > span:not(.at), .plot"));
    const place = () => watched.map((node) => (node.isConnected ? box(node) : null));
    // Legends are written anew: their parts are looked up again.
    const parts = () => Array.from(document.querySelectorAll(".legend")).map((node) => Array.from(node.querySelectorAll("span:not(.at)")).map(box).join(" "));
    const before = place(), parted = parts(), shifted = new Set();
    let hovered = 0;
    document.querySelectorAll(".plot .u-over").forEach((over) => {
      const at = over.getBoundingClientRect();
      [0.1, 0.5, 0.95].forEach((share) => {
        const where = { bubbles: true, clientX: at.left + at.width * share, clientY: at.top + at.height / 2 };
        over.dispatchEvent(new MouseEvent("mouseenter", where));
        over.dispatchEvent(new MouseEvent("mousemove", where));
      });
      const chart = over.closest(".chart");
      if (Array.from(chart.querySelectorAll(".legend b")).some((value) => value.textContent.trim() !== "")) hovered += 1;
      place().forEach((now, i) => {
        if (now !== null && now !== before[i]) shifted.add(watched[i].className + " of " + chart.id);
      });
      parts().forEach((now, i) => { if (now !== parted[i]) shifted.add("legend " + i + " by " + chart.id); });
    });
    return { hovered, shifted: Array.from(shifted) };
  }

  function sameColours() {
    return Array.from(document.querySelectorAll(".chart")).filter((chart) => {
      const colours = Array.from(chart.querySelectorAll(".legend i")).map((mark) => mark.style.background);
      return new Set(colours).size !== colours.length;
    }).map((chart) => chart.id || chart.textContent.slice(0, 40));
  }

  function printing() {
    const closed = () => document.querySelectorAll("details:not([open])").length;
    const before = closed();
    dispatchEvent(new Event("beforeprint"));
    const open = closed() === 0;
    dispatchEvent(new Event("afterprint"));
    return { open_in_print: open, folded_again: closed() === before };
  }

  function barsByName() {
    return Array.from(document.querySelectorAll(".bars .bar")).every((bar) => {
      const name = bar.previousElementSibling, at = bar.getBoundingClientRect(), of = name.getBoundingClientRect();
      const below = at.top - of.bottom, beside = Math.abs(at.top + at.height / 2 - of.top - of.height / 2);
      return (below > -1 && below < 12) || beside < 6;
    });
  }

  // What sticks out of the window and out of no box that scrolls.
  function wider() {
    const inside = Array.from(document.querySelectorAll("body *")).filter((node) => !node.closest(".scroll, pre, .u-wrap"));
    const out = inside.filter((node) => node.getBoundingClientRect().right > innerWidth + 0.5);
    if (document.documentElement.scrollWidth > innerWidth) out.push(document.documentElement);
    return out.slice(0, 5).map((node) => node.tagName + "." + node.className + " " + node.textContent.slice(0, 40));
  }

  addEventListener("load", () => setTimeout(() => {
    parent.postMessage({
      name: NAME, errors, width: innerWidth, wider: wider(), ...sorting(), ...hovering(), same_colours: sameColours(),
      ...printing(), bars_by_name: barsByName(),
    }, "*");
  }, 200));
})();
