import { App, Button, Empty, Input, Select, Table, type TableColumnsType, Tag } from "antd";
import { useCallback, useMemo, useRef, useState } from "react";
import { address, get, runPath, send, upload } from "../api/client";
import { useOffers } from "../api/offers";
import { useMay } from "../api/session";
import type { RunPage, RunRow, Verdict } from "../api/types";
import { type Asked, useJson } from "../api/use";
import { go, link, setQuery, usePlace } from "../app/router";
import { count, figure, percent } from "../format/number";
import { clock, duration } from "../format/time";
import { Failed } from "../parts/Failed";
import { Sparkline } from "../parts/Sparkline";
import { useFollowed } from "../parts/useFollowed";
import { VerdictBadge, verdictId } from "../parts/VerdictBadge";
import { type Texts, useWords } from "../texts";

const PAGE = 50;
/** The store is followed: a run of the command line appears by itself. */
const FOLLOW_MS = 5000;
const VERDICTS: Verdict[] = [
  "passed",
  "failed",
  "not_judged",
  "limited",
  "aborted",
  "interrupted",
  "no_success",
  "error",
];

interface Filters {
  search: string;
  verdict: string;
  tag: string;
  plan: string;
}

/** The list as far as it was paged through, followed while it is looked at. */
function useRows(filters: Filters): Asked<RunPage> & { rows: RunRow[]; more: (() => void) | null } {
  const { search, verdict, tag, plan } = filters;
  const query = { search, verdict, tag, plan, limit: PAGE };
  const first = useJson<RunPage>(address("/runs", query));
  const [rest, setRest] = useState<{ of: string; items: RunRow[]; next: string | null } | null>(null);
  const key = JSON.stringify(filters);
  useFollowed(first.again, FOLLOW_MS);
  const older = rest?.of === key ? rest : null;
  const next = older ? older.next : (first.value?.next ?? null);
  const rows = useMemo(() => {
    const newest = first.value?.items ?? [];
    const ids = new Set(newest.map((row) => row.id));
    return [...newest, ...(older?.items ?? []).filter((row) => !ids.has(row.id))];
  }, [first.value, older]);
  const more = async (cursor: string): Promise<void> => {
    const page = await get<RunPage>(address("/runs", { ...query, cursor }));
    setRest({ of: key, items: [...(older?.items ?? []), ...page.items], next: page.next });
  };
  return { ...first, rows, more: next === null ? null : () => void more(next) };
}

function columns(t: Texts): TableColumnsType<RunRow> {
  return [
    {
      title: t.runs.name,
      key: "name",
      render: (_, row) => (
        <div className="run-name">
          <a href={link(["runs", row.id])}>
            <bdi>{row.name}</bdi>
          </a>
          <bdi className="muted">{row.target}</bdi>
          {row.step_of ? <span className="muted">{t.runs.stepOf[row.step_of]}</span> : null}
          {row.note ? <span className="note cut">{row.note}</span> : null}
          {row.tags.length > 0 ? (
            <span>
              {row.tags.map((tag) => (
                <Tag key={tag}>{tag}</Tag>
              ))}
            </span>
          ) : null}
        </div>
      ),
    },
    {
      title: t.runs.verdict,
      key: "verdict",
      width: 170,
      render: (_, row) => <VerdictBadge verdict={row.verdict} state={row.state} />,
    },
    { title: t.runs.begin, key: "begin", width: 170, className: "nowrap", render: (_, row) => clock(row.begin) },
    {
      title: t.runs.duration,
      key: "duration",
      width: 90,
      className: "nowrap",
      align: "right",
      render: (_, row) => duration(row.duration_s),
    },
    {
      title: t.runs.throughput,
      key: "throughput",
      width: 130,
      align: "right",
      render: (_, row) => figure(row.throughput),
    },
    { title: t.runs.p95, key: "p95", width: 90, align: "right", render: (_, row) => figure(row.p95_ms) },
    {
      title: t.runs.errors,
      key: "errors",
      width: 90,
      align: "right",
      render: (_, row) => <span className={row.error_share ? "bad-text" : ""}>{percent(row.error_share)}</span>,
    },
    {
      title: t.runs.course,
      key: "course",
      width: 150,
      render: (_, row) => <Sparkline values={row.sparkline} label={t.runs.course} />,
    },
  ];
}

function FilterBar({ filters }: { filters: Filters }) {
  const { t, say } = useWords();
  const set = (name: keyof Filters, value: string | undefined): void => setQuery({ [name]: value || undefined });
  return (
    <div className="filters">
      <Input.Search
        allowClear
        aria-label={t.runs.search}
        placeholder={t.runs.search}
        defaultValue={filters.search}
        onSearch={(value) => set("search", value)}
      />
      <Select
        aria-label={t.runs.verdict}
        value={filters.verdict || ""}
        onChange={(value) => set("verdict", value)}
        options={[
          { value: "", label: `${t.runs.verdict}: ${t.runs.any}` },
          ...VERDICTS.map((v) => ({ value: v, label: say(verdictId(v)) })),
        ]}
      />
      {(["tag", "plan"] as const).map((name) =>
        filters[name] ? (
          <Tag key={name} closable onClose={() => set(name, undefined)}>
            {name === "tag" ? t.runs.tag : t.runs.plan}: {filters[name]}
          </Tag>
        ) : null,
      )}
    </div>
  );
}

