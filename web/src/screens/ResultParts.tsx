import { memo, useMemo } from "react";
import type { Distribution, LabelSummary, PhaseName, SeriesTable } from "../api/types";
import { byX, nines, percentileName } from "../format/axes";
import { figure, short } from "../format/number";
import { XyChart } from "../parts/XyChart";
import { useWords } from "../texts";

export const DistributionView = memo(function DistributionView({ distribution }: { distribution: Distribution }) {
  const { t } = useWords();
  const drawn = useMemo(() => {
    // The largest is at the end of the axis: as far as so many requests reach.
    const most = Math.max(10, distribution.count);
    const x = distribution.percentiles.map(([share]) => (share < 1 ? Math.min(1 / (1 - share), most) : most));
    const values = distribution.percentiles.map(([, ms]) => ms);
    const lines = [{ name: String(t.chart.series.response), unit: "ms", colour: 0, values }];
    const last = Math.max(10, x[x.length - 1] ?? 10);
    return { x, lines, splits: nines(last), range: [1, last] as [number, number] };
  }, [distribution, t]);
  return <XyChart title={t.chart.response} logX axisX={percentileName} {...drawn} />;
});

/** Response time against throughput: a point for each stretch of time. */
export const AgainstThroughput = memo(function AgainstThroughput({ table }: { table: SeriesTable }) {
  const { t } = useWords();
  const drawn = useMemo(() => {
    const values = (id: string) => table.series.find((column) => column.id === id)?.values ?? [];
    const names = ["p50", "p95"];
    const { x, columns } = byX(
      values("throughput"),
      names.map((name) => values(`${name}_ms`)),
    );
    const lines = names.map((name, at) => ({ name, unit: "ms", colour: at === 0 ? 2 : 0, values: columns[at] ?? [] }));
    return { x, lines, range: [0, Math.max(1, x[x.length - 1] ?? 1) * 1.05] as [number, number] };
  }, [table]);
  return <XyChart title={`${t.chart.against}, ms`} axisX={(value) => `${short(value)} /s`} points scatter {...drawn} />;
});

const PHASES: PhaseName[] = ["dns", "connect", "tls", "first_byte", "receive"];

/** What each phase adds to a request on average: phases that did not happen count as 0. */
export const Phases = memo(function Phases({ label, of }: { label: LabelSummary; of: string }) {
  const { t, say } = useWords();
  const rows = PHASES.map((name) => {
    const phase = label.phases[name];
    const ms = label.samples > 0 ? (phase.mean_ms * phase.count) / label.samples : 0;
    return { name, ms, most: phase.max_ms };
  });
  const most = Math.max(...rows.map((row) => row.ms), 1e-9);
  return (
    <section className="chart" aria-label={t.result.phases}>
      <h3>
        {t.result.phases} <span className="at">{of}</span>
      </h3>
      <table className="bars">
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">{say(`report-phase-${row.name}`)}</th>
              <td className="bar">
                <i style={{ width: `${(row.ms / most) * 100}%` }} />
              </td>
              <td className="r">{figure(row.ms)} ms</td>
              <td className="r muted">max {figure(row.most)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
});
