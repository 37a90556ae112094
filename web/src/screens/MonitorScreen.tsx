import { Segmented } from "antd";
import { useEffect, useMemo } from "react";
import { address } from "../api/client";
import type { MonitorNow } from "../api/monitor";
import { useMay } from "../api/session";
import { useJson } from "../api/use";
import { link, setQuery, usePlace } from "../app/router";
import { clock } from "../format/time";
import { Failed } from "../parts/Failed";
import { keyed } from "../parts/keyed";
import { SeriesChoice, TargetPlots, useTargetSeries } from "../parts/TargetCharts";
import { useFollowed } from "../parts/useFollowed";
import { Waiting } from "../parts/Waiting";
import { ZoomBar } from "../parts/ZoomBar";
import { useWords } from "../texts";
import { useMonitor } from "./useMonitor";
import { useTimeline } from "./useTimeline";

const FOLLOW_MS = 5000;
const STRETCHES = [900, 3600, 21_600];

/** The target without load: what is watched, what is amiss, and the last hours on one timeline. */
export default function MonitorScreen() {
  const { t } = useWords();
  const asked = useJson<MonitorNow>(address("/monitor"));
  useFollowed(asked.again, FOLLOW_MS);
  const now = asked.value;
  if (asked.error && !now) return <Failed error={asked.error} again={asked.again} />;
  if (!now) return <Waiting />;
  return (
    <>
      <div className="title">
        <div className="run-head">
          <h1>{t.monitor.title}</h1>
          <p className="muted">
            {t.monitor.hint} {now.begin ? t.monitor.since(clock(now.begin)) : ""}
          </p>
        </div>
      </div>
      {now.sources.length === 0 ? <Nothing /> : <Watched now={now} />}
    </>
  );
}

function Nothing() {
  const { t } = useWords();
  const administers = useMay("administer");
  return (
    <div className="empty">
      <p>
        <strong>{t.monitor.none}</strong>
      </p>
      <p className="muted">{t.monitor.noneHint}</p>
      {administers ? <a href={link(["settings"])}>{t.monitor.toSettings}</a> : null}
    </div>
  );
}

function Watched({ now }: { now: MonitorNow }) {
  const { t, language } = useWords();
  const { query } = usePlace();
  const asked = Number(query.get("last"));
  const last = STRETCHES.includes(asked) ? asked : 900;
  const known = useTargetSeries(address("/monitor/series/names"));
  const { names, again } = known;
  const { table, newest, connected, error, again: readAgain } = useMonitor(known.wanted, last);
  const isNew = newest !== undefined && Object.keys(newest.values).some((series) => !names.has(series));
  // A process that appears brings series that were not there.
  useEffect(() => {
    if (isNew) again();
  }, [isNew, again]);
  const times = table?.times_s ?? [];
  const end = times[times.length - 1] ?? last;
  const zoomed = useTimeline(end, 0);
  const timeline = useMemo(() => ({ ...zoomed, first: end - last, isClock: true }), [zoomed, end, last]);
  const troubles = now.sources.filter((source) => source.trouble !== null);
  return (
    <>
      {connected ? null : (
        <div className="notice warn" role="status">
          {t.live.reconnecting}
        </div>
      )}
      {troubles.length > 0 ? (
        <div className="notice bad troubles" role="status">
          <strong>{t.monitor.troubles}</strong>
          <ul>
            {keyed(troubles, (source) => source.name).map(({ key, item }) => (
              <li key={key}>
                <bdi>{item.name}</bdi>: {item.trouble?.[language]}
              </li>
            ))}
          </ul>
        </div>
      ) : null}
      <p className="facts">
        {keyed(
          now.sources.filter((source) => source.trouble === null),
          (source) => source.name,
        ).map(({ key, item }) => (
          <span key={key}>
            <span className="badge live">{t.monitor.well}</span> <bdi>{item.name}</bdi>
          </span>
        ))}
      </p>
      <div className="contents">
        <Segmented<number>
          aria-label={t.monitor.last}
          value={last}
          onChange={(stretch) => setQuery({ last: String(stretch), from: undefined, to: undefined })}
          options={STRETCHES.map((value) => ({ value, label: t.monitor.stretches[value] ?? value }))}
        />
        <ZoomBar timeline={timeline} />
      </div>
      <section className="card">
        {error && !table ? <Failed error={error} again={readAgain} /> : null}
        {known.plans.length === 0 ? (
          <p className="muted">{t.monitor.waits}</p>
        ) : (
          <>
            <SeriesChoice of={known} />
            <TargetPlots of={known} table={table} timeline={timeline} joined />
          </>
        )}
      </section>
    </>
  );
}
