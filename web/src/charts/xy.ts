import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { css, fade } from "./colours";
import type { PlotData, PlotLine } from "./plot";

/** A letter at a place of the x axis. */
export interface Letter {
  at: number;
  text: string;
}

export interface XyOptions {
  lines: PlotLine[];
  height: number;
  logX: boolean;
  splits?: number[];
  range: [number, number];
  axisX: (value: number) => string;
  axisY: (value: number) => string;
  letters: Letter[];
  points: boolean;
  /** Points alone, no line between them. */
  scatter?: boolean;
  onCursor: (index: number | null) => void;
}

/** A chart of something against something else than time. */
export function xyPlot(node: HTMLElement, data: PlotData, options: XyOptions): uPlot {
  const grid = { stroke: css("--line"), width: 1 };
  const axis = { stroke: css("--muted"), grid, ticks: { ...grid, size: 4 }, font: "11px system-ui, sans-serif" };
  const splits = options.splits;
  return new uPlot(
    {
      width: Math.max(120, node.clientWidth),
      height: options.height,
      legend: { show: false },
      cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
      scales: {
        x: { time: false, distr: options.logX ? 3 : 1, range: options.range },
        y: { range: (_u, _low, high) => [0, high > 0 ? high * (options.letters.length > 0 ? 1.3 : 1.15) : 1] },
      },
      axes: [
        {
          ...axis,
          size: 28,
          values: (_u, at) => at.map((v) => (v === null ? "" : options.axisX(v))),
          ...(splits ? { splits: () => splits, filter: (_u: uPlot, at: number[]) => at } : {}),
        },
        { ...axis, size: 56, values: (_u, at) => at.map(options.axisY) },
      ],
      series: [
        {},
        ...options.lines.map((line) => ({
          label: line.name,
          stroke: line.colour,
          width: 1.6,
          points: { show: options.points, size: options.scatter ? 4 : 6 },
          ...(options.scatter ? { paths: () => null } : {}),
          ...(line.area ? { fill: fade(line.colour, 0.14) } : {}),
          ...(line.dash ? { dash: line.dash } : {}),
        })),
      ],
      plugins: [
        {
          hooks: {
            setCursor: (u) => options.onCursor(u.cursor.idx ?? null),
            draw: (u) => drawLetters(u, options.letters),
          },
        },
      ],
    },
    data as uPlot.AlignedData,
    node,
  );
}

/** Dashed lines with their letters; those at one place share it, and those near to each other stand one below the other. */
function drawLetters(u: uPlot, letters: Letter[]): void {
  const places = new Map<number, string[]>();
  for (const { at, text } of letters) places.set(at, [...(places.get(at) ?? []), text]);
  const { ctx, bbox } = u;
  ctx.save();
  ctx.strokeStyle = css("--muted");
  ctx.fillStyle = css("--ink");
  ctx.font = `600 ${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textAlign = "center";
  ctx.textBaseline = "top";
  ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
  // Where the text of each row ends.
  const ends: number[] = [];
  for (const [at, texts] of [...places].sort(([a], [b]) => a - b)) {
    const text = texts.join(" ");
    const x = Math.round(u.valToPos(at, "x", true));
    const half = ctx.measureText(text).width / 2 + 3 * devicePixelRatio;
    const free = ends.findIndex((end) => end < x - half);
    const row = free < 0 ? ends.length : free;
    ends[row] = x + half;
    const top = bbox.top + (2 + row * 13) * devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(x, top + 14 * devicePixelRatio);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.fillText(text, x, top);
  }
  ctx.restore();
}