/** Deletes runs; each can be brought back while its message stands. */
function useRemoval(again: () => void): (rows: RunRow[]) => Promise<void> {
  const { t } = useWords();
  const { notification, message } = App.useApp();
  return useCallback(
    async (rows) => {
      for (const row of rows) {
        await send("DELETE", address(runPath(row.id)));
        const restore = async (): Promise<void> => {
          await send("POST", address(runPath(row.id, "/restore")));
          notification.destroy(row.id);
          message.success(t.runs.restored(row.name));
          again();
        };
        notification.info({
          key: row.id,
          message: t.runs.removed(row.name),
          btn: <Button onClick={() => void restore()}>{t.common.undo}</Button>,
          duration: 20,
        });
      }
      again();
    },
    [again, message, notification, t],
  );
}

function Import({ again }: { again: () => void }) {
  const { t } = useWords();
  const { message } = App.useApp();
  const field = useRef<HTMLInputElement>(null);
  const take = async (file: File): Promise<void> => {
    try {
      const row = await upload<{ id: string }>(address("/runs/import", { new_id: "true" }), file);
      message.success(t.runs.imported(row.id));
      again();
    } catch (error) {
      message.error(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      <input
        ref={field}
        type="file"
        hidden
        aria-label={t.runs.import}
        onChange={(event) => {
          const file = event.target.files?.[0];
          if (file) void take(file);
          event.target.value = "";
        }}
      />
      <Button onClick={() => field.current?.click()}>{t.runs.import}</Button>
    </>
  );
}

/** Runs that wait for those before them. */
function Queued({ waiting }: { waiting: RunPage["queued"] }) {
  const { t } = useWords();
  if (waiting.length === 0) return null;
  return (
    <div className="notice" role="status">
      <strong>{t.state.queued}</strong>{" "}
      {waiting.map((run) => (
        <span key={run.id} className="badge">
          <bdi>{run.name || run.id}</bdi>
        </span>
      ))}
    </div>
  );
}

export function Runs() {
  const { t } = useWords();
  const { query } = usePlace();
  const of = (name: string): string => query.get(name) ?? "";
  const filters: Filters = { search: of("search"), verdict: of("verdict"), tag: of("tag"), plan: of("plan") };
  const asked = useRows(filters);
  const remove = useRemoval(asked.again);
  const offers = useOffers();
  const mayRun = useMay("run");
  const [chosen, setChosen] = useState<string[]>([]);
  const filtered = Object.values(filters).some(Boolean);
  const selected = asked.rows.filter((row) => chosen.includes(row.id));
  return (
    <div className="runs">
      <div className="title">
        <h1>{t.runs.title}</h1>
        <div className="actions">
          {selected.length > 0 ? <span className="muted">{t.runs.selected(selected.length)}</span> : null}
          <Button disabled={selected.length < 2} onClick={() => go(link(["compare"], { runs: chosen.join(",") }))}>
            {t.runs.compare}
          </Button>
          {offers.has("GET /trend") ? (
            <Button
              disabled={selected.length !== 1 || selected[0]?.step_of !== undefined}
              onClick={() => go(link(["trend"], { key: selected[0]?.trend_key ?? "" }))}
            >
              {t.trend.title}
            </Button>
          ) : null}
          {mayRun && offers.has("DELETE /runs/{id}") ? (
            <Button
              danger
              disabled={selected.length === 0 || selected.some((row) => row.state === "running")}
              onClick={() => {
                void remove(selected);
                setChosen([]);
              }}
            >
              {t.runs.remove}
            </Button>
          ) : null}
          {mayRun && offers.has("POST /runs/import") ? <Import again={asked.again} /> : null}
          {mayRun ? (
            <Button type="primary" onClick={() => go(link(["start"]))}>
              {t.nav.start}
            </Button>
          ) : null}
        </div>
      </div>
      <FilterBar filters={filters} />
      {asked.error && !asked.value ? <Failed error={asked.error} again={asked.again} /> : null}
      <Queued waiting={asked.value?.queued ?? []} />
      <div className="scroll">
        <Table<RunRow>
          rowKey="id"
          size="middle"
          columns={columns(t)}
          dataSource={asked.rows}
          loading={asked.loading && !asked.value}
          pagination={false}
          tableLayout="fixed"
          rowSelection={{
            selectedRowKeys: chosen,
            onChange: (keys) => setChosen(keys.map(String)),
            getCheckboxProps: (row) => ({ "aria-label": t.runs.select(row.name) }) as Record<string, string>,
          }}
          locale={{
            emptyText: (
              <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={filtered ? t.runs.noMatch : t.runs.empty}>
                {filtered ? null : <p className="muted">{t.runs.emptyHint}</p>}
              </Empty>
            ),
          }}
        />
      </div>
      <p className="muted count">{count(asked.rows.length)}</p>
      {asked.more ? <Button onClick={asked.more}>{t.common.more}</Button> : null}
    </div>
  );
}
