import { App, Button } from "antd";
import { useMemo } from "react";
import { send } from "../../api/client";
import { useOffers } from "../../api/offers";
import { useMay } from "../../api/session";
import { type StudyDetail, studyAddress } from "../../api/studies";
import { link } from "../../app/router";
import { figure } from "../../format/number";
import { clock, duration } from "../../format/time";
import { Failed } from "../../parts/Failed";
import { Pre } from "../../parts/Pre";
import { StateBadge } from "../../parts/StateBadge";
import { Waiting } from "../../parts/Waiting";
import { XyChart } from "../../parts/XyChart";
import { useWords } from "../../texts";
import { bestSoFar } from "./course";
import { StudyOutcome } from "./StudyOutcome";
import { TrialTable } from "./TrialTable";
import { type FollowedStudy, useStudy } from "./useStudy";
import { signed, valuesText } from "./words";

/** One study: while it goes on, its trials, and what came of it. */
export function StudyView({ name }: { name: string }) {
  const { t, language } = useWords();
  const followed = useStudy(name);
  const known = followed.value;
  if (followed.error && !known) return <Failed error={followed.error} again={followed.again} />;
  if (!known) return <Waiting />;
  const last = followed.steps[followed.steps.length - 1];
  return (
    <div className="study">
      <div className="title">
        <div className="run-head">
          <p className="crumb">
            <a href={link(["tune"])}>{t.tune.title}</a>
          </p>
          <h1>
            <bdi>{known.study}</bdi> <StateBadge state={known.state} names={t.tune.states} />
          </h1>
          <p className="muted facts">
            <span>{known.objective}</span>
            <bdi>{known.plan}</bdi>
            <span>{clock(known.begin)}</span>
            {known.by ? <bdi>{known.by}</bdi> : null}
          </p>
        </div>
        <Actions known={known} goesOn={followed.goesOn} again={followed.again} />
      </div>
      {known.error ? (
        <div className="notice bad" role="alert">
          <strong>{t.measures.noResult}</strong>
          <p>{known.error[language]}</p>
        </div>
      ) : null}
      <BroughtBack known={known} />
      {followed.goesOn && last ? (
        <p className="muted" role="status">
          {clock(last.at).slice(11)} {last[language]}
        </p>
      ) : null}
      <Figures known={known} count={followed.trials.length} goesOn={followed.goesOn} />
      {known.result ? <StudyOutcome of={known.result} /> : null}
      <Course of={followed} known={known} />
      <section className="card">
        <h2>{t.tune.trials}</h2>
        {followed.trials.length === 0 ? <p className="muted">{t.tune.noTrials}</p> : null}
        {followed.trials.length > 0 ? <TrialTable trials={followed.trials} unit={known.unit} /> : null}
      </section>
      <section className="card">
        <details>
          <summary>{t.tune.text}</summary>
          <Pre text={known.text} />
        </details>
      </section>
    </div>
  );
}

interface ActionProps {
  known: StudyDetail;
  goesOn: boolean;
  again: () => void;
}

function Actions({ known, goesOn, again }: ActionProps) {
  const { t } = useWords();
  const mayAct = useMay("run");
  const mayRestore = useMay("administer");
  const offers = useOffers();
  const { message } = App.useApp();
  const post = async (rest: string, said: string): Promise<void> => {
    try {
      await send("POST", studyAddress(known.study, rest), {});
      message.success(said);
      again();
    } catch (error) {
      message.error(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <div className="actions">
      {goesOn && known.command_line ? <span className="muted">{t.tune.elsewhere}</span> : null}
      {goesOn && mayAct && !known.command_line ? (
        <Button danger type="primary" onClick={() => void post("/stop", t.tune.stopping)}>
          {t.tune.stop}
        </Button>
      ) : null}
      {known.needs_restore && mayRestore && offers.has("POST /studies/{study}/restore") ? (
        <Button type="primary" onClick={() => void post("/restore", t.live.done)}>
          {t.tune.restore}
        </Button>
      ) : null}
      {goesOn ? null : (
        <Button href={studyAddress(known.study)} download={`${known.study}.json`}>
          {t.tune.report}
        </Button>
      )}
    </div>
  );
}

/** Whether the target is as it was before; what is not is said first. */
function BroughtBack({ known }: { known: StudyDetail }) {
  const { t, language } = useWords();
  const { brought_back: back, files, needs_restore } = known;
  if (!needs_restore && !back) return null;
  const isWell = back?.as_before === true && !needs_restore;
  const ofFile = (asBefore: boolean | null): string =>
    asBefore === null ? t.tune.notRead : asBefore ? t.tune.asBefore : t.tune.notAsBefore;
  return (
    <div className={`notice ${isWell ? "good" : "bad"}`} role={isWell ? "status" : "alert"}>
      <strong>{isWell ? t.tune.broughtBack : t.tune.notBroughtBack}</strong>
      {needs_restore ? <p>{t.tune.needsRestore}</p> : null}
      <ul>
        {(back?.trouble ?? []).map((trouble) => (
          <li key={trouble.en} className="bad-text">
            {trouble[language]}
          </li>
        ))}
      </ul>
      {files.length > 0 ? (
        <details>
          <summary>{t.tune.files}</summary>
          <ul>
            {files.map((file) => (
              <li key={file.path}>
                <code>{file.path}</code>: {ofFile(file.as_before)}
              </li>
            ))}
          </ul>
        </details>
      ) : null}
    </div>
  );
}

function Figures({ known, count, goesOn }: { known: StudyDetail; count: number; goesOn: boolean }) {
  const { t } = useWords();
  const best = known.best_trial;
  return (
    <dl className="figures-row study-figures" aria-label={t.result.figures}>
      <div className="card">
        <dt>{t.tune.trials}</dt>
        <dd>{t.tune.of(String(count), String(known.most_trials))}</dd>
      </div>
      <div className="card">
        <dt>{t.tune.best}</dt>
        <dd>
          {figure(best?.objective)} <small>{best?.unit}</small>
        </dd>
        {best && best.gain !== null ? <dd className="gain">{t.tune.gain(signed(best.gain))}</dd> : null}
      </div>
      {best ? (
        <div className="card wide">
          <dt>{t.tune.tried}</dt>
          <dd className="values">
            <bdi>{valuesText(known.best, t)}</bdi>
          </dd>
        </div>
      ) : null}
      {goesOn && known.left_s !== null ? (
        <div className="card">
          <dt>{t.tune.left}</dt>
          <dd>{duration(known.left_s)}</dd>
        </div>
      ) : null}
    </dl>
  );
}

/** The objective of each trial, and the best so far. */
function Course({ of, known }: { of: FollowedStudy; known: StudyDetail }) {
  const { t } = useWords();
  const { trials } = of;
  const drawn = useMemo(() => {
    const course = bestSoFar(trials, known.maximise);
    const line = (name: string, colour: number, values: (number | null)[]) => ({
      name,
      unit: known.unit,
      colour,
      values,
    });
    return {
      x: course.numbers,
      lines: [line(t.tune.each, 5, course.each), line(t.tune.bestLine, 0, course.best)],
      range: [0, Math.max(2, (course.numbers[course.numbers.length - 1] ?? 1) + 1)] as [number, number],
    };
  }, [trials, known.maximise, known.unit, t]);
  if (drawn.x.length === 0) return null;
  const title = `${t.tune.course} · ${known.objective}${known.unit ? `, ${known.unit}` : ""}`;
  return (
    <section className="card">
      <XyChart title={title} axisX={(value) => (Number.isInteger(value) ? String(value) : "")} points {...drawn} />
    </section>
  );
}
