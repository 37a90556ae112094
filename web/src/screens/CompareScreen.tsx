import { useMemo } from "react";
import { address, runPath } from "../api/client";
import type { RunDetail, SeriesTable } from "../api/types";
import { useJson } from "../api/use";
import { link } from "../app/router";
import { figure, percent } from "../format/number";
import { clock } from "../format/time";
import { Failed } from "../parts/Failed";
import { TimeChart } from "../parts/TimeChart";
import { VerdictBadge } from "../parts/VerdictBadge";
import { ZoomBar } from "../parts/ZoomBar";
import { useWords } from "../texts";
import { useTimeline } from "./useTimeline";

const MOST = 4;

/** Hooks are asked for a fixed number of runs: up to four stand side by side. */
function useRuns(ids: string[]) {
  const at = (i: number, rest: string): string | null =>
    ids[i] === undefined ? null : address(runPath(ids[i], rest), rest ? { points: 600 } : {});
  const runs = [
    useJson<RunDetail>(at(0, "")),
    useJson<RunDetail>(at(1, "")),
    useJson<RunDetail>(at(2, "")),
    useJson<RunDetail>(at(3, "")),
  ];
  const series = [
    useJson<SeriesTable>(at(0, "/series")),
    useJson<SeriesTable>(at(1, "/series")),
    useJson<SeriesTable>(at(2, "/series")),
    useJson<SeriesTable>(at(3, "/series")),
  ];
  return { runs: runs.slice(0, ids.length), series: series.slice(0, ids.length) };
}

/** Runs side by side: the first is the baseline. */
export default function CompareScreen({ ids }: { ids: string[] }) {
  const { t } = useWords();
  const shown = ids.slice(0, MOST);
  const { runs, series } = useRuns(shown);
  const failed = runs.find((asked) => asked.error);
  const details = runs.flatMap((asked) => (asked.value ? [asked.value] : []));
  const tables = series.flatMap((asked) => (asked.value ? [asked.value] : []));
  if (ids.length < 2) {
    return (
      <div className="empty">
        <h1>{t.compare.title}</h1>
        <p>{t.compare.choose}</p>
        <a href={link(["runs"])}>{t.runs.title}</a>
      </div>
    );
  }
  const complete = details.length === shown.length;
  return (
    <>
      <h1>{t.compare.title}</h1>
      {failed?.error ? <Failed error={failed.error} again={failed.again} /> : null}
      {complete ? <Metrics runs={details} /> : null}
      {complete && tables.length === shown.length ? <Courses runs={details} tables={tables} /> : null}
    </>
  );
}

interface Metric {
  name: string;
  of: (run: RunDetail) => number | null;
  show: (value: number | null) => string;
  lessIsBetter: boolean;
}

function useMetrics(): Metric[] {
  const { t, say } = useWords();
  const time = (name: string, key: "mean" | "p50" | "p95" | "p99"): Metric => ({
    name,
    of: (run) => run.total.response_time_ms[key],
    show: figure,
    lessIsBetter: true,
  });
  return [
    {
      name: t.runs.throughput,
      of: (run) => run.total.throughput_per_s ?? null,
      show: figure,
      lessIsBetter: false,
    },
    time(t.compare.mean, "mean"),
    time("p50, ms", "p50"),
    time("p95, ms", "p95"),
    time("p99, ms", "p99"),
    {
      name: `${say("report-error-share")} %`,
      of: (run) => run.total.error_rate ?? null,
      show: percent,
      lessIsBetter: true,
    },
  ];
}

function Difference({
  base,
  value,
  lessIsBetter,
}: {
  base: number | null;
  value: number | null;
  lessIsBetter: boolean;
}) {
  if (base === null || value === null || base === 0) return null;
  const share = (value - base) / base;
  if (Math.abs(share) < 0.0005) return <small className="muted">±0 %</small>;
  const better = share < 0 === lessIsBetter;
  return (
    <small
      className={better ? "good-text" : "bad-text"}
    >{`${share > 0 ? "+" : "−"}${figure(Math.abs(share) * 100)} %`}</small>
  );
}

function Metrics({ runs }: { runs: RunDetail[] }) {
  const { t } = useWords();
  const metrics = useMetrics();
  const base = runs[0];
  if (!base) return null;
  return (
    <section className="card scroll">
      <table className="plain-table compare">
        <thead>
          <tr>
            <th>{t.compare.metric}</th>
            {runs.map((run, i) => (
              <th key={run.id} className="r">
                <a href={link(["runs", run.id])}>{run.name}</a>
                <div className="muted">{clock(run.started_at)}</div>
                <VerdictBadge verdict={run.verdict} state={run.state} />{" "}
                {i === 0 ? <span className="badge plain">{t.compare.baseline}</span> : null}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {metrics.map((metric) => (
            <tr key={metric.name}>
              <th scope="row">{metric.name}</th>
              {runs.map((run, i) => (
                <td key={run.id} className="r">
                  {metric.show(metric.of(run))}{" "}
                  {i === 0 ? null : (
                    <Difference base={metric.of(base)} value={metric.of(run)} lessIsBetter={metric.lessIsBetter} />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const COMPARED: [string, "throughput" | "percentiles", string][] = [
  ["throughput", "throughput", "/s"],
  ["p95_ms", "percentiles", "ms"],
];

/** Values of one run at the times of all. */
function at(times: number[], table: SeriesTable, id: string): (number | null)[] {
  const values = table.series.find((column) => column.id === id)?.values ?? [];
  const known = new Map(table.times_s.map((time, i) => [time, values[i] ?? null]));
  return times.map((time) => known.get(time) ?? null);
}

function Courses({ runs, tables }: { runs: RunDetail[]; tables: SeriesTable[] }) {
  const { t } = useWords();
  const times = useMemo(() => [...new Set(tables.flatMap((table) => table.times_s))].sort((a, b) => a - b), [tables]);
  const timeline = useTimeline(times[times.length - 1] ?? 1, 0);
  const charts = useMemo(
    () =>
      COMPARED.map(([id, title, unit]) => ({
        title: id === "p95_ms" ? `${t.chart[title]} · p95` : t.chart[title],
        lines: tables.map((table, i) => ({
          name: `${i + 1} · ${runs[i]?.name ?? ""} · ${clock(runs[i]?.started_at)}`,
          unit,
          colour: i,
          values: at(times, table, id),
        })),
      })),
    [tables, times, runs, t],
  );
  return (
    <section className="card">
      <h2>{t.compare.overTime}</h2>
      <ZoomBar timeline={timeline} />
      <div className="charts">
        {charts.map((chart) => (
          <TimeChart
            key={chart.title}
            title={chart.title}
            times={times}
            lines={chart.lines}
            timeline={timeline}
            height={260}
          />
        ))}
      </div>
    </section>
  );
}
