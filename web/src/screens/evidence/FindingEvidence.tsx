import { useMemo, useState } from "react";
import { address, runPath } from "../../api/client";
import type { FindingEvidence } from "../../api/evidence";
import type { RunDetail, SeriesNames, SeriesTable } from "../../api/types";
import { useJson } from "../../api/use";
import { link } from "../../app/router";
import { moment } from "../../format/time";
import { TimeChart, type Timeline } from "../../parts/TimeChart";
import { plannedLines, plansOf, targetPlans } from "../../parts/targetPlans";
import { useWords } from "../../texts";
import { CapturePanel, useCaptureName } from "./CapturePanel";
import { thingName } from "./FactsView";

/** Seconds before and behind the moment that are shown. */
const AROUND_S = 60;
const MOST_CHARTS = 6;

interface Props {
  run: RunDetail;
  evidence: FindingEvidence;
}

/** What shows a finding: the series around its moment, the captures, the facts. */
export function FindingEvidenceView({ run, evidence }: Props) {
  const { t } = useWords();
  const name = useCaptureName();
  const [chosen, setChosen] = useState<number | null>(evidence.captures[0]?.number ?? null);
  const capture = evidence.captures.find((one) => one.number === chosen);
  return (
    <div className="exhibits">
      <SeriesAround run={run} evidence={evidence} />
      {evidence.captures.length > 0 ? (
        <div className="inline" role="toolbar" aria-label={t.evidence.title}>
          {evidence.captures.map((one) => (
            <button
              key={one.number}
              type="button"
              className="pill"
              aria-pressed={one.number === chosen}
              onClick={() => setChosen(one.number === chosen ? null : one.number)}
            >
              <bdi>{name(one, run.seconds)}</bdi>
            </button>
          ))}
        </div>
      ) : null}
      {capture ? <CapturePanel key={capture.number} run={run.id} capture={capture} longest={run.seconds} /> : null}
      {evidence.facts.length > 0 ? (
        <table className="plain-table facts-table">
          <tbody>
            {evidence.facts.map((fact) => (
              <tr key={`${thingName(fact.entity)} ${fact.name}`}>
                <td className="muted">
                  <bdi>{thingName(fact.entity)}</bdi>
                </td>
                <th scope="row">
                  <code>{fact.name}</code>
                </th>
                <td>
                  <bdi>{fact.value}</bdi>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
    </div>
  );
}

/** The stretch around the moment; without one, the stretch that was judged. */
function around({ at_s, from_s, to_s }: FindingEvidence, seconds: number): { from: number; to: number } {
  const from = at_s === null ? from_s : Math.max(0, at_s - AROUND_S);
  const to = at_s === null ? to_s : Math.min(seconds, at_s + AROUND_S);
  return { from: Math.floor(from), to: Math.max(Math.ceil(to), Math.floor(from) + 2) };
}

function SeriesAround({ run, evidence }: Props) {
  const { t } = useWords();
  const known = useJson<SeriesNames>(evidence.series.length > 0 ? address(runPath(run.id, "/series/names")) : null);
  const plans = useMemo(() => {
    const ids = evidence.series.map((series) => series.id);
    return known.value ? plansOf(targetPlans(known.value), ids).slice(0, MOST_CHARTS) : [];
  }, [known.value, evidence]);
  const { from, to } = around(evidence, run.seconds);
  const wanted = plans.flatMap((plan) => plan.lines.flatMap((line) => line.ids));
  const names = ["throughput", "p95_ms", ...new Set(wanted)].join(",");
  const query = { from_s: from, to_s: to, points: 600, names };
  const table = useJson<SeriesTable>(plans.length > 0 ? address(runPath(run.id, "/series"), query) : null);
  const timeline = useMemo(
    (): Timeline => ({
      zoom: { from, to },
      setZoom: (zoom) => {
        // The whole run stands on the result's page: a stretch that is chosen here is looked at there.
        if (zoom)
          window.location.hash = link(["runs", run.id, "result"], {
            from: String(Math.floor(zoom.from)),
            to: String(Math.ceil(zoom.to)),
          });
      },
      warmUp: run.warm_up_s,
      longest: run.seconds,
    }),
    [from, to, run.id, run.warm_up_s, run.seconds],
  );
  const charts = useMemo(() => {
    const columns = table.value?.series ?? [];
    const byId = new Map(columns.map((column) => [column.id, column]));
    const load = [
      ["throughput", t.chart.throughput, "/s"],
      ["p95_ms", "p95", "ms"],
    ].flatMap(([id = "", name = "", unit = ""]) => {
      const column = byId.get(id);
      const lines = column ? [{ name, unit, colour: 0, values: column.values }] : [];
      return [{ key: id, title: `${name}, ${unit}`, hint: "", lines }];
    });
    const target = plans.map((plan) => ({ ...plan, lines: plannedLines(plan, byId, true) }));
    return [...target, ...load].filter(({ lines }) => lines.length > 0);
  }, [table.value, plans, t]);
  if (!table.value) return null;
  const { times_s } = table.value;
  return (
    <>
      <p className="muted">
        {evidence.at_s === null ? null : `${t.evidence.momentAt(moment(evidence.at_s, run.seconds))} `}
        <a href={link(["runs", run.id, "result"], { from: String(from), to: String(to) })}>{t.findings.showSeries}</a>
      </p>
      <div className="charts">
        {charts.map(({ key, title, hint, lines }) => (
          <TimeChart
            key={key}
            title={title}
            hint={hint}
            times={times_s}
            lines={lines}
            timeline={timeline}
            height={150}
          />
        ))}
      </div>
    </>
  );
}
