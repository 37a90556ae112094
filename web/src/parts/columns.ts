import type { SeriesName, SeriesTable } from "../api/types";
import type { Texts } from "../texts";
import type { ChartLine } from "./TimeChart";

export interface ChartGroup {
  key: string;
  title: string;
  lines: ChartLine[];
}

const CHARTS: [keyof Texts["chart"] & string, string[], string][] = [
  ["throughput", ["throughput", "errors"], "/s"],
  ["percentiles", ["p50_ms", "p90_ms", "p95_ms", "p99_ms", "max_ms"], "ms"],
  ["users", ["users", "in_flight", "dropped"], ""],
  ["bytes", ["received_bytes", "sent_bytes"], "KB/s"],
  ["generator", ["generator_cpu"], "%"],
];

/** How many times a series' unit goes into the chart's. */
const FACTORS: Record<string, number> = { received_bytes: 1 / 1024, sent_bytes: 1 / 1024, generator_cpu: 100 };

const COLOURS: Record<string, number> = {
  errors: 3,
  p50_ms: 2,
  p90_ms: 5,
  p95_ms: 0,
  p99_ms: 1,
  max_ms: 3,
  in_flight: 1,
  dropped: 3,
  sent_bytes: 1,
};

function loadName(id: string, t: Texts): string {
  const percentile = /^p(\d+)(?:_(\d+))?_ms$/.exec(id);
  if (percentile) return `p${percentile[1]}${percentile[2] ? `.${percentile[2]}` : ""}`;
  const known: Record<string, string> = { max_ms: "max", mean_ms: "mean", generator_cpu: "cpu" };
  return t.chart.series[known[id] ?? id] ?? id;
}

/** The charts of the load, from its columns. */
export function loadCharts(table: SeriesTable, t: Texts, say: (id: string) => string): ChartGroup[] {
  const byId = new Map(table.series.map((column) => [column.id, column]));
  const groups = CHARTS.map(([title, ids, unit]): ChartGroup => {
    const lines = ids.flatMap((id): ChartLine[] => {
      const column = byId.get(id);
      if (!column || (id === "dropped" && !column.values.some((v) => v))) return [];
      const factor = FACTORS[id] ?? 1;
      const values = factor === 1 ? column.values : column.values.map((v) => (v === null ? null : v * factor));
      const shown = {
        area: id === "throughput" || id === "users" || id === "errors",
        hidden: id === "max_ms",
        dash: id === "max_ms",
      };
      return [{ name: loadName(id, t), unit, colour: COLOURS[id] ?? 0, values, ...shown }];
    });
    return { key: title, title: String(t.chart[title]), lines };
  });
  const errors = table.series
    .filter((column) => column.id.startsWith("errors."))
    .map(
      (column, i): ChartLine => ({
        name: say(errorKindId(column.id.slice(7))),
        unit: "/s",
        colour: i,
        values: column.values,
      }),
    );
  if (errors.length > 0) groups.splice(3, 0, { key: "errors", title: t.chart.errors, lines: errors });
  return groups.filter((group) => group.lines.length > 0);
}

export function errorKindId(kind: string): string {
  return `error-kind-${kind.replace(/_/g, "-")}`;
}

/** What a series of the target is of, as people read it. */
export function thing(series: SeriesName): string {
  const { kind, name, host } = series.entity ?? { kind: "", name: "", host: "" };
  return [kind, name || host, name && host && name !== host ? `@ ${host}` : ""].filter(Boolean).join(" ");
}

/** Series of the target that belong into one chart: the same quantity of the same thing. */
export function targetGroups(names: SeriesName[]): Map<string, SeriesName[]> {
  const groups = new Map<string, SeriesName[]>();
  for (const name of names) {
    if (!name.entity) continue;
    const key = `${thing(name)} · ${name.name}`;
    groups.set(key, [...(groups.get(key) ?? []), name]);
  }
  return groups;
}

/** A unit by UCUM as charts say it, and what values are multiplied by. */
export function shownUnit(ucum: string): [string, number] {
  const known: Record<string, [string, number]> = {
    "1": ["", 1],
    By: ["MiB", 1 / 1048576],
    "By/s": ["MiB/s", 1 / 1048576],
    s: ["ms", 1000],
    "s/s": ["%", 100],
  };
  return known[ucum] ?? [ucum.replace(/[{}]/g, ""), 1];
}

/** What a series is called beside others of its quantity: what its attributes are. */
export function lineName({ attributes, name }: SeriesName): string {
  return (attributes ?? []).map((text) => text.slice(text.indexOf("=") + 1)).join(" ") || name;
}
