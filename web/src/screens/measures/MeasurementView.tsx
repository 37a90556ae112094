import { App, Button } from "antd";
import { lazy, Suspense, useState } from "react";
import { send } from "../../api/client";
import { type Measurement, measurementAddress, type Step } from "../../api/measurements";
import { useMay } from "../../api/session";
import { link } from "../../app/router";
import { count } from "../../format/number";
import { clock, duration } from "../../format/time";
import { Failed } from "../../parts/Failed";
import { keyed } from "../../parts/keyed";
import { StateBadge } from "../../parts/StateBadge";
import { Waiting } from "../../parts/Waiting";
import { useWords } from "../../texts";
import { LiveFigures } from "../LiveFigures";
import { useLive } from "../useLive";
import { type FollowedMeasurement, useMeasurement } from "./useMeasurement";

const CapacityResult = lazy(() => import("./CapacityResult"));
const HopsResult = lazy(() => import("./HopsResult"));
const ComparisonResult = lazy(() => import("./ComparisonResult"));
const RepeatResult = lazy(() => import("./RepeatResult"));

/** So many of the last steps are shown at once. */
const SHOWN = 8;
/** So many more are shown of all of them. */
const PART = 500;

/** One measurement: while it goes on, and what came of it. */
export function MeasurementView({ id }: { id: string }) {
  const { t, language } = useWords();
  const followed = useMeasurement(id);
  const known = followed.value;
  if (followed.error && !known) return <Failed error={followed.error} again={followed.again} />;
  if (!known) return <Waiting />;
  const lasts = known.end === null ? null : (Date.parse(known.end) - Date.parse(known.begin)) / 1000;
  return (
    <div className="measurement">
      <div className="title">
        <div className="run-head">
          <p className="crumb">
            <a href={link(["measurements"])}>{t.measures.title}</a>
          </p>
          <h1>
            {t.measures.kinds[known.kind]} <bdi>{known.name}</bdi>{" "}
            <StateBadge state={known.state} names={t.measures.states} />
          </h1>
          <p className="muted facts">
            <span>{clock(known.begin)}</span>
            {lasts === null ? null : <span>{duration(lasts)}</span>}
            {known.by ? <bdi>{known.by}</bdi> : null}
          </p>
        </div>
        <Actions known={known} />
      </div>
      {known.error ? (
        <div className="notice bad" role="alert">
          <strong>{t.measures.noResult}</strong>
          <p>{known.error[language]}</p>
        </div>
      ) : null}
      {followed.goesOn ? <Progress followed={followed} known={known} /> : null}
      <Suspense fallback={<Waiting />}>
        <Result known={known} />
      </Suspense>
      {followed.goesOn ? null : <Aftermath known={known} />}
    </div>
  );
}

function Actions({ known }: { known: Measurement }) {
  const { t } = useWords();
  const { message } = App.useApp();
  if (!useMay("run")) return null;
  const goesOn = known.state === "queued" || known.state === "running";
  const stop = async (): Promise<void> => {
    try {
      await send("POST", measurementAddress(known.id, "/stop"), {});
      message.success(t.measures.stopped);
    } catch (error) {
      message.error(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <div className="actions">
      {goesOn ? (
        <Button danger type="primary" onClick={() => void stop()}>
          {t.measures.stop}
        </Button>
      ) : (
        <Button href={link(["measurements", "new"], { kind: known.kind })}>{t.measures.again}</Button>
      )}
    </div>
  );
}

function Result({ known }: { known: Measurement }) {
  switch (known.kind) {
    case "capacity":
      return known.result ? <CapacityResult of={known.result} /> : null;
    case "hops":
      return known.result ? <HopsResult of={known.result} /> : null;
    case "interleave":
      return known.result ? <ComparisonResult of={known.result} runs={known.runs} /> : null;
    case "repeat":
      return known.result ? <RepeatResult runs={known.result.runs} /> : null;
  }
}

/** What it does now: its last steps, and the run that goes on. */
function Progress({ followed, known }: { followed: FollowedMeasurement; known: Measurement }) {
  const { t } = useWords();
  const run = followed.runs[followed.runs.length - 1];
  return (
    <>
      <section className="card" aria-live="polite">
        <h2>{t.measures.steps}</h2>
        {known.state === "queued" ? <p className="muted">{t.measures.queuedHint}</p> : null}
        {followed.steps.length === 0 ? <p className="muted">{t.measures.noSteps}</p> : null}
        <Steps of={followed.steps.slice(-SHOWN).reverse()} />
      </section>
      {run && known.state === "running" ? <RunNow key={run} run={run} /> : null}
    </>
  );
}

function Steps({ of }: { of: Step[] }) {
  const { language } = useWords();
  return (
    <ol className="events">
      {keyed(of, (step) => `${step.at} ${step.en}`).map(({ key, item }) => (
        <li key={key}>
          <span className="at">{clock(item.at).slice(11)}</span> {item[language]}
        </li>
      ))}
    </ol>
  );
}

function RunNow({ run }: { run: string }) {
  const { t } = useWords();
  const { table } = useLive(run);
  const elapsed = (table?.times_s[table.times_s.length - 1] ?? -1) + 1;
  return (
    <section aria-label={t.measures.runNow}>
      <div className="section-head">
        <h2>{t.measures.runNow}</h2>
        <a href={link(["runs", run])}>{t.measures.follow}</a>
      </div>
      {table ? <LiveFigures table={table} elapsed={elapsed} /> : null}
    </section>
  );
}

/** Its runs and steps, once it has ended. */
function Aftermath({ known }: { known: Measurement }) {
  const { t } = useWords();
  const [isOpen, setOpen] = useState(false);
  const [shown, setShown] = useState(PART);
  return (
    <section className="card">
      <h2>{t.measures.runs}</h2>
      {known.kind === "hops" ? <p className="muted">{t.measures.notKept}</p> : null}
      <p className="run-links">
        {known.runs.map((run) => (
          <a key={run} href={link(["runs", run])}>
            {run}
          </a>
        ))}
      </p>
      {known.progress.length > 0 ? (
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>{t.measures.allSteps(count(known.progress.length))}</summary>
          {isOpen ? <Steps of={known.progress.slice(0, shown)} /> : null}
          {known.progress.length > shown ? (
            <Button onClick={() => setShown(shown + PART)}>{t.common.more}</Button>
          ) : null}
        </details>
      ) : null}
    </section>
  );
}
