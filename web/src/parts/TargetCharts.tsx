import { Select } from "antd";
import { useMemo, useState } from "react";
import { address, runPath } from "../api/client";
import type { SeriesName, SeriesTable } from "../api/types";
import { useJson } from "../api/use";
import { useWords } from "../texts";
import { targetGroups, targetLines } from "./columns";
import { TimeChart, type Timeline } from "./TimeChart";

const POINTS = 600;
/** What is shown before anybody chooses: where most bottlenecks show. */
const FIRST = [/cpu\.time$/, /memory/, /queue|pool|active_requests|connections?\.(count|active)/];
const SHOWN = 8;

function firstGroups(keys: string[]): string[] {
  const found = FIRST.flatMap((pattern) => keys.filter((key) => pattern.test(key)));
  return [...new Set([...found, ...keys])].slice(0, SHOWN);
}

/** The target's series beneath the load's, on the same timeline. */
export function TargetCharts({ id, timeline }: { id: string; timeline: Timeline }) {
  const { t } = useWords();
  const names = useJson<{ items: SeriesName[] }>(address(runPath(id, "/series/names")));
  const groups = useMemo(() => targetGroups(names.value?.items ?? []), [names.value]);
  const keys = useMemo(() => [...groups.keys()].sort(), [groups]);
  const [chosen, setChosen] = useState<string[] | null>(null);
  const shown = chosen ?? firstGroups(keys);
  const wanted = shown.flatMap((key) => groups.get(key) ?? []).map((name) => name.id);
  const { zoom } = timeline;
  const query = { from_s: zoom?.from, to_s: zoom?.to, points: POINTS, names: wanted.join(",") };
  const table = useJson<SeriesTable>(wanted.length > 0 ? address(runPath(id, "/series"), query) : null);
  const charts = useMemo(() => {
    const byId = new Map((table.value?.series ?? []).map((column) => [column.id, column]));
    return shown.map((key) => ({
      key,
      lines: targetLines((groups.get(key) ?? []).flatMap((name) => byId.get(name.id) ?? [])),
    }));
  }, [table.value, shown, groups]);
  if (names.value && keys.length === 0) return <p className="muted">{t.result.targetNone}</p>;
  return (
    <>
      <Select
        mode="multiple"
        className="series-choice"
        aria-label={t.result.search}
        value={shown}
        maxTagCount={0}
        maxTagPlaceholder={t.result.showSeries(shown.length)}
        placeholder={t.result.search}
        onChange={setChosen}
        options={keys.map((key) => ({ value: key, label: key }))}
      />
      <div className="charts">
        {charts.map(({ key, lines }) =>
          table.value && lines.length > 0 ? (
            <TimeChart
              key={key}
              title={`${key}${lines[0]?.unit ? `, ${lines[0].unit}` : ""}`}
              times={table.value.times_s}
              lines={lines}
              timeline={timeline}
            />
          ) : null,
        )}
      </div>
    </>
  );
}
