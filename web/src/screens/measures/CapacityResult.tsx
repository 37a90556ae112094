import { Table, type TableColumnsType } from "antd";
import { useMemo } from "react";
import type { Capacity, CapacityMeasurement } from "../../api/measurements";
import { link } from "../../app/router";
import type { Letter } from "../../charts";
import { byX } from "../../format/axes";
import { amount, figure, percent, short } from "../../format/number";
import { apart } from "../../format/text";
import { CurveView, withInterval } from "../../parts/CurveView";
import { XyChart } from "../../parts/XyChart";
import { type Texts, useWords } from "../../texts";

const ROWS = 50;

/** The most load that meets the goals, what it was seen by, and what limits beyond it. */
export default function CapacityResult({ of }: { of: Capacity }) {
  const { t } = useWords();
  return (
    <>
      <CapacityVerdict of={of} />
      {of.measurements.length > 0 ? (
        <>
          <CapacityCurve of={of} />
          <section className="card">
            <h2>{t.capacity.measurements}</h2>
            <MeasurementTable of={of} />
          </section>
        </>
      ) : null}
    </>
  );
}

function CapacityVerdict({ of }: { of: Capacity }) {
  const { t } = useWords();
  const { result, beyond } = of;
  const load = (value: number | null): string => t.capacity.load[of.model](amount(value));
  const tone = result.end === "found" ? "good" : result.end === "missed_at_smallest" ? "bad" : "warn";
  const isWide =
    result.precision !== null && result.end === "found" && result.precision > result.precision_asked * 1.05;
  const first = beyond?.diagnosis?.findings[0];
  const { mix } = of;
  return (
    <div className="overview">
      <section className={`card verdict ${tone}`}>
        <h2>{result.load === null ? t.capacity.ends[result.end] : load(result.load)}</h2>
        {result.load === null ? null : <p>{t.capacity.ends[result.end]}</p>}
        {result.low !== null && result.high !== null ? (
          <p>
            {t.capacity.between(
              amount(result.low),
              amount(result.high),
              result.precision === null ? "" : figure(result.precision * 100),
            )}
          </p>
        ) : null}
        {isWide ? <p className="muted">{t.capacity.wide(figure(result.precision_asked * 100))}</p> : null}
        <p className="muted">
          {t.capacity.measured}: {result.measurements} · {of.goals.join(" · ")}
        </p>
        <p className="muted">
          <bdi>{of.target}</bdi>
        </p>
      </section>
      <section className="card limits">
        <h2>{beyond ? t.capacity.beyond(load(beyond.load)) : t.capacity.limits}</h2>
        {of.generator_limited ? <p className="bad-text">{t.capacity.generator}</p> : null}
        {beyond ? (
          <p>
            {t.capacity.missed(beyond.goal.goal, `${figure(beyond.goal.observed)} ${beyond.goal.unit}`)}{" "}
            <a href={link(["runs", beyond.run])}>{t.capacity.toRun}</a>
          </p>
        ) : (
          <p className="muted">{t.capacity.ends[result.end]}</p>
        )}
        {beyond?.diagnosis ? <p className="lead">{beyond.diagnosis.summary}</p> : null}
        {beyond && first ? (
          <div className="first-finding">
            <span className="muted">{t.capacity.limits}</span>
            <a href={link(["runs", beyond.run, "findings"])}>{first.title}</a>
            <p>{first.means}</p>
          </div>
        ) : null}
        {mix ? (
          <p className="muted">
            {t.capacity.mix(
              apart(mix.label),
              load(mix.load),
              figure(mix.share * 100),
              load(mix.reference_load),
              figure(mix.reference_share * 100),
            )}
          </p>
        ) : null}
      </section>
    </div>
  );
}

/** The curve with its marks where there are loads enough for one, else the measurements as they are. */
function CapacityCurve({ of }: { of: Capacity }) {
  const { t } = useWords();
  const letters = useMemo<Letter[]>(
    () => [
      ...(of.result.load === null ? [] : [{ at: of.result.load, text: t.capacity.letter }]),
      ...(of.beyond ? [{ at: of.beyond.load, text: t.capacity.beyondLetter }] : []),
    ],
    [of, t],
  );
  return (
    <section className="card" id="curve">
      <h2>{t.capacity.curve}</h2>
      {of.curve ? <CurveView curve={of.curve} further={letters} /> : <Measured of={of} letters={letters} />}
    </section>
  );
}

