import { Table, type TableColumnsType } from "antd";
import { useMemo } from "react";
import { address } from "../api/client";
import type { Changed } from "../api/measurements";
import type { RunRow } from "../api/types";
import { useJson } from "../api/use";
import { link } from "../app/router";
import { figure, percent } from "../format/number";
import { clock } from "../format/time";
import { Changes } from "../parts/Changes";
import { Failed } from "../parts/Failed";
import { VerdictBadge } from "../parts/VerdictBadge";
import { Waiting } from "../parts/Waiting";
import { XyChart } from "../parts/XyChart";
import { type Texts, useWords } from "../texts";

/** Runs of a plan that are looked at, the newest. */
const MOST = 200;
const ROWS = 50;

interface TrendPoint {
  run: RunRow;
  changed: Changed[];
}

/** A plan over its runs, with what changed between them. */
export default function TrendScreen({ of }: { of: string }) {
  const { t } = useWords();
  const asked = useJson<{ items: TrendPoint[] }>(address("/trend", { key: of, limit: MOST }));
  if (asked.error && !asked.value) return <Failed error={asked.error} again={asked.again} />;
  const items = asked.value?.items;
  if (!items) return <Waiting />;
  const newest = items[items.length - 1];
  return (
    <>
      <div className="title">
        <div className="run-head">
          <p className="crumb">
            <a href={link(["runs"])}>{t.runs.title}</a>
          </p>
          <h1>
            {t.trend.title} <bdi>{newest?.run.name ?? ""}</bdi>
          </h1>
          <p className="muted">{t.trend.hint}</p>
        </div>
      </div>
      {items.length === 0 ? <p className="muted">{t.runs.noMatch}</p> : <Trend items={items} />}
    </>
  );
}

function Trend({ items }: { items: TrendPoint[] }) {
  const { t } = useWords();
  const drawn = useMemo(() => {
    const line = (name: string, unit: string, colour: number, values: (number | null)[]) => [
      { name, unit, colour, values },
    ];
    const runs = items.map(({ run }) => run);
    return {
      x: runs.map((_, i) => i + 1),
      letters: items.flatMap(({ changed }, i) => (changed.length > 0 ? [{ at: i + 1, text: "Δ" }] : [])),
      throughput: line(
        t.chart.throughput,
        "/s",
        0,
        runs.map((run) => run.throughput),
      ),
      p95: line(
        "p95",
        "ms",
        1,
        runs.map((run) => run.p95_ms),
      ),
      range: [0, items.length + 1] as [number, number],
    };
  }, [items, t]);
  const axisX = (value: number): string => {
    const run = items[value - 1]?.run;
    return run ? clock(run.begin).slice(5, 16) : "";
  };
  const shared = { x: drawn.x, range: drawn.range, letters: drawn.letters, axisX, points: true };
  return (
    <>
      <section className="card">
        <div className="charts">
          <XyChart title={t.runs.throughput} lines={drawn.throughput} {...shared} />
          <XyChart title={t.runs.p95} lines={drawn.p95} {...shared} />
        </div>
      </section>
      <section className="card">
        <TrendTable items={items} />
      </section>
    </>
  );
}

function columns(t: Texts): TableColumnsType<TrendPoint> {
  return [
    {
      title: t.runs.name,
      key: "run",
      width: 220,
      render: (_, { run }) => (
        <div className="run-name">
          <a href={link(["runs", run.id])}>{clock(run.begin)}</a>
          {run.note ? <span className="note cut">{run.note}</span> : null}
        </div>
      ),
    },
    {
      title: t.runs.verdict,
      key: "verdict",
      width: 150,
      render: (_, { run }) => <VerdictBadge verdict={run.verdict} state={run.state} />,
    },
    {
      title: t.runs.throughput,
      key: "throughput",
      width: 120,
      align: "right",
      render: (_, { run }) => figure(run.throughput),
    },
    { title: t.runs.p95, key: "p95", width: 100, align: "right", render: (_, { run }) => figure(run.p95_ms) },
    {
      title: t.runs.errors,
      key: "errors",
      width: 100,
      align: "right",
      render: (_, { run }) => percent(run.error_share),
    },
    { title: t.trend.changed, key: "changed", render: (_, { changed }) => <Changes of={changed} /> },
  ];
}

function TrendTable({ items }: { items: TrendPoint[] }) {
  const { t } = useWords();
  const heads = useMemo(() => columns(t), [t]);
  const newest = useMemo(() => [...items].reverse(), [items]);
  return (
    <div className="scroll">
      <Table<TrendPoint>
        rowKey={({ run }) => run.id}
        size="small"
        columns={heads}
        dataSource={newest}
        pagination={items.length > ROWS ? { pageSize: ROWS, showSizeChanger: false } : false}
      />
    </div>
  );
}
