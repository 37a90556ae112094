import type { Diagnosis } from "../api/diagnosis";
import type { RunDetail, Summary, Verdict } from "../api/types";
import { link } from "../app/router";
import { count, figure, percent } from "../format/number";
import { verdictId, verdictTone } from "../parts/VerdictBadge";
import { type Say, useWords } from "../texts";

function meaning(say: Say, verdict: Verdict, summary: Summary): string {
  const { samples, error_rate } = summary.total;
  if (samples === 0) return say("report-verdict-no-request-meaning");
  return say(`${verdictId(verdict)}-meaning`, {
    goals: summary.goals.length,
    missed: summary.goals.filter((goal) => !goal.met).length,
    requests: count(samples),
    errors: percent(error_rate),
  });
}

/** The verdict and what limits, on one screen. */
export function Overview({ run, diagnosis }: { run: RunDetail; diagnosis: Diagnosis | undefined }) {
  const { say } = useWords();
  return (
    <div className="overview">
      <section className={`card verdict ${verdictTone(run.verdict, run.state)}`}>
        <h2>{say(verdictId(run.verdict))}</h2>
        <p>{meaning(say, run.verdict, run)}</p>
        <Goals summary={run} />
      </section>
      <Limits run={run} diagnosis={diagnosis} />
      <Figures summary={run} />
    </div>
  );
}

function Goals({ summary }: { summary: Summary }) {
  const { t, say } = useWords();
  if (summary.goals.length === 0) return <p className="muted">{t.result.noGoals}</p>;
  return (
    <table className="goals">
      <tbody>
        {summary.goals.map((goal) => (
          <tr key={goal.goal} className={goal.met ? "good" : "bad"}>
            <td className="mark">
              <span aria-hidden="true">{goal.met ? "✓" : "✗"}</span>
              <span className="for-readers">{say(goal.met ? "report-goal-met" : "report-goal-missed")}</span>
            </td>
            <th scope="row">{goal.goal}</th>
            <td className="r">
              {goal.observed === null ? say("report-goal-no-sample") : `${figure(goal.observed)} ${goal.unit}`}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Limits({ run, diagnosis }: { run: RunDetail; diagnosis: Diagnosis | undefined }) {
  const { t } = useWords();
  const first = diagnosis?.findings[0];
  return (
    <section className="card limits">
      <h2>{t.result.limits}</h2>
      {diagnosis ? (
        <>
          <p className="lead">{diagnosis.summary}</p>
          {first ? (
            <div className="first-finding">
              {first.layer === "hint" ? <span className="muted">{t.result.hint}</span> : null}
              <a href={link(["runs", run.id, "findings"])}>{first.title}</a>
              <p>{first.means}</p>
            </div>
          ) : null}
          <a href={link(["runs", run.id, "findings"])}>{t.result.toFindings}</a>
        </>
      ) : (
        <p className="muted">{run.is_watched ? t.common.loading : t.result.limitsNone}</p>
      )}
    </section>
  );
}

function Figures({ summary }: { summary: Summary }) {
  const { t, say } = useWords();
  const { total } = summary;
  const times = total.response_time_ms;
  const figures: [string, string, string, string?][] = [
    [say("report-throughput"), figure(total.throughput_per_s), "/s"],
    ["p50", figure(times.p50), "ms"],
    ["p95", figure(times.p95), "ms"],
    ["p99", figure(times.p99), "ms"],
    [say("report-worst"), figure(times.max), "ms"],
    [say("report-error-share"), percent(total.error_rate), "%", total.errors > 0 ? "bad-text" : ""],
    [t.result.samples, count(total.samples), ""],
  ];
  return (
    <dl className="figures-row" aria-label={t.result.figures}>
      {figures.map(([name, value, unit, tone]) => (
        <div key={name} className="card">
          <dt>{name}</dt>
          <dd className={tone}>
            {value} <small>{unit}</small>
          </dd>
        </div>
      ))}
    </dl>
  );
}
