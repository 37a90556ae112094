import { useMemo } from "react";
import type { HeatMap, SeriesTable } from "../api/types";
import { useWords } from "../texts";
import { loadCharts } from "./columns";
import { TimeChart, type Timeline } from "./TimeChart";

/** The ends of all rows, the lowest one's lower end too; null: nothing was measured. */
function rowEnds({ bounds_ms }: HeatMap): number[] {
  const first = bounds_ms[0];
  return first === undefined ? [] : [first / 10 ** 0.1, ...bounds_ms];
}

/** All charts of the load, on one timeline. */
export function RunCharts(props: { table: SeriesTable; heat: HeatMap | undefined; timeline: Timeline }) {
  const { table, heat, timeline } = props;
  const { t, say } = useWords();
  const groups = useMemo(() => loadCharts(table, t, say), [table, t, say]);
  const cells = useMemo(
    () =>
      heat && heat.bounds_ms.length > 0
        ? { times: heat.times_s, step: heat.step_s, bounds: rowEnds(heat), counts: heat.counts }
        : undefined,
    [heat],
  );
  return (
    <div className="charts">
      {groups.map((group) => (
        <TimeChart key={group.key} title={group.title} times={table.times_s} lines={group.lines} timeline={timeline} />
      ))}
      {cells ? (
        <TimeChart
          title={`${t.chart.heat}, ms`}
          times={cells.times}
          lines={[]}
          timeline={timeline}
          heat={cells}
          height={220}
        />
      ) : null}
    </div>
  );
}
