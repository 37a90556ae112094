import { memo, useMemo } from "react";
import type { CurvePoint, Estimate, LoadCurve, MarkName } from "../api/types";
import type { Letter } from "../charts";
import { amount, figure, percent, short } from "../format/number";
import { useWords } from "../texts";
import { Scroll } from "./Scroll";
import { XyChart } from "./XyChart";

const LETTERS: [MarkName, string][] = [
  ["a", "A"],
  ["c", "C"],
  ["d", "D"],
  ["e", "E"],
  ["n_star", "N*"],
];

const NONE: Letter[] = [];

/** A value with half of its interval. */
export function withInterval(of: Estimate): string {
  if (of.low === null || of.high === null) return figure(of.value);
  return `${figure(of.value)} ± ${figure((of.high - of.low) / 2)}`;
}

/** Throughput and response time against load, with the letters of the curve and further ones, and each load in figures. */
export const CurveView = memo(function CurveView({ curve, further = NONE }: { curve: LoadCurve; further?: Letter[] }) {
  const { t } = useWords();
  const drawn = useMemo(() => {
    const { points, marks } = curve;
    const letters = LETTERS.flatMap(([name, text]) => {
      const mark = marks[name];
      return mark ? [{ at: mark.load, text }] : [];
    });
    const line = (name: string | undefined, unit: string, colour: number, value: (point: CurvePoint) => number) => ({
      name: String(name),
      unit,
      colour,
      values: points.map(value),
    });
    const last = Math.max(...points.map((point) => point.load), ...[...letters, ...further].map((one) => one.at));
    return {
      x: points.map((point) => point.load),
      letters: [...letters, ...further],
      throughput: [line(t.chart.series.throughput, "/s", 0, (point) => point.throughput_per_s.value)],
      times: [
        line(t.chart.series.mean, "ms", 2, (point) => point.response_time_ms.value),
        line("p95", "ms", 0, (point) => point.p95_ms),
      ],
      range: [0, last * 1.1] as [number, number],
    };
  }, [curve, further, t]);
  const shared = { x: drawn.x, range: drawn.range, letters: drawn.letters, axisX: short, points: true };
  const named = LETTERS.filter(([name]) => curve.marks[name]);
  return (
    <>
      <div className="charts">
        <XyChart title={`${t.chart.throughput} · ${t.chart.load[curve.model]}`} lines={drawn.throughput} {...shared} />
        <XyChart title={`${t.chart.response} · ${t.chart.load[curve.model]}`} lines={drawn.times} {...shared} />
      </div>
      <ul className="marks">
        {named.map(([name]) => (
          <li key={name}>
            {t.marks[name]}: <b>{figure(curve.marks[name]?.load)}</b>
          </li>
        ))}
      </ul>
      <CurveTable curve={curve} />
    </>
  );
});

function CurveTable({ curve }: { curve: LoadCurve }) {
  const { t } = useWords();
  const at = (load: number): string =>
    LETTERS.filter(([name]) => curve.marks[name]?.load === load)
      .map(([, letter]) => letter)
      .join(" ");
  return (
    <Scroll>
      <table className="plain-table curve-table">
        <thead>
          <tr>
            <th className="r">{t.chart.load[curve.model]}</th>
            <th>{t.result.marks}</th>
            <th className="r">{t.runs.throughput}</th>
            <th className="r">{t.compare.mean}</th>
            <th className="r">{t.runs.p95}</th>
            <th className="r">{t.runs.errors}</th>
          </tr>
        </thead>
        <tbody>
          {curve.points.map((point) => (
            <tr key={point.load}>
              <td className="r">{amount(point.load)}</td>
              <td>
                <b>{at(point.load)}</b> {point.steady ? null : <span className="muted">{t.capacity.unsteady}</span>}
              </td>
              <td className="r">{withInterval(point.throughput_per_s)}</td>
              <td className="r">{withInterval(point.response_time_ms)}</td>
              <td className="r">{figure(point.p95_ms)}</td>
              <td className="r">{percent(point.error_rate)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
