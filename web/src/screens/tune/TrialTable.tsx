import { Table, type TableColumnsType } from "antd";
import { useMemo } from "react";
import type { Trial, TrialEnd, TrialMeasured } from "../../api/studies";
import { link } from "../../app/router";
import { figure, percent } from "../../format/number";
import { apart } from "../../format/text";
import { duration } from "../../format/time";
import { type Texts, useWords } from "../../texts";
import { valuesText } from "./words";

const ROWS = 50;

const measured = (trial: Trial): TrialMeasured | null => (trial.result.end === "measured" ? trial.result : null);

/** A shorter warm-up does not tell whether the target is steady. */
const TELLING_WARM_UP_S = 10;

const isUnsteady = (result: TrialMeasured) => !result.steady && result.warm_up_s >= TELLING_WARM_UP_S;

/** What came of a trial that has no figures, or is to be taken with care. */
function remarks(result: TrialEnd, t: Texts): string {
  switch (result.end) {
    case "void":
      return result.instead
        .map(({ knob, wanted, has }) => t.tune.voidOf(apart(knob), apart(wanted), apart(has)))
        .join("; ");
    case "failed":
      return [t.tune.fails[result.what] ?? result.what, apart(result.detail)].filter(Boolean).join(": ");
    case "interrupted":
      return "";
    case "measured":
      return [
        result.broken.length > 0 ? t.tune.broken(result.broken.join(", ")) : "",
        isUnsteady(result) ? t.tune.unsteady : "",
        result.cut_short ? t.tune.cut : "",
        result.generator_limited ? t.tune.limited : "",
        result.not_confirmed.length > 0 ? t.tune.notConfirmed(result.not_confirmed.join(", ")) : "",
      ]
        .filter(Boolean)
        .join("; ");
  }
}

function tone(result: TrialEnd): string {
  if (result.end !== "measured") return result.end === "failed" ? "bad" : "warn";
  return result.broken.length > 0 ? "warn" : "good";
}

/** What limited the target in it. */
function limitsOf(trial: Trial, language: "en" | "zh"): string {
  const limits = measured(trial)?.limits;
  return limits ? (language === "zh" ? limits.title_zh : limits.title) : "";
}

function columns(t: Texts, language: "en" | "zh", unit: string): TableColumnsType<Trial> {
  const number = (title: string, key: string, value: (of: TrialMeasured) => number, show = figure) => ({
    title,
    key,
    align: "right" as const,
    className: "figures",
    sorter: (a: Trial, b: Trial) => (figureOf(a, value) ?? 0) - (figureOf(b, value) ?? 0),
    render: (_: unknown, trial: Trial) => show(figureOf(trial, value)),
  });
  return [
    { title: t.tune.number, key: "number", width: 80, align: "right", render: (_, trial) => trial.number },
    {
      title: t.tune.tried,
      key: "values",
      render: (_, trial) => (
        <>
          <bdi>{valuesText(trial.values, t)}</bdi>
          <div className="muted cut">
            {[t.tune.whys[trial.why.reason], trial.why.finding, trial.why.knob].filter(Boolean).join(" · ")}
          </div>
        </>
      ),
    },
    {
      title: t.tune.result,
      key: "result",
      render: (_, trial) => (
        <>
          <span className={`badge ${tone(trial.result)}`}>{t.tune.ends[trial.result.end]}</span>{" "}
          <span className="muted cut">{remarks(trial.result, t)}</span>{" "}
          {limitsOf(trial, language) ? (
            <div className="muted">
              {t.tune.limits}: <bdi>{limitsOf(trial, language)}</bdi>
            </div>
          ) : null}
          {trial.result.end === "measured" ? <a href={link(["runs", trial.result.run])}>{t.capacity.toRun}</a> : null}
        </>
      ),
    },
    number(`${t.tune.objective}${unit ? `, ${unit}` : ""}`, "objective", (of) => of.objective),
    number(t.runs.throughput, "throughput", (of) => of.throughput_per_s),
    number("p99, ms", "p99", (of) => of.p99_ms),
    number(t.runs.errors, "errors", (of) => of.error_rate, percent),
    {
      title: t.tune.readBack,
      key: "read",
      render: (_, trial) => (
        <bdi>{(measured(trial)?.read_back ?? []).map(({ knob, has }) => `${knob}=${has}`).join(", ") || "–"}</bdi>
      ),
    },
    {
      title: t.tune.took,
      key: "took",
      align: "right",
      className: "nowrap",
      render: (_, trial) => duration(trial.seconds),
    },
  ];
}

function figureOf(trial: Trial, value: (of: TrialMeasured) => number): number | null {
  const of = measured(trial);
  return of ? value(of) : null;
}

/** Each trial: what was tried and why, what came of it, what was read back, what limited then. */
export function TrialTable({ trials, unit }: { trials: Trial[]; unit: string }) {
  const { t, language } = useWords();
  const heads = useMemo(() => columns(t, language, unit), [t, language, unit]);
  return (
    <div className="scroll">
      <Table<Trial>
        rowKey="number"
        size="small"
        columns={heads}
        dataSource={trials}
        pagination={trials.length > ROWS ? { pageSize: ROWS, showSizeChanger: false } : false}
        showSorterTooltip={false}
      />
    </div>
  );
}
