import { Button } from "antd";
import { useState } from "react";
import type { ComparedMetric, Comparison } from "../../api/measurements";
import { link } from "../../app/router";
import { figure } from "../../format/number";
import { apart } from "../../format/text";
import { Scroll } from "../../parts/Scroll";
import { type Say, useWords } from "../../texts";

/** Labels that are shown at first: each has a table row for each metric. */
const SHOWN = 50;
/** Runs that stand side by side at most. */
const MOST_RUNS = 4;

const isBetter = (of: ComparedMetric): boolean => (of.metric === "throughput") === (of.verdict === "higher");
const differs = (of: ComparedMetric): boolean => of.verdict === "higher" || of.verdict === "lower";

function verdictText(say: Say, of: ComparedMetric): string {
  if (of.verdict === "no_difference_shown") return say("report-compare-verdict-none");
  if (of.verdict === "repeat_needed") return say("report-compare-verdict-repeat");
  return say(`report-compare-verdict-${of.verdict}-${isBetter(of) ? "better" : "worse"}`);
}

function relative(of: ComparedMetric): string {
  if (of.relative_diff === null) return "–";
  const share = of.relative_diff * 100;
  return `${share > 0 ? "+" : share < 0 ? "−" : "±"}${figure(Math.abs(share))} %`;
}

/** What can be said of B against A, in a sentence. */
function sentence(say: Say, of: Comparison): string {
  const told = of.total.filter(differs).map((metric) =>
    say("report-compare-told", {
      metric: say(`report-compare-metric-${metric.metric}`),
      verdict: verdictText(say, metric),
      relative: relative(metric),
    }),
  );
  if (told.length > 0) return say("report-compare-differs", { told: told.join(", ") });
  if (of.total.some((metric) => metric.verdict === "repeat_needed")) return say("report-compare-repeat");
  const inLabels = of.labels.some((label) => label.metrics.some(differs));
  return say(inLabels ? "report-compare-labels-differ" : "report-compare-none");
}

/** Whether B differs from A, and by how much. */
export default function ComparisonResult({ of, runs }: { of: Comparison; runs: string[] }) {
  const { t, say } = useWords();
  const [shown, setShown] = useState(SHOWN);
  const judged = of.total.filter(differs);
  const tone = judged.length === 0 ? "warn" : judged.every(isBetter) ? "good" : "bad";
  return (
    <>
      <section className={`card verdict ${judged.length === 0 ? "" : tone}`}>
        <h2>{sentence(say, of)}</h2>
        <p className="muted">
          {say("report-compare-design")}:{" "}
          {say(of.design === "paired" ? "report-compare-paired" : "report-compare-unpaired")} · A: {of.runs_a} · B:{" "}
          {of.runs_b}
        </p>
        <MetricTable metrics={of.total} />
        <p className="muted">{say("report-compare-note")}</p>
        <a href={link(["compare"], { runs: runs.slice(0, MOST_RUNS).join(",") })}>{t.repeats.compare}</a>
      </section>
      {of.labels.length > 0 ? (
        <section className="card">
          <h2>{say("report-compare-labels")}</h2>
          {of.labels.slice(0, shown).map(({ label, kind, metrics }) => (
            <details key={`${kind} ${label}`} className="stack" open={metrics.some(differs)}>
              <summary>
                <bdi>{label}</bdi>{" "}
                <span className="muted">
                  {metrics
                    .filter(differs)
                    .map((of) => `${say(`report-compare-metric-${of.metric}`)} ${relative(of)}`)
                    .join(", ") || say("report-compare-verdict-none")}
                </span>
              </summary>
              <MetricTable metrics={metrics} />
            </details>
          ))}
          {of.labels.length > shown ? <Button onClick={() => setShown(shown + SHOWN)}>{t.common.more}</Button> : null}
          {of.unmatched.length > 0 ? (
            <p className="muted">
              {say("report-compare-unmatched", { labels: of.unmatched.map(({ label }) => apart(label)).join(", ") })}
            </p>
          ) : null}
        </section>
      ) : null}
    </>
  );
}

/** Shares are told in percent. */
const shownIn = (of: ComparedMetric): [number, string] =>
  of.metric === "error_rate" ? [100, "%"] : [1, of.metric === "throughput" ? "/s" : "ms"];

function MetricTable({ metrics }: { metrics: ComparedMetric[] }) {
  const { t, say } = useWords();
  return (
    <Scroll>
      <table className="plain-table">
        <thead>
          <tr>
            <th>{say("report-compare-metric")}</th>
            <th className="r">{say("report-compare-a")}</th>
            <th className="r">{say("report-compare-b")}</th>
            <th className="r">{say("report-compare-difference")}</th>
            <th className="r">{say("report-compare-relative")}</th>
            <th className="r">{say("report-compare-interval")}</th>
            <th>{t.tune.verdict}</th>
          </tr>
        </thead>
        <tbody>
          {metrics.map((of) => {
            const [factor, unit] = shownIn(of);
            const value = (n: number | null): string => figure(n === null ? null : n * factor);
            const tone = differs(of) ? (isBetter(of) ? "good-text" : "bad-text") : "muted";
            return (
              <tr key={of.metric}>
                <th scope="row">
                  {say(`report-compare-metric-${of.metric}`)}, {unit}
                </th>
                <td className="r">{value(of.a_mean)}</td>
                <td className="r">{value(of.b_mean)}</td>
                <td className="r">{value(of.diff)}</td>
                <td className="r">{relative(of)}</td>
                <td className="r">
                  {of.ci_low === null || of.ci_high === null ? "–" : `${value(of.ci_low)} … ${value(of.ci_high)}`}
                </td>
                <td className={tone}>{verdictText(say, of)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Scroll>
  );
}
