/** Draws the charts of a report from the JSON beside it, by the workbench's chart module. */
import { decades, type HeatCells, heatPlugin, type PlotLine, paint, type Span, TimePlot, xyPlot } from "../charts";
import { byX, nines, percentileName } from "../format/axes";
import { short } from "../format/number";
import { moment } from "../format/time";
import type { LabelData, ReportData, Values } from "./data";
import { Legend } from "./legend";

const HEIGHT = 230;

const byId = (id: string): HTMLElement => document.getElementById(id) ?? document.createElement("div");
const data = JSON.parse(byId("data").textContent ?? "{}") as ReportData;
const { text, time } = data;
const select = byId("label") as HTMLSelectElement;

type Line = Omit<PlotLine, "colour"> & { colour: number; values: Values };

/** Charts that stand, and how each follows the width. */
let drawn: { plot: { destroy: () => void }; resize: (width: number) => void; node: HTMLElement }[] = [];
let overTime: TimePlot[] = [];

function zoomAll(zoom: Span | null): void {
  for (const plot of overTime) plot.setZoom(zoom);
}

function parts(id: string): { node: HTMLElement; legend: Element } | null {
  const box = document.getElementById(id);
  const node = box?.querySelector<HTMLElement>(".plot");
  const legend = box?.querySelector(".legend");
  return node && legend ? { node, legend } : null;
}

/** Lines with the page's colours; none where there is nothing of it. */
function coloured(lines: (Line | null)[]): (PlotLine & { values: Values })[] {
  return lines.flatMap((line) => (line ? [{ ...line, colour: paint(line.colour) }] : []));
}

/** A chart over time: its lines, or cells with how many requests they hold altogether. */
function timeChart(id: string, times: number[], given: (Line | null)[], cells?: HeatCells): void {
  const at = parts(id);
  if (!at) return;
  const lines = coloured(given);
  const legend = new Legend(at.legend, cells ? lines.map((l) => ({ ...l, quiet: false })) : lines, (index) =>
    moment(times[index] ?? 0, data.end_s),
  );
  const columns = cells ? [times, times.map(() => null)] : [times, ...lines.map((line) => line.values)];
  const range: [number, number] = [cells?.bounds[0] ?? 1, cells?.bounds[cells.bounds.length - 1] ?? 10];
  const plot = new TimePlot(at.node, columns, {
    lines: cells ? [{ name: "", unit: "", colour: "transparent" }] : lines,
    height: HEIGHT,
    sync: "time",
    longest: () => data.end_s,
    warmUp: data.warm_up_s,
    warmUpText: text.warm_up ?? "",
    onZoom: zoomAll,
    onCursor: (index) => legend.show(index),
    axis: short,
    ...(cells
      ? {
          yScale: { distr: 3 as const, range },
          ySplits: () => decades(range[0], range[1]),
          plugins: [heatPlugin(() => cells)],
        }
      : {}),
  });
  overTime.push(plot);
  drawn.push({ plot, resize: (width) => plot.resize(width), node: at.node });
}

interface Against {
  axisX: (value: number) => string;
  range: [number, number];
  logX?: boolean;
  scatter?: boolean;
  splits?: number[];
}

/** A chart of something against something else than time. */
function xyChart(id: string, x: number[], given: (Line | null)[], against: Against): void {
  const at = parts(id);
  if (!at) return;
  const lines = coloured(given);
  const legend = new Legend(at.legend, lines, (index) => against.axisX(x[index] ?? 0));
  const plot = xyPlot(at.node, [x, ...lines.map((line) => line.values)], {
    lines,
    height: HEIGHT,
    logX: false,
    axisY: short,
    letters: [],
    points: against.scatter ?? x.length < 3,
    onCursor: (index) => legend.show(index),
    ...against,
  });
  const resize = (width: number): void => plot.setSize({ width, height: HEIGHT });
  drawn.push({ plot, resize, node: at.node });
}

