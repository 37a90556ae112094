import { Button, Empty, Table, type TableColumnsType } from "antd";
import { useMemo } from "react";
import { address } from "../../api/client";
import { useMay } from "../../api/session";
import type { StudyRow } from "../../api/studies";
import { usePages } from "../../api/usePages";
import { go, link } from "../../app/router";
import { figure } from "../../format/number";
import { clock } from "../../format/time";
import { Failed } from "../../parts/Failed";
import { StateBadge } from "../../parts/StateBadge";
import { useFollowed } from "../../parts/useFollowed";
import { type Texts, useWords } from "../../texts";
import { useTuneRefusal } from "./useTuneRefusal";
import { signed, valuesText } from "./words";

const PAGE = 50;
const FOLLOW_MS = 5000;

function columns(t: Texts): TableColumnsType<StudyRow> {
  return [
    {
      title: t.tune.study,
      key: "study",
      render: (_, row) => (
        <div className="run-name">
          <a href={link(["tune", row.study])}>
            <bdi>{row.study}</bdi>
          </a>
          <bdi className="muted">{row.objective}</bdi>
        </div>
      ),
    },
    {
      title: t.machines.state,
      key: "state",
      width: 150,
      render: (_, row) => (
        <>
          <StateBadge state={row.state} names={t.tune.states} />
          {row.needs_restore ? <div className="bad-text">{t.tune.notBroughtBack}</div> : null}
        </>
      ),
    },
    { title: t.runs.begin, key: "begin", width: 170, className: "nowrap", render: (_, row) => clock(row.begin) },
    { title: t.tune.trials, key: "trials", width: 100, align: "right", render: (_, row) => row.trials },
    {
      title: t.tune.best,
      key: "best",
      render: (_, row) =>
        row.best_trial === null ? (
          "–"
        ) : (
          <>
            <b>
              {figure(row.best_trial.objective)} {row.best_trial.unit}
            </b>{" "}
            {row.best_trial.gain === null ? "" : signed(row.best_trial.gain)}{" "}
            <bdi className="muted">{valuesText(row.best, t)}</bdi>
          </>
        ),
    },
    { title: t.measures.by, key: "by", width: 120, render: (_, row) => <bdi>{row.by ?? "–"}</bdi> },
  ];
}

/** Studies, the newest first. */
export function StudiesList() {
  const { t } = useWords();
  const asked = usePages<StudyRow>(address("/studies", { limit: PAGE }));
  useFollowed(asked.again, FOLLOW_MS);
  const refusal = useTuneRefusal();
  const mayBegin = useMay("administer");
  const heads = useMemo(() => columns(t), [t]);
  return (
    <div className="runs">
      <div className="title">
        <h1>{t.tune.title}</h1>
        {mayBegin ? (
          <Button type="primary" disabled={refusal !== null} onClick={() => go(link(["tune"], { new: "1" }))}>
            {t.tune.start}
          </Button>
        ) : null}
      </div>
      {refusal ? (
        <div className="notice warn" role="status">
          {refusal}
        </div>
      ) : null}
      {asked.error && !asked.value ? <Failed error={asked.error} again={asked.again} /> : null}
      <div className="scroll">
        <Table<StudyRow>
          rowKey="study"
          size="middle"
          columns={heads}
          dataSource={asked.items}
          loading={asked.loading && !asked.value}
          pagination={asked.items.length > PAGE ? { pageSize: PAGE, showSizeChanger: false } : false}
          tableLayout="fixed"
          locale={{
            emptyText: (
              <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t.tune.empty}>
                <p className="muted">{t.tune.emptyHint}</p>
              </Empty>
            ),
          }}
        />
      </div>
      {asked.more ? <Button onClick={asked.more}>{t.common.more}</Button> : null}
    </div>
  );
}
