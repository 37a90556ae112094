import { Button } from "antd";
import { useEffect, useMemo, useRef, useState } from "react";
import { address, runPath } from "../api/client";
import { hear, type LiveGenerator } from "../api/live";
import type { RunDetail, RunEvent, SeriesTable } from "../api/types";
import { useJson } from "../api/use";
import { link } from "../app/router";
import { figure } from "../format/number";
import { duration, moment } from "../format/time";
import { GeneratorNotice } from "../parts/GeneratorNotice";
import { RunCharts } from "../parts/RunCharts";
import { ZoomBar } from "../parts/ZoomBar";
import { useWords } from "../texts";
import { LiveControls } from "./LiveControls";
import { lastValue, withInterval } from "./liveColumns";
import { useTimeline } from "./useTimeline";

const POINTS = 3600;
const MOST_NEWS = 200;

interface Live {
  table: SeriesTable | null;
  findings: RunEvent[];
  events: RunEvent[];
  generator: LiveGenerator | null;
  connected: boolean;
  over: boolean;
}

/** The last second may not have been complete when it was asked for: it is heard again. */
function withoutLast(table: SeriesTable): SeriesTable {
  const series = table.series.map((column) => ({ ...column, values: column.values.slice(0, -1) }));
  return { ...table, times_s: table.times_s.slice(0, -1), series };
}

/** A run as it goes on: what was so far, and each second as it comes. */
function useLive(id: string): Live {
  const past = useJson<SeriesTable>(address(runPath(id, "/series"), { points: POINTS }));
  const [live, setLive] = useState<Live>({
    table: null,
    findings: [],
    events: [],
    generator: null,
    connected: true,
    over: false,
  });
  const started = past.value !== undefined;
  const before = useRef(past.value);
  before.current = past.value;
  useEffect(() => {
    if (!started) return;
    const first = withoutLast(before.current ?? { begin: "", step_s: 1, times_s: [], series: [] });
    const fromS = before.current?.times_s.at(-1) ?? 0;
    setLive((was) => ({ ...was, table: first }));
    return hear(id, fromS, {
      interval: (interval) => setLive((was) => ({ ...was, table: withInterval(was.table ?? first, interval) })),
      finding: (finding) => setLive((was) => ({ ...was, findings: [finding, ...was.findings].slice(0, MOST_NEWS) })),
      event: (event) => setLive((was) => ({ ...was, events: [event, ...was.events].slice(0, MOST_NEWS) })),
      generator: (generator) => setLive((was) => ({ ...was, generator })),
      end: () => setLive((was) => ({ ...was, over: true })),
      connection: (connected) => setLive((was) => ({ ...was, connected })),
    });
  }, [id, started]);
  return live;
}

export default function LiveView({ run, ended }: { run: RunDetail; ended: () => void }) {
  const { t, language } = useWords();
  const live = useLive(run.id);
  const table = live.table;
  const elapsed = (table?.times_s[table.times_s.length - 1] ?? -1) + 1;
  const timeline = useTimeline(Math.max(elapsed, 1), run.warm_up_s);
  return (
    <>
      {live.over ? (
        <div className="notice good" role="status">
          <strong>{t.live.ended}</strong> <Button onClick={ended}>{t.live.toResult}</Button>
        </div>
      ) : (
        <LiveControls id={run.id} />
      )}
      {live.connected || live.over ? null : (
        <div className="notice warn" role="status">
          {t.live.reconnecting}
        </div>
      )}
      {live.generator ? <GeneratorNotice health={live.generator} /> : null}
      {table ? <LiveFigures table={table} elapsed={elapsed} /> : null}
      <div className="contents">
        <ZoomBar timeline={timeline} />
      </div>
      <section className="card">
        {table ? <RunCharts table={table} heat={undefined} timeline={timeline} /> : <div className="charts-room" />}
      </section>
      <div className="overview">
        <LiveFindings id={run.id} findings={live.findings} />
        <section className="card">
          <h2>{t.live.events}</h2>
          {live.events.length === 0 ? <p className="muted">{t.result.noEvents}</p> : null}
          <ol className="events">
            {live.events.map((event) => (
              <li key={`${event.at_s} ${event.texts.en}`}>
                <span className="at">{moment(event.at_s, timeline.longest)}</span> {event.texts[language]}
              </li>
            ))}
          </ol>
        </section>
      </div>
    </>
  );
}

function LiveFigures({ table, elapsed }: { table: SeriesTable; elapsed: number }) {
  const { t, say } = useWords();
  const figures = useMemo((): [string, string, string, boolean?][] => {
    const [throughput, errors] = [lastValue(table, "throughput"), lastValue(table, "errors")];
    return [
      [t.live.elapsed, duration(elapsed), ""],
      [say("report-throughput"), figure(throughput), "/s"],
      ["p50", figure(lastValue(table, "p50_ms")), "ms"],
      ["p95", figure(lastValue(table, "p95_ms")), "ms"],
      ["p99", figure(lastValue(table, "p99_ms")), "ms"],
      [say("report-errors"), figure(errors), "/s", (errors ?? 0) > 0],
      [String(t.chart.series.users), figure(lastValue(table, "users")), ""],
      [String(t.chart.series.in_flight), figure(lastValue(table, "in_flight")), ""],
    ];
  }, [table, elapsed, t, say]);
  return (
    <dl className="figures-row" aria-label={t.result.figures}>
      {figures.map(([name, value, unit, bad]) => (
        <div key={name} className="card">
          <dt>{name}</dt>
          <dd className={bad ? "bad-text" : ""}>
            {value} <small>{unit}</small>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function LiveFindings({ id, findings }: { id: string; findings: RunEvent[] }) {
  const { t, language } = useWords();
  return (
    <section className="card" aria-live="polite">
      <h2>{t.live.findingsSoFar}</h2>
      {findings.length === 0 ? <p className="muted">{t.live.noFindings}</p> : null}
      <ol className="news">
        {findings.map((finding) => (
          <li key={`${finding.at_s} ${finding.texts.en}`}>
            <a href={link(["runs", id, "findings"])}>{finding.texts[language]}</a>
          </li>
        ))}
      </ol>
    </section>
  );
}
