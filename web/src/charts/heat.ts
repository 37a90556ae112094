import type uPlot from "uplot";
import { css, ramp } from "./colours";

/** A heat map's cells: rows of times (ms), columns of seconds. */
export interface HeatCells {
  times: number[];
  step: number;
  bounds: number[];
  counts: number[][];
}

const SHADES = 24;

/** Draws the cells below a chart's grid; the chart's y is the response time on a logarithmic scale. */
export function heatPlugin(cells: () => HeatCells): uPlot.Plugin {
  return { hooks: { drawAxes: (u) => drawCells(u, cells()) } };
}

function drawCells(u: uPlot, { times, step, bounds, counts }: HeatCells): void {
  let most = 0;
  for (const column of counts) for (const n of column) most = Math.max(most, n);
  if (most === 0) return;
  const colours = ramp(SHADES);
  const { ctx, bbox } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  const tops = bounds.map((ms) => u.valToPos(ms, "y", true));
  times.forEach((time, i) => {
    const left = u.valToPos(time, "x", true);
    const right = u.valToPos(time + step, "x", true);
    if (right < bbox.left || left > bbox.left + bbox.width) return;
    counts[i]?.forEach((n, row) => {
      if (n === 0) return;
      // By the root, since one slow request among thousands is what people look for.
      const shade = Math.min(SHADES - 1, Math.floor(Math.sqrt(n / most) * SHADES));
      ctx.fillStyle = colours[shade] ?? css("--c1");
      const [low, high] = [tops[row] ?? 0, tops[row + 1] ?? 0];
      ctx.fillRect(left, high, Math.max(1, right - left), Math.max(1, low - high));
    });
  });
  ctx.restore();
}

/** Decades and their halves between two times, for the axis. */
export function decades(low: number, high: number): number[] {
  const splits: number[] = [];
  for (let ten = 10 ** Math.floor(Math.log10(Math.max(low, 1e-6))); ten <= high * 1.001; ten *= 10) {
    for (const n of [1, 2, 5]) {
      const at = ten * n;
      if (at >= low * 0.999 && at <= high * 1.001) splits.push(at);
    }
  }
  return high / Math.max(low, 1e-6) > 500
    ? splits.filter((v) => /^0*\.?0*1(0*)$/.test(v.toPrecision(1).replace(/e.*/, "")))
    : splits;
}
