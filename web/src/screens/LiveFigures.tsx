import { useMemo } from "react";
import type { SeriesTable } from "../api/types";
import { figure } from "../format/number";
import { duration } from "../format/time";
import { useWords } from "../texts";
import { lastValue } from "./liveColumns";

/** The newest second of a run in figures. */
export function LiveFigures({ table, elapsed }: { table: SeriesTable; elapsed: number }) {
  const { t, say } = useWords();
  const figures = useMemo((): [string, string, string, boolean?][] => {
    const [throughput, errors] = [lastValue(table, "throughput"), lastValue(table, "errors")];
    return [
      [t.live.elapsed, duration(elapsed), ""],
      [say("report-throughput"), figure(throughput), "/s"],
      ["p50", figure(lastValue(table, "p50_ms")), "ms"],
      ["p95", figure(lastValue(table, "p95_ms")), "ms"],
      ["p99", figure(lastValue(table, "p99_ms")), "ms"],
      [say("report-errors"), figure(errors), "/s", (errors ?? 0) > 0],
      [String(t.chart.series.users), figure(lastValue(table, "users")), ""],
      [String(t.chart.series.in_flight), figure(lastValue(table, "in_flight")), ""],
    ];
  }, [table, elapsed, t, say]);
  return (
    <dl className="figures-row" aria-label={t.result.figures}>
      {figures.map(([name, value, unit, bad]) => (
        <div key={name} className="card">
          <dt>{name}</dt>
          <dd className={bad ? "bad-text" : ""}>
            {value} <small>{unit}</small>
          </dd>
        </div>
      ))}
    </dl>
  );
}
