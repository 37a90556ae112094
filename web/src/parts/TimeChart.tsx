import { memo, useEffect, useMemo, useRef, useState } from "react";
import { useSettings } from "../app/settings";
import type { HeatCells, Span, TimePlot } from "../charts";
import { figure, short } from "../format/number";
import { moment, timeOfDay } from "../format/time";
import { useWords } from "../texts";
import { useCharts } from "./chartsLoaded";
import { useInView, useWidth } from "./useInView";

export interface ChartLine {
  name: string;
  unit: string;
  /** The place in the page's colours. */
  colour: number;
  values: (number | null)[];
  area?: boolean;
  dash?: boolean;
  /** Goes over points without a value. */
  joined?: boolean;
  hidden?: boolean;
}

/** The timeline that all charts of a page share. */
export interface Timeline {
  zoom: Span | null;
  setZoom: (zoom: Span | null) => void;
  warmUp: number;
  longest: number;
  /** Where it begins; without it at 0. */
  first?: number;
  /** Its seconds are of the clock (since 1970), not of a run. */
  isClock?: boolean;
}

/** A time of it in words. */
export function sayTime(timeline: Timeline, seconds: number): string {
  return timeline.isClock ? timeOfDay(seconds) : moment(seconds, timeline.longest);
}

interface Props {
  title: string;
  /** What else there is to know of the title. */
  hint?: string;
  times: number[];
  lines: ChartLine[];
  timeline: Timeline;
  height?: number;
  heat?: HeatCells;
}

const HEIGHT = 200;

