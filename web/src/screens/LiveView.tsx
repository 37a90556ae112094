import { Button } from "antd";
import { useEffect } from "react";
import { address, runPath } from "../api/client";
import type { LoadNow } from "../api/live";
import type { RunDetail, RunEvent } from "../api/types";
import { useJson } from "../api/use";
import { link } from "../app/router";
import { moment } from "../format/time";
import { GeneratorNotice } from "../parts/GeneratorNotice";
import { RunCharts } from "../parts/RunCharts";
import { ZoomBar } from "../parts/ZoomBar";
import { useWords } from "../texts";
import { LiveControls } from "./LiveControls";
import { LiveFigures } from "./LiveFigures";
import { LiveTarget } from "./LiveTarget";
import { lastValue } from "./liveColumns";
import { useLive } from "./useLive";
import { useTimeline } from "./useTimeline";

interface Props {
  run: RunDetail;
  /** Asks for the run again. */
  again: () => void;
  toResult: () => void;
}

export default function LiveView({ run, again, toResult }: Props) {
  const { t, language } = useWords();
  const live = useLive(run.id);
  const table = live.table;
  // How it ended stands in its head, too.
  useEffect(() => {
    if (live.over) again();
  }, [live.over, again]);
  const load = usePlan(run.id, live.events[0]);
  const wasCutShort = run.state === "incomplete";
  const elapsed = (table?.times_s[table.times_s.length - 1] ?? -1) + 1;
  const timeline = useTimeline(Math.max(elapsed, 1), run.warm_up_s);
  const health = live.generator ? <GeneratorNotice health={live.generator} live /> : null;
  return (
    <>
      {live.generator?.limited ? health : null}
      {live.over ? (
        <div className={`notice ${wasCutShort ? "warn" : "good"}`} role="status">
          <strong>{wasCutShort ? t.live.cutShort : t.live.ended}</strong>{" "}
          <Button onClick={toResult}>{t.live.toResult}</Button>
        </div>
      ) : (
        <LiveControls id={run.id} users={table ? lastValue(table, "users") : null} />
      )}
      {live.connected || live.over ? null : (
        <div className="notice warn" role="status">
          {t.live.reconnecting}
        </div>
      )}
      {live.generator?.limited ? null : health}
      {table ? <LiveFigures table={table} elapsed={elapsed} load={load} /> : null}
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

/** The load as it is planned now: asked for anew with each event, which tells of changes too. */
function usePlan(id: string, newest: RunEvent | undefined): LoadNow | undefined {
  const { value, again } = useJson<LoadNow>(address(runPath(id, "/load")));
  useEffect(() => {
    if (newest) again();
  }, [newest, again]);
  return value;
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
