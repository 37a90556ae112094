import { App, Button, Table, type TableColumnsType } from "antd";
import { memo } from "react";
import type { LabelKind, LabelSummary, LabelTable } from "../api/types";
import { count, figure, kilobytes, percent } from "../format/number";
import { moment } from "../format/time";
import { useWords } from "../texts";

type Figure = (row: LabelSummary) => number;

interface Column {
  id: string;
  value: Figure;
  show: (value: number) => string;
}

/** JMeter's aggregate report, and the 99.9th percentile. */
function jmeterColumns(seconds: number): Column[] {
  const time = (id: string, value: Figure): Column => ({ id, value, show: figure });
  return [
    { id: "samples", value: (row) => row.samples, show: count },
    time("average", (row) => row.response_time_ms.mean),
    time("median", (row) => row.response_time_ms.p50),
    time("p90", (row) => row.response_time_ms.p90),
    time("p95", (row) => row.response_time_ms.p95),
    time("p99", (row) => row.response_time_ms.p99),
    time("p999", (row) => row.response_time_ms.p99_9),
    time("min", (row) => row.response_time_ms.min),
    time("max", (row) => row.response_time_ms.max),
    { id: "error", value: (row) => row.error_rate, show: percent },
    { id: "throughput", value: (row) => row.throughput_per_s, show: figure },
    { id: "received", value: (row) => kilobytes(row.received_bytes, seconds), show: figure },
    { id: "sent", value: (row) => kilobytes(row.sent_bytes, seconds), show: figure },
  ];
}

const KINDS: LabelKind[] = ["request", "transaction", "sub_request"];

const shownName = (row: LabelSummary): string =>
  row.parent && row.parent !== row.label ? `${row.parent} › ${row.label}` : row.label;

/** A field of a CSV file; a text that a spreadsheet would take for a formula is not one. */
function field(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

interface Props {
  table: LabelTable;
  /** Whether it is of a stretch. */
  isStretch: boolean;
  /** How long the run is, seconds. */
  longest: number;
}

export const LabelTableView = memo(function LabelTableView({ table, isStretch, longest }: Props) {
  const { t, say } = useWords();
  const { message } = App.useApp();
  const columns = jmeterColumns(table.to_s - table.from_s);
  const heads: TableColumnsType<LabelSummary> = [
    {
      title: say("report-column-label"),
      key: "label",
      width: 180,
      className: "label",
      sorter: (a, b) => shownName(a).localeCompare(shownName(b)),
      render: (_, row) => <bdi>{shownName(row)}</bdi>,
    },
    ...columns.map((column) => ({
      title: say(`report-column-${column.id}`),
      key: column.id,
      align: "right" as const,
      className: column.id === "error" ? "figures errors" : "figures",
      sortDirections: ["descend" as const, "ascend" as const],
      sorter: (a: LabelSummary, b: LabelSummary) => column.value(a) - column.value(b),
      render: (_: unknown, row: LabelSummary) => column.show(column.value(row)),
    })),
  ];
  const copy = async (): Promise<void> => {
    const rows = [...table.items, { ...table.total, label: say("report-total") }];
    const lines = [
      [say("report-column-label"), ...columns.map((c) => say(`report-column-${c.id}`))],
      ...rows.map((row) => [shownName(row), ...columns.map((c) => String(c.value(row)))]),
    ];
    await navigator.clipboard.writeText(lines.map((line) => line.map(field).join(",")).join("\n"));
    message.success(t.result.copied);
  };
  return (
    <>
      <div className="section-head">
        <p className="muted">
          {isStretch
            ? t.result.aggregateOf(moment(table.from_s, longest), moment(table.to_s, longest))
            : t.result.aggregateAll}
        </p>
        <Button size="small" onClick={() => void copy()}>
          {t.result.copy}
        </Button>
      </div>
      {KINDS.map((kind) => {
        const rows = table.items.filter((row) => row.kind === kind);
        if (rows.length === 0 && kind !== "request") return null;
        return (
          <div key={kind} className="kind">
            {kind === "request" ? null : <h3>{t.result.kinds[kind]}</h3>}
            <div className="scroll">
              <Table<LabelSummary>
                rowKey={(row) => `${row.parent ?? ""}\u0000${row.label}`}
                size="small"
                columns={heads}
                dataSource={rows}
                pagination={rows.length > 50 ? { pageSize: 50, showSizeChanger: false } : false}
                showSorterTooltip={false}
                summary={() =>
                  kind === "request" ? <Total columns={columns} row={table.total} name={say("report-total")} /> : null
                }
              />
            </div>
          </div>
        );
      })}
    </>
  );
});

function Total({ columns, row, name }: { columns: Column[]; row: LabelSummary; name: string }) {
  return (
    <Table.Summary.Row className="total">
      <Table.Summary.Cell index={0}>{name}</Table.Summary.Cell>
      {columns.map((column, i) => (
        <Table.Summary.Cell key={column.id} index={i + 1} align="right">
          {column.show(column.value(row))}
        </Table.Summary.Cell>
      ))}
    </Table.Summary.Row>
  );
}