function drawLabel(label: LabelData): void {
  const [per, ms, isDetailed] = [text.per_second ?? "", " ms", data.step_s > 1];
  const band = (values: Values | null, name: string, bandTo?: number): Line | null =>
    isDetailed && values
      ? { name, unit: "", colour: 0, values, quiet: true, ...(bandTo === undefined ? {} : { bandTo }) }
      : null;
  timeChart("throughput", time, [
    { name: text.throughput ?? "", values: label.rate, colour: 0, unit: per, area: !label.rate_max },
    band(label.rate_max, "max", 2),
    band(label.rate_min, "min"),
    { name: text.errors ?? "", values: label.errors, colour: 3, unit: per, area: true },
  ]);
  timeChart("response", time, [
    { name: "p50", values: label.p50, colour: 2, unit: ms },
    { name: "p95", values: label.p95, colour: 0, unit: ms },
    { name: "p99", values: label.p99, colour: 1, unit: ms },
    { name: "max", values: label.max, colour: 3, unit: ms, dash: [3, 3] },
    { name: "min", values: label.min, colour: 5, unit: ms, dash: [3, 3] },
  ]);
  const points = label.distribution;
  const x = points.map((point) => point[0]);
  const last = Math.max(10, x[x.length - 1] ?? 10);
  const differs = points.some(([, a, b]) => Math.abs(a - b) > Math.max(0.05, 0.01 * a));
  const service = points.map((point) => point[2]);
  const lines = [
    { name: text.response ?? "", values: points.map((point) => point[1]), colour: 0, unit: ms },
    differs ? { name: text.service ?? "", values: service, colour: 2, unit: ms, dash: [4, 3] } : null,
  ];
  xyChart("distribution", x, lines, { axisX: percentileName, range: [1, last], logX: true, splits: nines(last) });
  const sorted = byX(label.rate, [label.p50, label.p95]);
  const most = Math.max(1, sorted.x[sorted.x.length - 1] ?? 1);
  const against = ["p50", "p95"].map((name, at) => ({
    name,
    values: sorted.columns[at] ?? [],
    colour: at === 0 ? 2 : 0,
    unit: ms,
  }));
  xyChart("against", sorted.x, against, { axisX: (v) => short(v) + per, range: [0, most * 1.05], scatter: true });
}

function drawRun(): void {
  const { generator, heat } = data;
  timeChart("users", time, [
    { name: text.users ?? "", values: generator.users, colour: 0, unit: "", area: true },
    { name: text.in_flight ?? "", values: generator.in_flight, colour: 1, unit: "" },
    data.step_s > 1 && generator.in_flight_max
      ? { name: "max", values: generator.in_flight_max, colour: 1, unit: "", quiet: true, bandTo: 1 }
      : null,
  ]);
  timeChart("cpu", time, [
    { name: text.cpu ?? "", values: generator.cpu, colour: 0, unit: " %", area: true },
    { name: text.wait ?? "", values: generator.wait, colour: 3, unit: " %" },
  ]);
  timeChart("lateness", time, [
    { name: text.lateness ?? "", values: generator.lateness_ms, colour: 1, unit: " ms", area: true },
  ]);
  const counts = heat.counts.map(([first = 0, ...rest]) => [...new Array<number>(first).fill(0), ...rest]);
  const times = counts.map((_, at) => at * heat.step_s);
  const sums = counts.map((column) => column.reduce((a, b) => a + b, 0));
  const lowest = (heat.bounds_ms[0] ?? 1) / 10 ** 0.1;
  const cells = { times, step: heat.step_s, bounds: [lowest, ...heat.bounds_ms], counts };
  timeChart("heat", times, [{ name: text.samples ?? "", values: sums, colour: 4, unit: "" }], cells);
  data.target.forEach((target, n) => {
    const lines = target.lines.map((line, i) => ({
      name: line.name,
      values: line.values,
      colour: i,
      unit: target.unit,
      ...(i > 5 ? { dash: [4, 3] } : {}),
    }));
    timeChart(`target-${n}`, time, lines);
  });
}

function draw(): void {
  for (const { plot } of drawn) plot.destroy();
  drawn = [];
  overTime = [];
  const label = data.labels[Number(select.value)] ?? data.labels[0];
  if (label) drawLabel(label);
  drawRun();
}

/** Labels to choose from: requests first, then what they belong to. */
function offerLabels(): void {
  const groups = new Map<string, HTMLElement>();
  data.labels.forEach((label, at) => {
    const option = document.createElement("option");
    option.value = String(at);
    option.textContent = label.name;
    if (at === 0 || label.kind === "request") {
      select.append(option);
      return;
    }
    const group = groups.get(label.kind) ?? document.createElement("optgroup");
    if (!groups.has(label.kind)) {
      group.setAttribute("label", text[label.kind] ?? "");
      groups.set(label.kind, group);
      select.append(group);
    }
    group.append(option);
  });
}

function followWidth(): void {
  let width = document.documentElement.clientWidth;
  let timer = 0;
  const resize = (): void => {
    if (document.documentElement.clientWidth === width) return;
    width = document.documentElement.clientWidth;
    for (const { resize, node } of drawn) resize(node.clientWidth);
  };
  addEventListener("resize", () => {
    clearTimeout(timer);
    timer = window.setTimeout(resize, 60);
  });
}

offerLabels();
select.addEventListener("change", draw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
matchMedia("print").addEventListener("change", draw);
byId("charts").hidden = false;
for (const node of document.querySelectorAll<HTMLElement>(".needs-script")) node.hidden = false;
draw();
followWidth();
