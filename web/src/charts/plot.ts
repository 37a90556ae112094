import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { moment } from "../format/time";
import { css, fade } from "./colours";

/** What all charts over time share: one cursor, one zoom. */
export interface Span {
  from: number;
  to: number;
}

export interface PlotLine {
  name: string;
  unit: string;
  colour: string;
  area?: boolean;
  dash?: number[];
  /** Goes over points without a value. */
  joined?: boolean;
  /** Not drawn: the end of a band only. */
  quiet?: boolean;
  /** The place of the line that a band of this one's colour goes to. */
  bandTo?: number;
}

export interface TimePlotOptions {
  lines: PlotLine[];
  height: number;
  /** Charts with the same key share the cursor. */
  sync: string;
  /** How long the whole timeline is, seconds: charts of one page end at the same moment. */
  longest: () => number;
  /** Where the whole timeline begins, seconds; without it at 0, or before it where there are times before it. */
  first?: () => number;
  /** A time of the axis in words; without it a moment of a run, from its beginning. */
  say?: (seconds: number, longest: number) => string;
  /** Shaded at the beginning, seconds. */
  warmUp: number;
  warmUpText?: string;
  /** A stretch was chosen; null: the whole run. */
  onZoom: (span: Span | null) => void;
  /** Where the cursor is: an index into the times. */
  onCursor: (index: number | null) => void;
  axis: (value: number) => string;
  plugins?: uPlot.Plugin[];
  yScale?: uPlot.Scale;
  ySplits?: uPlot.Axis.Splits;
}

export type PlotData = (number | null)[][];

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400];
const FONT = "11px system-ui, sans-serif";

/** A chart over time. */
export class TimePlot {
  private readonly plot: uPlot;
  private zoom: Span | null = null;
  private shown: Span | null = null;
  private times: number[];

  constructor(
    private readonly node: HTMLElement,
    data: PlotData,
    private readonly options: TimePlotOptions,
  ) {
    this.times = (data[0] ?? []) as number[];
    this.plot = new uPlot(this.settings(), data as uPlot.AlignedData, node);
  }

  /** New columns; the zoom stays. */
  setData(data: PlotData): void {
    this.times = (data[0] ?? []) as number[];
    this.plot.setData(data as uPlot.AlignedData, true);
  }

  setZoom(zoom: Span | null): void {
    this.zoom = zoom;
    const { from, to } = this.view();
    if (from === this.shown?.from && to === this.shown?.to) return;
    this.shown = { from, to };
    this.plot.setScale("x", { min: from, max: to });
  }

  setShown(line: number, shown: boolean): void {
    this.plot.setSeries(line + 1, { show: shown }, true);
  }

  resize(width: number): void {
    if (width > 0 && width !== this.plot.width) this.plot.setSize({ width, height: this.options.height });
  }

  destroy(): void {
    this.plot.destroy();
  }

  /** The keys of a chart; true: it was one. */
  key(name: string): boolean {
    if (name === "ArrowLeft" || name === "ArrowRight") return this.step(name === "ArrowLeft" ? -1 : 1);
    if (name === "Home" || name === "End") return this.step(name === "Home" ? -this.times.length : this.times.length);
    if (name === "+" || name === "=") return this.scale(0.5);
    if (name === "-" || name === "_") return this.scale(2);
    if (name === "0" || name === "Escape") {
      this.zoom = null;
      this.options.onZoom(null);
      return true;
    }
    return false;
  }

  private step(by: number): boolean {
    const view = this.view();
    const inView = this.times.map((t, i) => (t >= view.from && t <= view.to ? i : -1)).filter((i) => i >= 0);
    const [first, last] = [inView[0] ?? 0, inView[inView.length - 1] ?? 0];
    const stride = Math.max(1, Math.round(inView.length / 200));
    const before = this.plot.cursor.idx ?? (by > 0 ? first - 1 : last + 1);
    const index = Math.min(last, Math.max(first, before + by * stride));
    const left = this.plot.valToPos(this.times[index] ?? 0, "x");
    // As a pointer would: so all charts of the page hear of it in the same way.
    const { over } = this.plot;
    const box = over.getBoundingClientRect();
    const where = { bubbles: true, clientX: box.left + left, clientY: box.top + box.height / 2, movementX: 1 };
    over.dispatchEvent(new MouseEvent("mouseenter", where));
    over.dispatchEvent(new MouseEvent("mousemove", where));
    return true;
  }

