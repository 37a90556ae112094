import type { Diagnosis } from "../api/diagnosis";
import type { LabelSummary, RunDetail, Summary, Verdict } from "../api/types";
import { link } from "../app/router";
import { count, figure, percent } from "../format/number";
import { FigureTiles, type Tile } from "../parts/FigureTiles";
import { OfWhole } from "../parts/OfWhole";
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

interface Props {
  run: RunDetail;
  diagnosis: Diagnosis | undefined;
  /** What the big figures are of: the stretch that is looked at, or the whole run; its name. */
  shown: { total: LabelSummary; of: string };
  isStretch: boolean;
}

/** The verdict and what limits, on one screen. */
export function Overview({ run, diagnosis, shown, isStretch }: Props) {
  const { say } = useWords();
  return (
    <div className="overview">
      <section className={`card verdict ${verdictTone(run.verdict, run.state)}`}>
        <h2>
          {say(verdictId(run.verdict))} <OfWhole isStretch={isStretch} />
        </h2>
        <p>{meaning(say, run.verdict, run)}</p>
        <Goals summary={run} />
      </section>
      <Limits run={run} diagnosis={diagnosis} isStretch={isStretch} />
      <Figures {...shown} />
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
            <th scope="row">
              <bdi>{goal.goal}</bdi>
            </th>
            <td className="r">
              {goal.observed === null ? say("report-goal-no-sample") : `${figure(goal.observed)} ${goal.unit}`}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Limits({ run, diagnosis, isStretch }: Omit<Props, "shown">) {
  const { t } = useWords();
  const first = diagnosis?.findings[0];
  return (
    <section className="card limits">
      <h2>
        {t.result.limits} <OfWhole isStretch={isStretch} />
      </h2>
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

function Figures({ total, of }: Props["shown"]) {
  const { t, say } = useWords();
  const times = total.response_time_ms;
  const tiles: Tile[] = [
    { name: say("report-throughput"), value: figure(total.throughput_per_s), unit: "/s" },
    { name: "p50", value: figure(times.p50), unit: "ms" },
    { name: "p95", value: figure(times.p95), unit: "ms" },
    { name: "p99", value: figure(times.p99), unit: "ms" },
    { name: say("report-worst"), value: figure(times.max), unit: "ms" },
    { name: say("report-error-share"), value: percent(total.error_rate), unit: "%", isBad: total.errors > 0 },
    { name: t.result.samples, value: count(total.samples) },
  ];
  return <FigureTiles label={t.result.figures} of={of} tiles={tiles} />;
}
