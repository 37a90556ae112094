import { Select } from "antd";
import { useMemo, useState } from "react";
import { address, runPath } from "../api/client";
import type { SeriesName, SeriesTable } from "../api/types";
import { useJson } from "../api/use";
import { useWords } from "../texts";
import { targetGroups, targetLines } from "./columns";
import { TimeChart, type Timeline } from "./TimeChart";
import { useSettled } from "./useSettled";

const POINTS = 600;
/** What is shown before anybody chooses: where most bottlenecks show. */
const FIRST = [/cpu\.time$/, /memory/, /queue|pool|active_requests|connections?\.(count|active)/];
const SHOWN = 8;

function firstGroups(keys: string[]): string[] {
  const found = FIRST.flatMap((pattern) => keys.filter((key) => pattern.test(key)));
  return [...new Set([...found, ...keys])].slice(0, SHOWN);
}

/** The series that a target has, and those that are shown. */
export interface TargetSeries {
  groups: Map<string, SeriesName[]>;
  keys: string[];
  shown: string[];
  /** The ids of the series that are shown. */
  wanted: string[];
  /** The ids of all. */
  names: ReadonlySet<string>;
  known: boolean;
  choose: (keys: string[]) => void;
  again: () => void;
}

/** The series that an address names. */
export function useTargetSeries(url: string | null): TargetSeries {
  const asked = useJson<{ items: SeriesName[] }>(url);
  const groups = useMemo(() => targetGroups(asked.value?.items ?? []), [asked.value]);
  const names = useMemo(() => new Set((asked.value?.items ?? []).map((item) => item.id)), [asked.value]);
  const keys = useMemo(() => [...groups.keys()].sort(), [groups]);
  const [chosen, choose] = useState<string[] | null>(null);
  const shown = useMemo(() => chosen ?? firstGroups(keys), [chosen, keys]);
  const wanted = useMemo(() => shown.flatMap((key) => groups.get(key) ?? []).map((name) => name.id), [shown, groups]);
  const known = asked.value !== undefined;
  return { groups, keys, shown, wanted, names, known, choose, again: asked.again };
}

export function SeriesChoice({ of }: { of: TargetSeries }) {
  const { t } = useWords();
  return (
    <Select
      mode="multiple"
      className="series-choice"
      aria-label={t.result.search}
      value={of.shown}
      maxTagCount={0}
      maxTagPlaceholder={t.result.showSeries(of.shown.length)}
      placeholder={t.result.search}
      onChange={of.choose}
      options={of.keys.map((key) => ({ value: key, label: key }))}
    />
  );
}

interface Plots {
  of: TargetSeries;
  table: SeriesTable | undefined;
  timeline: Timeline;
  /** Lines go over points without a value: series that are read at moments of their own. */
  joined?: boolean;
}

export function TargetPlots({ of, table, timeline, joined = false }: Plots) {
  const { shown, groups } = of;
  const charts = useMemo(() => {
    const byId = new Map((table?.series ?? []).map((column) => [column.id, column]));
    return shown.map((key) => ({
      key,
      lines: targetLines(
        (groups.get(key) ?? []).flatMap((name) => byId.get(name.id) ?? []),
        joined,
      ),
    }));
  }, [table, shown, groups, joined]);
  return (
    <div className="charts">
      {charts.map(({ key, lines }) =>
        table && lines.length > 0 ? (
          <TimeChart
            key={key}
            title={`${key}${lines[0]?.unit ? `, ${lines[0].unit}` : ""}`}
            times={table.times_s}
            lines={lines}
            timeline={timeline}
          />
        ) : null,
      )}
    </div>
  );
}

/** The target's series beneath the load's, on the same timeline. */
export function TargetCharts({ id, timeline }: { id: string; timeline: Timeline }) {
  const { t } = useWords();
  const known = useTargetSeries(address(runPath(id, "/series/names")));
  const { wanted } = known;
  const zoom = useSettled(timeline.zoom);
  const query = { from_s: zoom?.from, to_s: zoom?.to, points: POINTS, names: wanted.join(",") };
  const table = useJson<SeriesTable>(wanted.length > 0 ? address(runPath(id, "/series"), query) : null);
  if (known.known && known.keys.length === 0) return <p className="muted">{t.result.targetNone}</p>;
  return (
    <>
      <SeriesChoice of={known} />
      <TargetPlots of={known} table={table.value} timeline={timeline} />
    </>
  );
}
