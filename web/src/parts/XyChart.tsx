import { useEffect, useRef, useState } from "react";
import { useSettings } from "../app/settings";
import type { Letter } from "../charts";
import { figure, short } from "../format/number";
import { useCharts } from "./chartsLoaded";
import type { ChartLine } from "./TimeChart";
import { useInView, useWidth } from "./useInView";

interface Props {
  title: string;
  x: number[];
  lines: ChartLine[];
  axisX: (value: number) => string;
  logX?: boolean;
  splits?: number[];
  range: [number, number];
  letters?: Letter[];
  points?: boolean;
  scatter?: boolean;
}

/** A chart of something against something else than time. */
export function XyChart(props: Props) {
  const { title, x, lines } = props;
  const charts = useCharts();
  const { dark } = useSettings();
  const frame = useRef<HTMLElement>(null);
  const canvas = useRef<HTMLDivElement>(null);
  const seen = useInView(frame);
  const width = useWidth(canvas);
  const [at, setAt] = useState<number | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn anew with the theme
  useEffect(() => {
    const node = canvas.current;
    if (!charts || !seen || !node || width === 0 || x.length === 0) return;
    const plot = charts.xyPlot(node, [x, ...lines.map((line) => line.values)], {
      lines: lines.map((line) => ({ ...line, colour: charts.paint(line.colour), dash: line.dash ? [4, 3] : [] })),
      height: 220,
      logX: props.logX ?? false,
      ...(props.splits ? { splits: props.splits } : {}),
      range: props.range,
      axisX: props.axisX,
      axisY: short,
      letters: props.letters ?? [],
      points: props.points ?? false,
      scatter: props.scatter ?? false,
      onCursor: setAt,
    });
    return () => plot.destroy();
  }, [charts, seen, width, x, lines, dark]);
  const place = at === null ? undefined : x[at];
  return (
    <section className="chart" ref={frame} aria-label={title}>
      <h3>
        {title}
        <span className="at">{place === undefined ? "" : props.axisX(place)}</span>
      </h3>
      <div className="plot" ref={canvas} style={{ height: 220 }} role="img" aria-label={title} />
      <ul className="legend">
        {lines.map((line) => (
          <li key={line.name}>
            <span className="entry">
              <i style={{ background: charts ? charts.paint(line.colour) : "transparent" }} />
              <span className="name">{line.name}</span>
              <b style={{ minWidth: "8ch" }}>{at === null ? "" : `${figure(line.values[at])} ${line.unit}`}</b>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
