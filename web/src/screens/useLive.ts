import { useEffect, useRef, useState } from "react";
import { address, runPath } from "../api/client";
import { hear, type LiveGenerator, type LiveMoment } from "../api/live";
import type { RunEvent, SeriesTable } from "../api/types";
import { useJson } from "../api/use";
import { withGenerator, withInterval } from "./liveColumns";

const POINTS = 3600;
const MOST_NEWS = 200;
/** So many moments of the target are kept until its past is asked for anew. */
export const MOST_MOMENTS = 600;

/** A run as far as it was heard. */
export interface Live {
  table: SeriesTable | null;
  /** What was read of the target, the newest last. */
  moments: LiveMoment[];
  findings: RunEvent[];
  events: RunEvent[];
  generator: LiveGenerator | null;
  connected: boolean;
  over: boolean;
}

const NOTHING: Live = {
  table: null,
  moments: [],
  findings: [],
  events: [],
  generator: null,
  connected: true,
  over: false,
};

/** The last second may not have been complete when it was asked for: it is heard again. */
function withoutLast(table: SeriesTable): SeriesTable {
  const series = table.series.map((column) => ({ ...column, values: column.values.slice(0, -1) }));
  return { ...table, times_s: table.times_s.slice(0, -1), series };
}

/** News come once, also when they are heard again after a reconnect. */
function withNews(known: RunEvent[], event: RunEvent): RunEvent[] {
  const isKnown = known.some((one) => one.at_s === event.at_s && one.texts.en === event.texts.en);
  return isKnown ? known : [event, ...known].slice(0, MOST_NEWS);
}

/** A run as it goes on: what was so far, and each second as it comes. */
export function useLive(id: string): Live {
  const past = useJson<SeriesTable>(address(runPath(id, "/series"), { points: POINTS }));
  const [live, setLive] = useState<Live>(NOTHING);
  const started = past.value !== undefined;
  const before = useRef(past.value);
  before.current = past.value;
  useEffect(() => {
    if (!started) return;
    const first = withoutLast(before.current ?? { begin: "", step_s: 1, times_s: [], series: [] });
    const fromS = before.current?.times_s.at(-1) ?? 0;
    setLive((was) => ({ ...was, table: first }));
    const onTable = (change: (table: SeriesTable) => SeriesTable) =>
      setLive((was) => ({ ...was, table: change(was.table ?? first) }));
    return hear(id, fromS, {
      interval: (interval) => onTable((table) => withInterval(table, interval)),
      generator: (generator) => {
        onTable((table) => withGenerator(table, generator));
        setLive((was) => ({ ...was, generator }));
      },
      series: (moment) => setLive((was) => ({ ...was, moments: [...was.moments, moment].slice(-2 * MOST_MOMENTS) })),
      finding: (finding) => setLive((was) => ({ ...was, findings: withNews(was.findings, finding) })),
      event: (event) => setLive((was) => ({ ...was, events: withNews(was.events, event) })),
      end: () => setLive((was) => ({ ...was, over: true })),
      connection: (connected) => setLive((was) => ({ ...was, connected })),
    });
  }, [id, started]);
  return live;
}
