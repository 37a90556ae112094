import { Button } from "antd";
import { Fragment, useState } from "react";
import type { ComparedMetric, Comparison, MetricName } from "../api/measurements";
import { apart } from "../format/text";
import { useWords } from "../texts";
import { differs, MetricTable, relative, shownValue, signedOf, toneOf, unitOf } from "./Compared";
import { Scroll } from "./Scroll";

/** Labels that are shown at first. */
const SHOWN = 50;
/** What stands in the table; all metrics of a label, with their intervals, open below it. */
const COLUMNS: MetricName[] = ["throughput", "mean", "p95", "p99", "error_rate"];

type Label = Comparison["labels"][number];

/** Each label on both sides, those that are shown to differ marked. */
export function ComparedLabels({ of }: { of: Comparison }) {
  const { t, say } = useWords();
  const [shown, setShown] = useState(SHOWN);
  if (of.labels.length === 0 && of.unmatched.length === 0) return null;
  return (
    <section className="card">
      <h2>{say("report-compare-labels")}</h2>
      {of.labels.length > 0 ? <LabelRows labels={of.labels.slice(0, shown)} /> : null}
      {of.labels.length > shown ? <Button onClick={() => setShown(shown + SHOWN)}>{t.common.more}</Button> : null}
      {of.unmatched.length > 0 ? (
        <p className="muted">
          {say("report-compare-unmatched", { labels: of.unmatched.map(({ label }) => apart(label)).join(", ") })}
        </p>
      ) : null}
    </section>
  );
}

function LabelRows({ labels }: { labels: Label[] }) {
  const { t, say } = useWords();
  const [open, setOpen] = useState<string | null>(null);
  return (
    <Scroll>
      <table className="plain-table compared-labels">
        <thead>
          <tr>
            <th rowSpan={2}>{say("report-column-label")}</th>
            {COLUMNS.map((metric) => (
              <th key={metric} colSpan={3} scope="colgroup">
                {say(`report-compare-metric-${metric}`)}, {unitOf({ metric })}
              </th>
            ))}
          </tr>
          <tr>
            {COLUMNS.map((metric) => (
              <Fragment key={metric}>
                <th className="r">{say("report-compare-a")}</th>
                <th className="r">{say("report-compare-b")}</th>
                <th className="r">{t.compare.difference}</th>
              </Fragment>
            ))}
          </tr>
        </thead>
        <tbody>
          {labels.map(({ label, kind, metrics }) => {
            const key = `${kind} ${label}`;
            const isOpen = open === key;
            return (
              <Fragment key={key}>
                <tr>
                  <th scope="row">
                    <button
                      type="button"
                      className="plain-link"
                      aria-expanded={isOpen}
                      onClick={() => setOpen(isOpen ? null : key)}
                    >
                      <bdi>{label}</bdi>
                    </button>
                  </th>
                  {COLUMNS.map((metric) => (
                    <Cells key={metric} of={metrics.find((one) => one.metric === metric)} />
                  ))}
                </tr>
                {isOpen ? (
                  <tr>
                    <td colSpan={1 + 3 * COLUMNS.length}>
                      <MetricTable metrics={metrics} />
                    </td>
                  </tr>
                ) : null}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </Scroll>
  );
}

/** Both sides of a metric, and the difference: as a share of A, or as it is where A is 0. */
function Cells({ of }: { of: ComparedMetric | undefined }) {
  if (!of) return <td colSpan={3} />;
  const difference = of.relative_diff === null ? signedOf(of, of.diff) : relative(of);
  return (
    <>
      <td className="r side-a">{shownValue(of, of.a_mean)}</td>
      <td className="r">{shownValue(of, of.b_mean)}</td>
      <td className={`r nowrap ${toneOf(of)}`}>{differs(of) ? <b>{difference}</b> : difference}</td>
    </>
  );
}
