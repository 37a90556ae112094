import { Button } from "antd";
import { useMemo } from "react";
import type { RunDetail, RunEvent, SeriesTable } from "../api/types";
import { link } from "../app/router";
import { figure } from "../format/number";
import { duration, moment } from "../format/time";
import { GeneratorNotice } from "../parts/GeneratorNotice";
import { RunCharts } from "../parts/RunCharts";
import { ZoomBar } from "../parts/ZoomBar";
import { useWords } from "../texts";
import { LiveControls } from "./LiveControls";
import { LiveTarget } from "./LiveTarget";
import { lastValue } from "./liveColumns";
import { useLive } from "./useLive";
import { useTimeline } from "./useTimeline";

export default function LiveView({ run, ended }: { run: RunDetail; ended: () => void }) {
  const { t, language } = useWords();
  const live = useLive(run.id);
  const table = live.table;
  const elapsed = (table?.times_s[table.times_s.length - 1] ?? -1) + 1;
  const timeline = useTimeline(Math.max(elapsed, 1), run.warm_up_s);
  const health = live.generator ? <GeneratorNotice health={live.generator} live /> : null;
  return (
    <>
      {live.generator?.limited ? health : null}
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
      {live.generator?.limited ? null : health}
      {table ? <LiveFigures table={table} elapsed={elapsed} /> : null}
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
      <div className="contents">
        <ZoomBar timeline={timeline} />
      </div>
      <section className="card">
        {table ? <RunCharts table={table} heat={undefined} timeline={timeline} /> : <div className="charts-room" />}
      </section>
      <section className="card" id="target">
        <h2>{t.result.targetSeries}</h2>
        <LiveTarget id={run.id} moments={live.moments} timeline={timeline} />
      </section>
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
