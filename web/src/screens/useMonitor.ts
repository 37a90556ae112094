import { useEffect, useMemo, useRef, useState } from "react";
import { address } from "../api/client";
import { hearEvents } from "../api/events";
import type { LiveMoment } from "../api/live";
import type { MonitorMoment } from "../api/monitor";
import type { SeriesTable } from "../api/types";
import { useJson } from "../api/use";
import { withMoments } from "./liveColumns";
import { MOST_MOMENTS } from "./useLive";

/** Points of a chart; a longer stretch has coarser ones. */
const POINTS = 1800;

/** Columns whose times are those of the clock, seconds since 1970. */
function byClock(table: SeriesTable): SeriesTable {
  const begin = Math.floor(Date.parse(table.begin) / 1000);
  return { ...table, times_s: table.times_s.map((time) => begin + time) };
}

/** The columns from a time on. */
export function since(table: SeriesTable, first: number): SeriesTable {
  const from = table.times_s.findIndex((time) => time >= first);
  if (from <= 0) return table;
  const series = table.series.map((column) => ({ ...column, values: column.values.slice(from) }));
  return { ...table, times_s: table.times_s.slice(from), series };
}

export interface Monitored {
  table: SeriesTable | undefined;
  /** The newest moment that was heard. */
  newest: LiveMoment | undefined;
  connected: boolean;
  error: Error | undefined;
  again: () => void;
}

/** What is seen without load: the last seconds, and each one as it comes. */
export function useMonitor(names: string[], lastS: number): Monitored {
  const query = { last_s: lastS, points: POINTS, names: names.join(",") };
  const asked = useJson<SeriesTable>(names.length > 0 ? address("/monitor/series", query) : null);
  const [moments, setMoments] = useState<LiveMoment[]>([]);
  const [connected, setConnected] = useState(true);
  useEffect(
    () =>
      hearEvents(address("/monitor/live"), {
        on: {
          series: ({ at_unix_s, values }: MonitorMoment) =>
            setMoments((was) => [...was, { at_s: at_unix_s, values }].slice(-2 * MOST_MOMENTS)),
        },
        connection: setConnected,
      }),
    [],
  );
  const past = useMemo(() => (asked.value ? byClock(asked.value) : undefined), [asked.value]);
  const newest = moments[moments.length - 1];
  const { again } = asked;
  // What was told while the connection was lost is asked for.
  const wasLost = useRef(false);
  useEffect(() => {
    if (connected && wasLost.current) again();
    wasLost.current = !connected;
  }, [connected, again]);
  const known = past?.times_s[past.times_s.length - 1] ?? 0;
  // Long before moments are forgotten, the past is asked for anew.
  const isOld = newest !== undefined && newest.at_s - known > MOST_MOMENTS;
  const wasOld = useRef(false);
  useEffect(() => {
    if (isOld && !wasOld.current) again();
    wasOld.current = isOld;
  }, [isOld, again]);
  const table = useMemo(() => {
    if (!past) return undefined;
    const whole = withMoments(past, moments);
    return since(whole, (whole.times_s[whole.times_s.length - 1] ?? 0) - lastS);
  }, [past, moments, lastS]);
  return { table, newest, connected, error: asked.error, again };
}