function Measured({ of, letters }: { of: Capacity; letters: Letter[] }) {
  const { t } = useWords();
  const drawn = useMemo(() => {
    const rows = of.measurements;
    const { x, columns } = byX(
      rows.map((row) => row.load),
      [
        rows.map((row) => row.throughput_per_s.value),
        rows.map((row) => row.response_time_ms.value),
        rows.map((row) => row.p95_ms),
      ],
    );
    const line = (name: string, unit: string, colour: number, at: number) => ({
      name,
      unit,
      colour,
      values: columns[at] ?? [],
    });
    return {
      x,
      throughput: [line(t.chart.series.throughput ?? "", "/s", 0, 0)],
      times: [line(t.chart.series.mean ?? "", "ms", 2, 1), line("p95", "ms", 0, 2)],
      range: [0, (x[x.length - 1] ?? 1) * 1.1] as [number, number],
    };
  }, [of, t]);
  const shared = { x: drawn.x, range: drawn.range, letters, axisX: short, points: true };
  return (
    <div className="charts">
      <XyChart title={`${t.chart.throughput} · ${t.chart.load[of.model]}`} lines={drawn.throughput} {...shared} />
      <XyChart title={`${t.chart.response} · ${t.chart.load[of.model]}`} lines={drawn.times} {...shared} />
    </div>
  );
}

/** What is to be known of a measurement beside its figures. */
function remarks(row: CapacityMeasurement, t: Texts): string[] {
  return [
    row.fell_behind ? t.capacity.fellBehind : "",
    row.stopped_early ? t.capacity.early : "",
    row.generator_limited ? t.capacity.limited : "",
    row.steady ? "" : t.capacity.unsteady,
  ].filter(Boolean);
}

function columns(of: Capacity, t: Texts): TableColumnsType<CapacityMeasurement> {
  const number = (
    title: string,
    key: string,
    value: (row: CapacityMeasurement) => number,
    show: (value: number) => string = figure,
  ) => ({
    title,
    key,
    align: "right" as const,
    className: "figures",
    sorter: (a: CapacityMeasurement, b: CapacityMeasurement) => value(a) - value(b),
    render: (_: unknown, row: CapacityMeasurement) => show(value(row)),
  });
  return [
    {
      title: t.runs.name,
      key: "run",
      width: 190,
      render: (_, row) => (
        <a href={link(["runs", row.run])}>
          <bdi>{row.run}</bdi>
        </a>
      ),
    },
    number(`${t.capacity.column} · ${t.chart.load[of.model]}`, "load", (row) => row.load, amount),
    { title: t.capacity.phase, key: "phase", width: 110, render: (_, row) => t.capacity.phases[row.phase] },
    {
      title: t.capacity.outcome,
      key: "outcome",
      width: 180,
      render: (_, row) => (
        <>
          <span className={`badge ${row.met ? "good" : "bad"}`}>{row.met ? t.capacity.met : t.capacity.notMet}</span>{" "}
          <span className="muted">{remarks(row, t).join(", ")}</span>
        </>
      ),
    },
    {
      title: t.capacity.nearest,
      key: "nearest",
      width: 150,
      render: (_, row) => {
        const goal = row.goals[row.worst_goal];
        return <bdi>{goal ? `${goal.goal}: ${figure(goal.observed)} ${goal.unit}` : "–"}</bdi>;
      },
    },
    number(t.capacity.share, "ratio", (row) => row.ratio * 100),
    {
      ...number(t.runs.throughput, "throughput", (row) => row.throughput_per_s.value),
      render: (_, row) => withInterval(row.throughput_per_s),
    },
    {
      ...number(t.compare.mean, "mean", (row) => row.response_time_ms.value),
      render: (_, row) => withInterval(row.response_time_ms),
    },
    number(t.runs.p95, "p95", (row) => row.p95_ms),
    number(t.runs.errors, "errors", (row) => row.error_rate, percent),
  ];
}

function MeasurementTable({ of }: { of: Capacity }) {
  const { t } = useWords();
  const heads = useMemo(() => columns(of, t), [of, t]);
  return (
    <div className="scroll">
      <Table<CapacityMeasurement>
        rowKey="run"
        size="small"
        columns={heads}
        dataSource={of.measurements}
        pagination={of.measurements.length > ROWS ? { pageSize: ROWS, showSizeChanger: false } : false}
        showSorterTooltip={false}
      />
    </div>
  );
}
