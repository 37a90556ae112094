import { Select } from "antd";
import { type ReactNode, useDeferredValue, useMemo, useState } from "react";
import { address, runPath } from "../api/client";
import type { Diagnosis } from "../api/diagnosis";
import { useOffers } from "../api/offers";
import type { Distribution, HeatMap, LabelTable, LoadCurve, RunDetail, SeriesTable, Summary } from "../api/types";
import { useJson } from "../api/use";
import { CurveView } from "../parts/CurveView";
import { ErrorGroups } from "../parts/ErrorGroups";
import { Failed } from "../parts/Failed";
import { GeneratorNotice } from "../parts/GeneratorNotice";
import { LabelTableView } from "../parts/LabelTableView";
import { RunCharts } from "../parts/RunCharts";
import { TargetCharts } from "../parts/TargetCharts";
import type { Timeline } from "../parts/TimeChart";
import { useSettled } from "../parts/useSettled";
import { ZoomBar } from "../parts/ZoomBar";
import { useWords } from "../texts";
import { Overview } from "./Overview";
import { AgainstThroughput, DistributionView, Phases } from "./ResultParts";
import { useTimeline } from "./useTimeline";

const POINTS = 600;
const HEAT_COLUMNS = 200;

function Section({
  id,
  title,
  extra,
  children,
}: {
  id: string;
  title: string;
  extra?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="card" id={id} aria-labelledby={`${id}-title`}>
      <div className="section-head">
        <h2 id={`${id}-title`}>{title}</h2>
        {extra}
      </div>
      {children}
    </section>
  );
}

/** All that is asked for of a stretch. */
function useStretch(run: RunDetail, timeline: Timeline, label: string) {
  const zoom = useSettled(timeline.zoom);
  const stretch = { from_s: zoom?.from, to_s: zoom?.to };
  const of = (path: string, query: Record<string, string | number | undefined>): string =>
    address(runPath(run.id, path), query);
  return {
    isStretch: zoom !== null,
    // One column more on each side would hide that the stretch was cut.
    series: useJson<SeriesTable>(of("/series", { ...stretch, points: POINTS, label })),
    heat: useJson<HeatMap>(of("/heatmap", { ...stretch, columns: HEAT_COLUMNS, label })),
    labels: useJson<LabelTable>(of("/labels", stretch)),
    distribution: useJson<Distribution>(of("/distribution", { ...stretch, label })),
  };
}

export default function ResultView({ run }: { run: RunDetail }) {
  const { t, say } = useWords();
  const diagnosis = useJson<Diagnosis>(run.is_watched ? address(runPath(run.id, "/findings")) : null);
  if (run.total.samples === 0) return <p className="muted">{say("report-no-samples")}</p>;
  return (
    <>
      {run.state === "incomplete" ? <div className="notice warn">{t.result.cutShort}</div> : null}
      <GeneratorNotice health={run.generator} />
      <Overview run={run} diagnosis={diagnosis.value} />
      <Details run={run} />
    </>
  );
}

function LabelChoice({ summary, label, set }: { summary: Summary; label: string; set: (label: string) => void }) {
  const { t } = useWords();
  return (
    <Select
      className="label-choice"
      aria-label={t.result.labelFilter}
      value={label}
      showSearch
      onChange={set}
      options={[
        { value: "", label: t.result.allRequests },
        ...summary.labels.map((row) => ({ value: row.label, label: row.label })),
      ]}
    />
  );
}

function Details({ run }: { run: RunDetail }) {
  const { t } = useWords();
  const offers = useOffers();
  const [label, setLabel] = useState("");
  const timeline = useTimeline(run.seconds, run.warm_up_s);
  const asked = useStretch(run, timeline, label);
  // A table of many labels takes long to make: frames go on meanwhile.
  const labels = useDeferredValue(asked.labels.value);
  const curve = useJson<LoadCurve | null>(
    offers.has("GET /runs/{id}/curve") ? address(runPath(run.id, "/curve")) : null,
  );
  const contents = useMemo(
    () => [
      ["time", t.result.overTime],
      ["aggregate", t.result.aggregate],
      ["distribution", t.result.distribution],
      ["errors", t.result.errors],
      ["target", t.result.targetSeries],
    ],
    [t],
  );
  return (
    <>
      <nav className="contents" aria-label={t.result.contents}>
        {contents.map(([id, text]) => (
          <button
            key={id}
            type="button"
            onClick={() => document.getElementById(id ?? "")?.scrollIntoView({ behavior: "smooth" })}
          >
            {text}
          </button>
        ))}
        <ZoomBar timeline={timeline} />
      </nav>
      <Section id="time" title={t.result.overTime} extra={<LabelChoice summary={run} label={label} set={setLabel} />}>
        {asked.series.error ? <Failed error={asked.series.error} again={asked.series.again} /> : null}
        {asked.series.value ? (
          <RunCharts table={asked.series.value} heat={asked.heat.value} timeline={timeline} />
        ) : (
          <div className="charts-room" />
        )}
      </Section>
      <Section id="aggregate" title={t.result.aggregate}>
        {asked.labels.error ? <Failed error={asked.labels.error} again={asked.labels.again} /> : null}
        {labels ? <LabelTableView table={labels} isStretch={asked.isStretch} longest={timeline.longest} /> : null}
      </Section>
      <Section id="distribution" title={t.result.distribution}>
        <div className="charts">
          {asked.distribution.value ? <DistributionView distribution={asked.distribution.value} /> : null}
          {asked.series.value ? <AgainstThroughput table={asked.series.value} /> : null}
          <Phases label={run.labels.find((row) => row.label === label) ?? run.total} />
        </div>
      </Section>
      {curve.value ? (
        <Section id="curve" title={t.result.curve}>
          <CurveView curve={curve.value} />
        </Section>
      ) : null}
      <Section id="errors" title={t.result.errors}>
        <ErrorGroups groups={run.errors ?? []} longest={timeline.longest} />
      </Section>
      <Section id="target" title={t.result.targetSeries}>
        <TargetCharts id={run.id} timeline={timeline} />
      </Section>
    </>
  );
}
