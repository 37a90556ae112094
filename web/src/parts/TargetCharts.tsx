import { Select } from "antd";
import { useMemo, useState } from "react";
import { address, runPath } from "../api/client";
import type { SeriesNames, SeriesTable } from "../api/types";
import { useJson } from "../api/use";
import { useWords } from "../texts";
import { TimeChart, type Timeline } from "./TimeChart";
import { firstPlans, plannedLines, type TargetPlan, targetPlans } from "./targetPlans";
import { useSettled } from "./useSettled";

const POINTS = 600;

/** The charts that a target may have, and those that are shown. */
export interface TargetSeries {
  plans: TargetPlan[];
  shown: TargetPlan[];
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
  const asked = useJson<SeriesNames>(url);
  const plans = useMemo(() => (asked.value ? targetPlans(asked.value) : []), [asked.value]);
  const names = useMemo(() => new Set((asked.value?.items ?? []).map((item) => item.id)), [asked.value]);
  const [chosen, choose] = useState<string[] | null>(null);
  const shown = useMemo(() => {
    const byKey = new Map(plans.map((plan) => [plan.key, plan]));
    return (chosen ?? firstPlans(plans)).flatMap((key) => byKey.get(key) ?? []);
  }, [chosen, plans]);
  const wanted = useMemo(() => [...new Set(shown.flatMap((plan) => plan.lines.flatMap((line) => line.ids)))], [shown]);
  const known = asked.value !== undefined;
  return { plans, shown, wanted, names, known, choose, again: asked.again };
}

export function SeriesChoice({ of }: { of: TargetSeries }) {
  const { t } = useWords();
  const option = ({ key, hint }: TargetPlan) => ({ value: key, label: key, title: hint, search: `${key} ${hint}` });
  const inWords = of.plans.filter((plan) => plan.rank !== null).map(option);
  const byName = of.plans.filter((plan) => plan.rank === null).map(option);
  const groups = [
    { label: t.target.charts, options: inWords },
    { label: t.target.series, options: byName },
  ];
  return (
    <Select
      mode="multiple"
      className="series-choice"
      aria-label={t.result.search}
      value={of.shown.map((plan) => plan.key)}
      maxTagCount={0}
      maxTagPlaceholder={t.result.showSeries(of.shown.length)}
      placeholder={t.result.search}
      onChange={of.choose}
      optionFilterProp="search"
      options={groups.filter((group) => group.options.length > 0)}
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
  const { shown } = of;
  const charts = useMemo(() => {
    const byId = new Map((table?.series ?? []).map((column) => [column.id, column]));
    return shown.map((plan) => ({ plan, lines: plannedLines(plan, byId, joined) }));
  }, [table, shown, joined]);
  return (
    <div className="charts">
      {charts.map(({ plan, lines }) =>
        table && lines.length > 0 ? (
          <TimeChart
            key={plan.key}
            title={plan.title}
            hint={plan.hint}
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
  if (known.known && known.plans.length === 0) return <p className="muted">{t.result.targetNone}</p>;
  return (
    <>
      <SeriesChoice of={known} />
      <TargetPlots of={known} table={table.value} timeline={timeline} />
    </>
  );
}
