import type { ReactNode } from "react";
import type { ComparedMetric, Comparison } from "../api/measurements";
import { figure, percent } from "../format/number";
import { type Say, type Texts, useWords } from "../texts";
import { Scroll } from "./Scroll";

const isBetter = (of: ComparedMetric): boolean => (of.metric === "throughput") === (of.verdict === "higher");

/** Whether it is shown to differ: by more than chance. */
export const differs = (of: ComparedMetric): boolean => of.verdict === "higher" || of.verdict === "lower";

/** Good and bad are coloured only where they are shown. */
export const toneOf = (of: ComparedMetric): string =>
  differs(of) ? (isBetter(of) ? "good-text" : "bad-text") : "muted";

function verdictText(say: Say, of: ComparedMetric): string {
  if (of.verdict === "no_difference_shown") return say("report-compare-verdict-none");
  if (of.verdict === "repeat_needed") return say("report-compare-verdict-repeat");
  return say(`report-compare-verdict-${of.verdict}-${isBetter(of) ? "better" : "worse"}`);
}

const sign = (value: number, text: string): string =>
  Number.parseFloat(text.replace(/[^\d.]/g, "")) === 0 ? text : `${value > 0 ? "+" : "−"}${text}`;

/** The difference as a share of A, with its sign unless it is 0 as it is written. */
export function relative(of: ComparedMetric): string {
  if (of.relative_diff === null) return "–";
  const share = of.relative_diff * 100;
  return `${sign(share, figure(Math.abs(share)))} %`;
}

/** A value of a metric as it is written; shares are told in percent. */
export const shownValue = ({ metric }: ComparedMetric, value: number | null): string =>
  metric === "error_rate" ? percent(value) : figure(value);

/** The same of a difference, with its sign. */
export function signedOf(of: ComparedMetric, value: number): string {
  return sign(value, shownValue(of, Math.abs(value)));
}

export function unitOf({ metric }: Pick<ComparedMetric, "metric">): string {
  if (metric === "error_rate") return "%";
  return metric === "throughput" ? "/s" : "ms";
}

/** What can be said of B against A, in a sentence. */
function sentence(say: Say, t: Texts, of: Comparison): string {
  const told = of.total.filter(differs).map((metric) =>
    say("report-compare-told", {
      metric: say(`report-compare-metric-${metric.metric}`),
      verdict: verdictText(say, metric),
      relative: relative(metric),
    }),
  );
  if (told.length > 0) return say("report-compare-differs", { told: told.join(", ") });
  if (of.total.some((metric) => metric.verdict === "repeat_needed")) return t.compare.repeat;
  const inLabels = of.labels.some((label) => label.metrics.some(differs));
  return say(inLabels ? "report-compare-labels-differ" : "report-compare-none");
}

/** Whether B differs from A by more than chance, and by how much; what is beside it stands below. */
export function Compared({ of, children }: { of: Comparison; children?: ReactNode }) {
  const { t, say } = useWords();
  const judged = of.total.filter(differs);
  const tone = judged.length === 0 ? "" : judged.every(isBetter) ? "good" : "bad";
  return (
    <section className={`card verdict ${tone}`}>
      <h2>{sentence(say, t, of)}</h2>
      <p className="muted">
        {say("report-compare-design")}:{" "}
        {say(of.design === "paired" ? "report-compare-paired" : "report-compare-unpaired")} · A: {of.runs_a} · B:{" "}
        {of.runs_b}
      </p>
      <MetricTable metrics={of.total} />
      <p className="muted">{say("report-compare-note")}</p>
      {children}
    </section>
  );
}

/** Each metric with what differs, the interval that it lies in, and whether it is shown. */
export function MetricTable({ metrics }: { metrics: ComparedMetric[] }) {
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
          {metrics.map((of) => (
            <tr key={of.metric}>
              <th scope="row">
                {say(`report-compare-metric-${of.metric}`)}, {unitOf(of)}
              </th>
              <td className="r">{shownValue(of, of.a_mean)}</td>
              <td className="r">{shownValue(of, of.b_mean)}</td>
              <td className="r">{signedOf(of, of.diff)}</td>
              <td className="r">{relative(of)}</td>
              <td className="r nowrap">
                {of.ci_low === null || of.ci_high === null
                  ? "–"
                  : `${signedOf(of, of.ci_low)} … ${signedOf(of, of.ci_high)}`}
              </td>
              <td className={toneOf(of)}>{verdictText(say, of)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
