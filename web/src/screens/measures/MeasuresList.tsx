import { Button, Empty, Table, type TableColumnsType } from "antd";
import { useMemo } from "react";
import { address } from "../../api/client";
import type { MeasurementRow } from "../../api/measurements";
import { useMay } from "../../api/session";
import { usePages } from "../../api/usePages";
import { go, link } from "../../app/router";
import { clock, duration } from "../../format/time";
import { Failed } from "../../parts/Failed";
import { StateBadge } from "../../parts/StateBadge";
import { useFollowed } from "../../parts/useFollowed";
import { type Texts, useWords } from "../../texts";

const PAGE = 50;
const FOLLOW_MS = 5000;

/** How long it took; null: it goes on. */
function lasted({ begin, end }: MeasurementRow): number | null {
  return end === null ? null : (Date.parse(end) - Date.parse(begin)) / 1000;
}

function columns(t: Texts): TableColumnsType<MeasurementRow> {
  return [
    {
      title: t.measures.title,
      key: "name",
      render: (_, row) => (
        <div className="run-name">
          <a href={link(["measurements", row.id])}>{t.measures.kinds[row.kind]}</a>
          <bdi className="muted">{row.name}</bdi>
        </div>
      ),
    },
    {
      title: t.machines.state,
      key: "state",
      width: 140,
      render: (_, row) => <StateBadge state={row.state} names={t.measures.states} />,
    },
    { title: t.runs.begin, key: "begin", width: 170, className: "nowrap", render: (_, row) => clock(row.begin) },
    {
      title: t.runs.duration,
      key: "duration",
      width: 110,
      align: "right",
      className: "nowrap",
      render: (_, row) => duration(lasted(row)),
    },
    { title: t.measures.runs, key: "runs", width: 90, align: "right", render: (_, row) => row.runs.length },
    { title: t.measures.by, key: "by", width: 140, render: (_, row) => <bdi>{row.by ?? "–"}</bdi> },
  ];
}

/** Capacity, hops, comparisons and repeated runs, the newest first. */
export function MeasuresList() {
  const { t } = useWords();
  const asked = usePages<MeasurementRow>(address("/measurements", { limit: PAGE }));
  useFollowed(asked.again, FOLLOW_MS);
  const heads = useMemo(() => columns(t), [t]);
  const mayBegin = useMay("run");
  return (
    <div className="runs">
      <div className="title">
        <h1>{t.measures.title}</h1>
        {mayBegin ? (
          <Button type="primary" onClick={() => go(link(["measurements", "new"]))}>
            {t.measures.start}
          </Button>
        ) : null}
      </div>
      {asked.error && !asked.value ? <Failed error={asked.error} again={asked.again} /> : null}
      <div className="scroll">
        <Table<MeasurementRow>
          rowKey="id"
          size="middle"
          columns={heads}
          dataSource={asked.items}
          loading={asked.loading && !asked.value}
          pagination={asked.items.length > PAGE ? { pageSize: PAGE, showSizeChanger: false } : false}
          tableLayout="fixed"
          locale={{
            emptyText: (
              <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t.measures.empty}>
                <p className="muted">{t.measures.emptyHint}</p>
              </Empty>
            ),
          }}
        />
      </div>
      {asked.more ? <Button onClick={asked.more}>{t.common.more}</Button> : null}
    </div>
  );
}
