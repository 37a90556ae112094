import type { LiveGenerator, LiveInterval, LiveMoment } from "../api/live";
import type { SeriesColumn, SeriesTable } from "../api/types";

/** An interval as values of the series that the charts know. */
export function valuesOf(interval: LiveInterval): Record<string, number | null> {
  const { total } = interval;
  const seconds = Math.max(interval.to_s - interval.from_s, 1);
  const times = total.response_ms;
  const kinds = Object.entries(total.errors_by_kind).map(([kind, count]) => [`errors.${kind}`, count / seconds]);
  return {
    throughput: total.count / seconds,
    errors: total.errors / seconds,
    sent_bytes: total.sent_bytes / seconds,
    received_bytes: total.received_bytes / seconds,
    dropped: total.dropped / seconds,
    mean_ms: times?.mean ?? null,
    p50_ms: times?.p50 ?? null,
    p90_ms: times?.p90 ?? null,
    p95_ms: times?.p95 ?? null,
    p99_ms: times?.p99 ?? null,
    max_ms: times?.max ?? null,
    users: interval.users_active,
    in_flight: interval.in_flight,
    ...Object.fromEntries(kinds),
  };
}

/** The columns with one more second; what came twice after a reconnect counts once. */
export function withInterval(table: SeriesTable, interval: LiveInterval): SeriesTable {
  const last = table.times_s[table.times_s.length - 1] ?? -1;
  if (interval.from_s <= last || interval.after_load) return table;
  const values = valuesOf(interval);
  const known = new Set(table.series.map((column) => column.id));
  const empty = table.times_s.map(() => null);
  const fresh = Object.keys(values)
    .filter((id) => !known.has(id))
    .map((id): SeriesColumn => ({ id, name: id, unit: "", values: empty }));
  const series = [...table.series, ...fresh].map((column) => ({
    ...column,
    values: [...column.values, values[column.id] ?? null],
  }));
  return { ...table, times_s: [...table.times_s, interval.from_s], series };
}

/** The generator's own CPU, which is told behind the second that it is of. */
export function withGenerator(table: SeriesTable, { second, cpu_share }: LiveGenerator): SeriesTable {
  const at = table.times_s.lastIndexOf(second);
  if (at < 0) return table;
  const column = table.series.find((one) => one.id === "generator_cpu") ?? {
    id: "generator_cpu",
    name: "generator_cpu",
    unit: "1",
    values: table.times_s.map(() => null),
  };
  const told = { ...column, values: column.values.map((value, i) => (i === at ? cpu_share : value)) };
  return { ...table, series: [...table.series.filter((one) => one !== column), told] };
}

/** Columns of the target with what was read since; each moment counts for the second that it is in. */
export function withMoments(table: SeriesTable, moments: LiveMoment[]): SeriesTable {
  const last = table.times_s[table.times_s.length - 1] ?? -1;
  const late = new Map<number, Record<string, number>>();
  for (const { at_s, values } of moments) {
    const second = Math.floor(at_s);
    if (second > last) late.set(second, { ...late.get(second), ...values });
  }
  const seconds = [...late.keys()].sort((a, b) => a - b);
  if (seconds.length === 0) return table;
  const series = table.series.map((column) => ({
    ...column,
    values: [...column.values, ...seconds.map((second) => late.get(second)?.[column.id] ?? null)],
  }));
  return { ...table, times_s: [...table.times_s, ...seconds], series };
}

/** The newest value of a series: null where it has none. */
export function lastValue(table: SeriesTable, id: string): number | null {
  const values = table.series.find((column) => column.id === id)?.values ?? [];
  return values[values.length - 1] ?? null;
}
