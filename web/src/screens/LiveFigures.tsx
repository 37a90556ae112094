import { useMemo } from "react";
import type { LoadNow } from "../api/live";
import type { SeriesTable } from "../api/types";
import { figure } from "../format/number";
import { duration } from "../format/time";
import { FigureTiles, type Tile } from "../parts/FigureTiles";
import { useWords } from "../texts";
import { lastValue } from "./liveColumns";

interface Props {
  table: SeriesTable;
  elapsed: number;
  /** Undefined while it is asked for, or where it is not. */
  load?: LoadNow | undefined;
}

/** How long it goes on, and the newest second of a run in figures. */
export function LiveFigures({ table, elapsed, load }: Props) {
  const { t, say } = useWords();
  const times = useMemo((): Tile[] => {
    const end = load?.end_s ?? null;
    const gone: Tile = { name: t.live.elapsed, value: duration(elapsed) };
    if (load === undefined) return [gone];
    if (end === null) return [gone, { name: t.load.planned, value: t.load.noEnd, isText: true }];
    return [
      gone,
      { name: t.load.planned, value: duration(end) },
      { name: t.load.left, value: duration(Math.max(Math.ceil(end - elapsed), 0)) },
    ];
  }, [elapsed, load, t]);
  const figures = useMemo((): Tile[] => {
    const [throughput, errors] = [lastValue(table, "throughput"), lastValue(table, "errors")];
    return [
      { name: say("report-throughput"), value: figure(throughput), unit: "/s" },
      { name: "p50", value: figure(lastValue(table, "p50_ms")), unit: "ms" },
      { name: "p95", value: figure(lastValue(table, "p95_ms")), unit: "ms" },
      { name: "p99", value: figure(lastValue(table, "p99_ms")), unit: "ms" },
      { name: say("report-errors"), value: figure(errors), unit: "/s", isBad: (errors ?? 0) > 0 },
      { name: String(t.chart.series.users), value: figure(lastValue(table, "users")) },
      { name: String(t.chart.series.in_flight), value: figure(lastValue(table, "in_flight")) },
    ];
  }, [table, t, say]);
  return (
    <>
      <FigureTiles label={t.load.time} tiles={times} />
      <FigureTiles label={t.result.figures} of={t.stretch.newest} tiles={figures} />
    </>
  );
}
