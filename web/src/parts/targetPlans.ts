import type { SeriesColumn, SeriesNames } from "../api/types";
import { lineName, shownUnit, targetGroups } from "./columns";
import type { ChartLine } from "./TimeChart";

/** So many charts are shown before anybody chooses, and of those that matter alike so many at first. */
const SHOWN = 10;
const ALIKE = 3;
/** Lines of a chart at most; those with the largest means are kept. */
const MOST_LINES = 8;

/** A chart of the target that may be shown. */
export interface TargetPlan {
  key: string;
  title: string;
  /** The names of its series. */
  hint: string;
  unit: string;
  /** What it matters; null: a quantity by its own name alone. */
  rank: number | null;
  lines: { name: string; ids: string[]; factor: number }[];
}

/** The charts that a target may have: those with words first, then each quantity of each thing by its own name. */
export function targetPlans({ items, charts }: SeriesNames): TargetPlan[] {
  const names = new Map(items.map((item) => [item.id, item.name]));
  const inWords = charts.map((chart): TargetPlan => {
    const ids = chart.lines.flatMap((line) => line.series);
    return {
      key: `${chart.title} · ${chart.of}`,
      title: `${chart.title}${chart.unit ? `, ${chart.unit}` : ""} · ${chart.of}`,
      hint: [...new Set(ids.map((id) => names.get(id) ?? id))].join(", "),
      unit: chart.unit,
      rank: chart.rank,
      lines: chart.lines.map(({ name, series, factor }) => ({ name, ids: series, factor })),
    };
  });
  const groups = [...targetGroups(items)].sort(([a], [b]) => (a < b ? -1 : 1));
  const byName = groups.map(([key, of]): TargetPlan => {
    const [unit, factor] = shownUnit(of[0]?.unit ?? "");
    const lines = of.map((series) => ({ name: lineName(series), ids: [series.id], factor }));
    return { key, title: `${key}${unit ? `, ${unit}` : ""}`, hint: of[0]?.name ?? "", unit, rank: null, lines };
  });
  return [...inWords, ...byName];
}

/** The keys of what is shown before anybody chooses: what matters most, and not one kind of thing alone. */
export function firstPlans(plans: TargetPlan[]): string[] {
  const inWords = plans.filter((plan) => plan.rank !== null);
  const alike = new Map<number | null, number>();
  const isEarly = ({ rank }: TargetPlan): boolean => {
    const before = alike.get(rank) ?? 0;
    alike.set(rank, before + 1);
    return before < ALIKE;
  };
  const early = inWords.filter(isEarly);
  const late = inWords.filter((plan) => !early.includes(plan));
  const all = inWords.length > 0 ? [...early, ...late] : plans;
  return all.slice(0, SHOWN).map((plan) => plan.key);
}

/** The charts that show these series, in the series' order: each by the first chart that has words for it. */
export function plansOf(plans: TargetPlan[], ids: string[]): TargetPlan[] {
  const shows = (plan: TargetPlan, id: string) => plan.lines.some((line) => line.ids.includes(id));
  return [...new Set(ids.flatMap((id) => plans.find((plan) => shows(plan, id)) ?? []))];
}

function sum(columns: SeriesColumn[], factor: number): (number | null)[] {
  const [first, ...others] = columns;
  return (first?.values ?? []).map((value, at) => {
    let all = value;
    for (const { values } of others) {
      const more = values[at] ?? null;
      if (more !== null) all = (all ?? 0) + more;
    }
    return all === null ? null : all * factor;
  });
}

function mean({ values }: ChartLine): number {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? 0 : known.reduce((a, b) => a + b, 0) / known.length;
}

/** The lines of a chart, of the columns that have come. */
export function plannedLines(plan: TargetPlan, byId: ReadonlyMap<string, SeriesColumn>, joined: boolean): ChartLine[] {
  const lines = plan.lines.flatMap(({ name, ids, factor }, colour): ChartLine[] => {
    const columns = ids.flatMap((id) => byId.get(id) ?? []);
    if (columns.length === 0) return [];
    return [{ name, unit: plan.unit, colour, joined, values: sum(columns, factor) }];
  });
  if (plan.rank === null || lines.length <= MOST_LINES) return lines;
  const most = [...lines].sort((a, b) => mean(b) - mean(a)).slice(0, MOST_LINES);
  return most.map((line, colour) => ({ ...line, colour }));
}