export const TimeChart = memo(function TimeChart(props: Props) {
  const { title, hint, times, lines, timeline, height = HEIGHT, heat } = props;
  const { t } = useWords();
  const frame = useRef<HTMLElement>(null);
  const canvas = useRef<HTMLDivElement>(null);
  const plot = useRef<TimePlot | null>(null);
  const seen = useInView(frame);
  const [at, setAt] = useState<number | null>(null);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(
    () => new Set(lines.filter((l) => l.hidden).map((l) => l.name)),
  );
  usePlot({ ...props, height }, { canvas, plot, seen, setAt, hidden });
  const toggle = (name: string): void => {
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    setHidden(next);
    plot.current?.setShown(
      lines.findIndex((line) => line.name === name),
      !next.has(name),
    );
  };
  const time = at === null ? undefined : times[at];
  return (
    <section className="chart" ref={frame} aria-label={title}>
      <h3>
        <span className="cut" title={hint}>
          {title}
        </span>
        <span className="at">{time === undefined ? "" : sayTime(timeline, time)}</span>
      </h3>
      <div
        className="plot"
        ref={canvas}
        style={{ height }}
        role="application"
        aria-label={`${title}. ${t.chart.keys}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move the cursor, which needs the focus
        tabIndex={0}
        onKeyDown={(event) => {
          if (!event.ctrlKey && !event.metaKey && !event.altKey && plot.current?.key(event.key)) event.preventDefault();
        }}
      />
      {heat ? <HeatLegend cells={heat} at={at} /> : <Legend lines={lines} at={at} hidden={hidden} toggle={toggle} />}
    </section>
  );
});

interface PlotParts {
  canvas: React.RefObject<HTMLDivElement | null>;
  plot: React.MutableRefObject<TimePlot | null>;
  seen: boolean;
  setAt: (at: number | null) => void;
  hidden: ReadonlySet<string>;
}

/** Draws while the chart is in sight; new data go into the chart that stands. */
function usePlot(props: Props & { height: number }, parts: PlotParts): void {
  const { times, lines, timeline, height, heat } = props;
  const { canvas, plot, seen, setAt, hidden } = parts;
  const charts = useCharts();
  const { dark } = useSettings();
  const width = useWidth(canvas);
  const latest = useRef({ props, hidden });
  latest.current = { props, hidden };
  const shape = lines.map((line) => `${line.name}\u0000${line.unit}`).join("\u0001");
  const data = useMemo(() => [times, ...lines.map((line) => line.values)], [times, lines]);
  const ready = charts !== null && seen && width > 0 && times.length > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a chart is made anew when its lines or colours are others
  useEffect(() => {
    const node = canvas.current;
    if (!ready || !node || !charts) return;
    const bounds = heat?.bounds;
    const scale = bounds
      ? { distr: 3 as const, range: [bounds[0] ?? 1, bounds[bounds.length - 1] ?? 10] as [number, number] }
      : undefined;
    const made = new charts.TimePlot(node, latest.current.props.heat ? [times, times.map(() => null)] : data, {
      lines: heat
        ? [{ name: "", unit: "ms", colour: "transparent" }]
        : lines.map((line) => ({
            name: line.name,
            unit: line.unit,
            colour: charts.paint(line.colour),
            area: line.area ?? false,
            joined: line.joined ?? false,
            ...(line.dash ? { dash: [4, 3] } : {}),
          })),
      height,
      sync: "run",
      longest: () => latest.current.props.timeline.longest,
      ...(timeline.first === undefined ? {} : { first: () => latest.current.props.timeline.first ?? 0 }),
      ...(timeline.isClock ? { say: timeOfDay } : {}),
      warmUp: timeline.warmUp,
      onZoom: (zoom) => latest.current.props.timeline.setZoom(zoom),
      onCursor: setAt,
      axis: short,
      ...(scale ? { yScale: scale } : {}),
      ...(bounds && scale ? { ySplits: () => charts.decades(scale.range[0], scale.range[1]) } : {}),
      plugins: heat ? [charts.heatPlugin(() => latest.current.props.heat ?? heat)] : [],
    });
    latest.current.hidden.forEach((name) => {
      made.setShown(
        latest.current.props.lines.findIndex((line) => line.name === name),
        false,
      );
    });
    made.setZoom(latest.current.props.timeline.zoom);
    plot.current = made;
    return () => {
      plot.current = null;
      made.destroy();
    };
  }, [ready, shape, dark, heat?.bounds.join(), height, timeline.warmUp]);
  useEffect(() => {
    plot.current?.setData(heat ? [times, times.map(() => null)] : data);
  }, [data, heat, times, plot]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a longer run shows more of it
  useEffect(() => plot.current?.setZoom(timeline.zoom), [timeline.zoom, timeline.longest, timeline.first, plot]);
  useEffect(() => plot.current?.resize(width), [width, plot]);
}

/** How many characters the largest value of a line takes. */
function room(line: ChartLine): number {
  const most = line.values.reduce<number>((so, value) => Math.max(so, Math.abs(value ?? 0)), 0);
  return figure(most).length + line.unit.length + 2;
}

function Legend(props: {
  lines: ChartLine[];
  at: number | null;
  hidden: ReadonlySet<string>;
  toggle: (name: string) => void;
}) {
  const { t } = useWords();
  const charts = useCharts();
  const rooms = useMemo(() => props.lines.map(room), [props.lines]);
  return (
    <ul className="legend">
      {props.lines.map((line, i) => {
        const value = props.at === null ? null : line.values[props.at];
        return (
          <li key={line.name}>
            <button
              type="button"
              aria-pressed={!props.hidden.has(line.name)}
              title={t.chart.toggle(line.name)}
              onClick={() => props.toggle(line.name)}
            >
              <i style={{ background: charts ? charts.paint(line.colour) : "transparent" }} />
              <span className="name">{line.name}</span>
              <b style={{ minWidth: `${Math.max(rooms[i] ?? 0, 6)}ch` }}>
                {value === null || value === undefined ? "" : `${figure(value)} ${line.unit}`}
              </b>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function HeatLegend({ cells, at }: { cells: HeatCells; at: number | null }) {
  const { t } = useWords();
  const counts = at === null ? undefined : cells.counts[at];
  const sum = counts?.reduce((a, b) => a + b, 0);
  return (
    <div className="heat-legend">
      <span className="muted">{t.chart.fewer}</span>
      <i />
      <span className="muted">{t.chart.more}</span>
      <b>{sum === undefined ? "" : t.chart.count(figure(sum))}</b>
    </div>
  );
}