  private scale(by: number): boolean {
    const view = this.view();
    const whole = this.whole();
    const cursor = this.plot.cursor.idx;
    const at = cursor === null || cursor === undefined ? (view.from + view.to) / 2 : (this.times[cursor] ?? view.from);
    const length = (view.to - view.from) * by;
    const from = Math.max(whole.from, at - length / 2);
    const to = Math.min(whole.to, from + length);
    if (to - from < 2) return true;
    const zoom = from <= whole.from && to >= whole.to ? null : { from, to };
    // The next step goes on from here, also before this one is drawn.
    this.zoom = zoom;
    this.options.onZoom(zoom);
    return true;
  }

  private whole(): Span {
    const first = this.options.first?.() ?? Math.min(0, this.times[0] ?? 0);
    return { from: first, to: Math.max(this.options.longest(), first + 1) };
  }

  private view(): Span {
    return this.zoom ?? this.whole();
  }

  private settings(): uPlot.Options {
    const { options } = this;
    const grid = { stroke: css("--line"), width: 1 };
    const axis = { stroke: css("--muted"), grid, ticks: { ...grid, size: 4 }, font: FONT };
    const isFew = this.times.length < 3;
    const bands = options.lines.flatMap(({ bandTo, colour }, at) =>
      bandTo === undefined ? [] : [{ series: [at + 1, bandTo + 1] as [number, number], fill: fade(colour, 0.2) }],
    );
    const lines = options.lines.map((line) => ({
      label: line.name,
      stroke: line.quiet ? "transparent" : line.colour,
      width: line.quiet ? 0 : 1.5,
      spanGaps: line.joined ?? false,
      points: { show: isFew && !line.quiet, size: 6 },
      ...(line.area ? { fill: fade(line.colour, 0.14) } : {}),
      ...(line.dash ? { dash: line.dash } : {}),
    }));
    const drag = { x: true, y: false, setScale: false, uni: 8 };
    return {
      width: Math.max(120, this.node.clientWidth),
      height: options.height,
      legend: { show: false },
      bands,
      cursor: { y: false, points: { size: 6 }, drag, sync: { key: options.sync, setSeries: false } },
      scales: {
        x: { time: false, range: () => [this.view().from, this.view().to] },
        y: options.yScale ?? { range: (_u, _low, high) => [0, high > 0 ? high * 1.08 : 1] },
      },
      axes: [
        {
          ...axis,
          size: 28,
          incrs: STEPS,
          space: 64,
          values: (_u, at) => at.map((t) => (options.say ?? moment)(t, this.whole().to)),
        },
        {
          ...axis,
          size: 56,
          values: (_u, at) => at.map((v) => (v === null ? "" : options.axis(v))),
          ...(options.ySplits ? { splits: options.ySplits } : {}),
        },
      ],
      series: [{}, ...lines],
      plugins: [warmUp(options.warmUp, options.warmUpText), this.hearing(), ...(options.plugins ?? [])],
    };
  }

  private hearing(): uPlot.Plugin {
    return {
      hooks: {
        ready: (u) => u.over.addEventListener("dblclick", () => this.options.onZoom(null)),
        setCursor: (u) => this.options.onCursor(u.cursor.idx ?? null),
        setSelect: (u) => {
          // A stretch that was chosen in a chart that follows is that chart's to tell.
          if (u.select.width < 4 || !u.over.matches(":hover")) return;
          const from = u.posToVal(u.select.left, "x");
          const to = u.posToVal(u.select.left + u.select.width, "x");
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          if (to - from >= 1) this.options.onZoom({ from: Math.max(0, from), to });
        },
      },
    };
  }
}

/** The warm-up is shaded: its seconds are drawn but count in no figure. */
function warmUp(seconds: number, text = ""): uPlot.Plugin {
  return {
    hooks: {
      drawClear: (u) => {
        if (seconds <= 0) return;
        const left = Math.max(u.bbox.left, u.valToPos(0, "x", true));
        const right = Math.min(u.bbox.left + u.bbox.width, u.valToPos(seconds, "x", true));
        if (right <= left) return;
        u.ctx.fillStyle = fade(css("--c6"), 0.16);
        u.ctx.fillRect(left, u.bbox.top, right - left, u.bbox.height);
        if (text === "" || right - left < 40 * devicePixelRatio) return;
        u.ctx.fillStyle = css("--muted");
        u.ctx.font = `${10 * devicePixelRatio}px system-ui, sans-serif`;
        u.ctx.textAlign = "left";
        u.ctx.textBaseline = "top";
        u.ctx.fillText(text, left + 4, u.bbox.top + 4);
      },
    },
  };
}
