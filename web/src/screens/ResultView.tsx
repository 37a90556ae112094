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
import { OfWhole } from "../parts/OfWhole";
import { RunCharts } from "../parts/RunCharts";
import { TargetCharts } from "../parts/TargetCharts";
import { sayTime, type Timeline } from "../parts/TimeChart";
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

type Asked = ReturnType<typeof useStretch>;

export default function ResultView({ run }: { run: RunDetail }) {
  const { say } = useWords();
  if (run.total.samples === 0) return <p className="muted">{say("report-no-samples")}</p>;
  return <Measured run={run} />;
}

/** What figures are of: the stretch that was asked for once it has come, else the whole run; and its name. */
function useShown(run: RunDetail, timeline: Timeline, asked: Asked): { table: LabelTable; of: string } {
  const { t } = useWords();
  const { isStretch, labels } = asked;
  const table = isStretch ? labels.value : undefined;
  return useMemo(() => {
    if (!table) return { table: { from_s: 0, to_s: 0, items: run.labels, total: run.total }, of: t.stretch.whole };
    const [from, to] = [sayTime(timeline, table.from_s), sayTime(timeline, table.to_s)];
    return { table, of: t.chart.zoomed(from, to) };
  }, [table, run, timeline, t]);
}

function Measured({ run }: { run: RunDetail }) {
  const { t } = useWords();
  const diagnosis = useJson<Diagnosis>(run.is_watched ? address(runPath(run.id, "/findings")) : null);
  const [label, setLabel] = useState("");
  const timeline = useTimeline(run.seconds, run.warm_up_s);
  const asked = useStretch(run, timeline, label);
  const { table, of } = useShown(run, timeline, asked);
  const { isStretch } = asked;
  return (
    <>
      {run.state === "incomplete" ? <div className="notice warn">{t.result.cutShort}</div> : null}
      <GeneratorNotice health={run.generator} />
      <Overview run={run} diagnosis={diagnosis.value} shown={{ total: table.total, of }} isStretch={isStretch} />
      <Details run={run} timeline={timeline} asked={asked} label={label} setLabel={setLabel}>
        <Phases label={table.items.find((row) => row.label === label) ?? table.total} of={of} />
      </Details>
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

interface DetailsProps {
  run: RunDetail;
  timeline: Timeline;
  asked: Asked;
  label: string;
  setLabel: (label: string) => void;
  /** Where the time goes. */
  children: ReactNode;
}

function Details({ run, timeline, asked, label, setLabel, children }: DetailsProps) {
  const { t } = useWords();
  const offers = useOffers();
  const ofWhole = <OfWhole isStretch={asked.isStretch} />;
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
          {children}
        </div>
      </Section>
      {curve.value ? (
        <Section id="curve" title={t.result.curve} extra={ofWhole}>
          <CurveView curve={curve.value} />
        </Section>
      ) : null}
      <Section id="errors" title={t.result.errors} extra={ofWhole}>
        <ErrorGroups groups={run.errors ?? []} longest={timeline.longest} />
      </Section>
      <Section id="target" title={t.result.targetSeries}>
        <TargetCharts id={run.id} timeline={timeline} />
      </Section>
    </>
  );
}
