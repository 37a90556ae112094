// Draws the charts of a report from the JSON beside it. Labels come from the load test and
// are only ever set as text.
(function () {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const text = data.text;
  const select = document.getElementById("label");
  const groups = { request: null, transaction: null, sub_request: null };
  data.labels.forEach((label, i) => {
    const option = document.createElement("option");
    option.value = i;
    option.textContent = label.name;
    if (i === 0 || label.kind === "request") { select.append(option); return; }
    if (!groups[label.kind]) {
      groups[label.kind] = document.createElement("optgroup");
      groups[label.kind].label = text[label.kind];
      select.append(groups[label.kind]);
    }
    groups[label.kind].append(option);
  });

  const css = (name) => name.startsWith("--")
    ? getComputedStyle(document.documentElement).getPropertyValue(name).trim() : name;
  // Beyond the six of the page, hues by the golden angle: none comes twice in a chart.
  const paint = (i) => i < 6 ? "--c" + (i + 1) : "hsl(" + (i * 137.508 % 360).toFixed(1) + " 62% 48%)";
  const fade = (color, alpha) => color + Math.round(alpha * 255).toString(16).padStart(2, "0");

  function number(value) {
    if (value === null || value === undefined) return "–";
    const size = Math.abs(value);
    if (size === 0) return "0";
    const places = size < 0.9995 ? 3 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
    return value.toLocaleString("en-US", { minimumFractionDigits: places, maximumFractionDigits: places });
  }
  const short = (value) =>
    value >= 1e6 ? +(value / 1e6).toFixed(2) + "M" : value >= 1e4 ? +(value / 1e3).toFixed(1) + "k" : String(+value.toFixed(3));
  function clock(seconds) {
    const s = Math.round(seconds), two = (n) => String(n).padStart(2, "0");
    if (data.end_s < 120) return s + " s";
    return data.end_s < 3600 ? Math.floor(s / 60) + ":" + two(s % 60)
      : Math.floor(s / 3600) + ":" + two(Math.floor(s / 60) % 60) + (data.end_s < 7200 ? ":" + two(s % 60) : "");
  }
  // 1 / (1 - share) as a percentile, with one digit more for each nine.
  function percentile(x) {
    const value = 100 - 100 / x;
    return +value.toFixed(Math.max(0, Math.floor(Math.log10(x) + 1e-9) - 1) + (x > 10 ? 1 : 0)) + " %";
  }

  // The warm-up is shaded: its seconds are drawn but count in no figure.
  const warmUp = {
    hooks: {
      drawClear: (u) => {
        if (!(data.warm_up_s > 0)) return;
        const left = Math.max(u.bbox.left, u.valToPos(0, "x", true));
        const right = Math.min(u.bbox.left + u.bbox.width, u.valToPos(data.warm_up_s, "x", true));
        if (right <= left) return;
        u.ctx.save();
        u.ctx.fillStyle = fade(css("--c6"), 0.16);
        u.ctx.fillRect(left, u.bbox.top, right - left, u.bbox.height);
        u.ctx.fillStyle = css("--muted");
        u.ctx.font = 10 * devicePixelRatio + "px sans-serif";
        u.ctx.textBaseline = "top";
        if (right - left > 40 * devicePixelRatio) u.ctx.fillText(text.warm_up, left + 4, u.bbox.top + 4);
        u.ctx.restore();
      },
    },
  };

  function legend(node, lines, at) {
    const rooms = lines.map(room);
    return {
      hooks: {
        setCursor: (u) => fill(u, u.cursor.idx),
        ready: (u) => fill(u, null),
      },
    };
    function fill(u, index) {
      node.replaceChildren();
      const add = (color, name, value, room) => {
        const span = document.createElement("span");
        if (color) {
          const mark = document.createElement("i");
          mark.style.background = color;
          span.append(mark);
        }
        span.append(name);
        if (value !== undefined) {
          const bold = document.createElement("b");
          bold.textContent = value;
          bold.style.width = room + "ch";
          span.append(bold);
        }
        node.append(span);
      };
      const known = index !== null && index !== undefined;
      lines.forEach((line, i) => {
        if (line.hidden) return;
        add(css(line.color), line.name, known ? number(u.data[i + 1][index]) + (line.unit || "") : "", rooms[i]);
      });
      const time = document.createElement("span");
      time.className = "at";
      time.textContent = known ? at(u.data[0][index]) : "";
      node.append(time);
    }
    // Room for every value is kept from the start, so that nothing moves under the pointer.
    function room(line) {
      let most = 0;
      for (const value of line.values) most = Math.max(most, Math.abs(value || 0));
      return Math.max(number(most).length, "0.123".length) + (line.unit || "").length + 2;
    }
  }

  let plots = [];
  const sync = uPlot.sync("time");

  function chart(id, x, lines, options) {
    const node = document.getElementById(id);
    const plot = node.querySelector(".plot");
    const grid = { stroke: css("--line"), width: 1 };
    const axis = { size: 34, stroke: css("--muted"), grid, ticks: grid, font: "11px system-ui, sans-serif" };
    const bands = [];
    lines.forEach((line, i) => {
      if (line.bandTo !== undefined) bands.push({ series: [i + 1, line.bandTo + 1], fill: fade(css(line.color), 0.2) });
    });
    const log = options.x === "percentile";
    const u = new uPlot({
      width: plot.clientWidth || 500,
      height: 230,
      legend: { show: false },
      bands,
      cursor: { y: false, points: { size: 6 }, drag: { x: true, y: false }, sync: log ? undefined : { key: sync.key, setSeries: false } },
      scales: {
        x: log ? { time: false, distr: 3, range: [1, Math.max(10, x[x.length - 1] || 10)] } : { time: false },
        y: { range: (u, low, high) => [0, high > 0 ? high * 1.1 : 1] },
      },
      axes: [
        log
          ? { ...axis, splits: decades(x, plot.clientWidth), filter: (u, splits) => splits, values: (u, splits) => splits.map(percentile) }
          : { ...axis, incrs: steps(), values: (u, splits) => splits.map(clock), space: 56 },
        { ...axis, size: 58, values: (u, splits) => splits.map((v) => short(v) + (options.unit || "")) },
      ],
      series: [{}].concat(lines.map((line) => ({
        label: line.name,
        stroke: line.hidden ? "transparent" : css(line.color),
        width: line.hidden ? 0 : 1.6,
        fill: line.area ? fade(css(line.color), 0.14) : undefined,
        dash: line.dash,
        points: { show: x.length < 3 && !line.hidden, size: 6 },
        spanGaps: false,
      }))),
      plugins: (log ? [] : [warmUp]).concat(legend(node.querySelector(".legend"), lines, log ? percentile : clock)),
    }, [x].concat(lines.map((line) => line.values)), plot);
    plots.push(u);
  }

  function decades(x, width) {
    const last = Math.max(10, x[x.length - 1] || 10);
    const splits = width > 420 ? [1, 2] : [1];
    for (let n = 10; n <= last * 1.0001; n *= 10) splits.push(n);
    return () => splits;
  }
  const steps = () => [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400];

  function draw() {
    plots.forEach((plot) => plot.destroy());
    plots = [];
    const label = data.labels[+select.value || 0];
    const time = data.time, per = text.per_second;
    chart("throughput", time, [
      { name: text.throughput, values: label.rate, color: "--c1", unit: per, area: !label.rate_max },
      ...(data.step_s > 1 ? [
        { name: "max", values: label.rate_max, color: "--c1", hidden: true, bandTo: 2 },
        { name: "min", values: label.rate_min, color: "--c1", hidden: true },
      ] : []),
      { name: text.errors, values: label.errors, color: "--c4", unit: per, area: true },
    ], { unit: "" });
    chart("response", time, [
      { name: "p50", values: label.p50, color: "--c3", unit: " ms" },
      { name: "p95", values: label.p95, color: "--c1", unit: " ms" },
      { name: "p99", values: label.p99, color: "--c2", unit: " ms" },
      { name: "max", values: label.max, color: "--c4", unit: " ms", dash: [3, 3] },
      { name: "min", values: label.min, color: "--c6", unit: " ms", dash: [3, 3] },
    ], { unit: "" });
    const generator = data.generator;
    chart("users", time, [
      { name: text.users, values: generator.users, color: "--c1", area: true },
      { name: text.in_flight, values: generator.in_flight, color: "--c2" },
      ...(data.step_s > 1 ? [{ name: "max", values: generator.in_flight_max, color: "--c2", hidden: true, bandTo: 1 }] : []),
    ], { unit: "" });
    const points = label.distribution;
    const differs = points.some((p) => Math.abs(p[1] - p[2]) > 0.05 && Math.abs(p[1] - p[2]) > 0.01 * p[1]);
    chart("distribution", points.map((p) => p[0]), [
      { name: text.response, values: points.map((p) => p[1]), color: "--c1", unit: " ms" },
      ...(differs ? [{ name: text.service, values: points.map((p) => p[2]), color: "--c3", unit: " ms", dash: [4, 3] }] : []),
    ], { x: "percentile", unit: "" });
    chart("cpu", time, [
      { name: text.cpu, values: generator.cpu, color: "--c1", unit: " %", area: true },
      { name: text.wait, values: generator.wait, color: "--c4", unit: " %" },
    ], { unit: "" });
    chart("lateness", time, [
      { name: text.lateness, values: generator.lateness_ms, color: "--c2", unit: " ms", area: true },
    ], { unit: "" });
    data.target.forEach((target, n) => {
      chart("target-" + n, time, target.lines.map((line, i) => (
        { name: line.name, values: line.values, color: paint(i), unit: target.unit, dash: i > 5 ? [4, 3] : undefined }
      )), { unit: "" });
    });
  }

  let width = 0, timer = 0;
  function resize() {
    if (document.documentElement.clientWidth === width) return;
    width = document.documentElement.clientWidth;
    plots.forEach((plot) => plot.setSize({ width: plot.root.parentNode.clientWidth, height: 230 }));
  }
  select.addEventListener("change", draw);
  addEventListener("resize", () => { clearTimeout(timer); timer = setTimeout(resize, 60); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  matchMedia("print").addEventListener("change", () => { draw(); });
  document.getElementById("charts").hidden = false;
  document.querySelectorAll(".needs-script").forEach((node) => { node.hidden = false; });
  width = document.documentElement.clientWidth;
  draw();
})();
