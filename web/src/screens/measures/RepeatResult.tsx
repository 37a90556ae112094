import type { Summary } from "../../api/types";
import { link } from "../../app/router";
import { figure, percent } from "../../format/number";
import { clock } from "../../format/time";
import { Scroll } from "../../parts/Scroll";
import { VerdictBadge } from "../../parts/VerdictBadge";
import { useWords } from "../../texts";
import { scatter } from "./scatter";

type Metric = [name: string, value: (run: Summary) => number, show: (value: number | null) => string];

/** Runs that stand side by side at most. */
const MOST_RUNS = 4;

/** The same run several times: each, their mean, and how much they scatter. */
export default function RepeatResult({ runs }: { runs: Summary[] }) {
  const { t } = useWords();
  const metrics: Metric[] = [
    [t.runs.throughput, (run) => run.total.throughput_per_s, figure],
    [t.compare.mean, (run) => run.total.response_time_ms.mean, figure],
    ["p50, ms", (run) => run.total.response_time_ms.p50, figure],
    [t.runs.p95, (run) => run.total.response_time_ms.p95, figure],
    ["p99, ms", (run) => run.total.response_time_ms.p99, figure],
    [t.runs.errors, (run) => run.total.error_rate, percent],
  ];
  const scattered = metrics.map(([, value]) => scatter(runs.map(value)));
  return (
    <section className="card">
      <div className="section-head">
        <h2>{t.measures.result}</h2>
        {runs.length > 1 ? (
          <a
            href={link(["compare"], {
              runs: runs
                .slice(0, MOST_RUNS)
                .map((run) => run.run)
                .join(","),
            })}
          >
            {t.repeats.compare}
          </a>
        ) : null}
      </div>
      <Scroll>
        <table className="plain-table">
          <thead>
            <tr>
              <th>{t.runs.name}</th>
              <th>{t.runs.verdict}</th>
              {metrics.map(([name]) => (
                <th key={name} className="r">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {runs.map((run) => (
              <tr key={run.run}>
                <td>
                  <a href={link(["runs", run.run])}>{run.run}</a>{" "}
                  <span className="muted nowrap">{clock(run.started_at)}</span>
                </td>
                <td>
                  <VerdictBadge verdict={run.verdict} state="finished" />
                </td>
                {metrics.map(([name, value, show]) => (
                  <td key={name} className="r">
                    {show(value(run))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row" colSpan={2}>
                {t.repeats.mean}
              </th>
              {metrics.map(([name, , show], i) => (
                <td key={name} className="r">
                  <b>{show(scattered[i]?.mean ?? null)}</b>
                </td>
              ))}
            </tr>
            <tr>
              <th scope="row" colSpan={2}>
                {t.repeats.scatter}
              </th>
              {metrics.map(([name], i) => (
                <td key={name} className="r">
                  {percent(scattered[i]?.share)}
                </td>
              ))}
            </tr>
          </tfoot>
        </table>
      </Scroll>
      <p className="muted">{runs.length > 1 ? t.repeats.note : t.repeats.one}</p>
    </section>
  );
}
