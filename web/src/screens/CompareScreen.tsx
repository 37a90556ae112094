import { useMemo } from "react";
import { address, runPath } from "../api/client";
import type { ComparedSides } from "../api/measurements";
import type { RunDetail, SeriesTable } from "../api/types";
import { useAll, useJson } from "../api/use";
import { link, setQuery, usePlace } from "../app/router";
import { clock } from "../format/time";
import { Changes } from "../parts/Changes";
import { Compared } from "../parts/Compared";
import { ComparedLabels } from "../parts/ComparedLabels";
import { Failed } from "../parts/Failed";
import { keyed } from "../parts/keyed";
import { TimeChart } from "../parts/TimeChart";
import { Waiting } from "../parts/Waiting";
import { ZoomBar } from "../parts/ZoomBar";
import { useWords } from "../texts";
import { SidesTable } from "./SidesTable";
import { guessedSides, type Sides } from "./sides";
import { useTimeline } from "./useTimeline";

/** Runs that are drawn: more lines in a chart are not told apart. */
const DRAWN = 4;

const listed = (text: string | null): string[] => (text ?? "").split(",").filter(Boolean);

/** Runs that were chosen: what differs between two sides of them by more than chance. */
export default function CompareScreen() {
  const { t } = useWords();
  const { query } = usePlace();
  const [a, b] = [listed(query.get("a")), listed(query.get("b"))];
  const ids = [...new Set([...listed(query.get("runs")), ...a, ...b])];
  const asked = useAll<RunDetail>(ids.length < 2 ? [] : ids.map((id) => address(runPath(id))));
  if (ids.length < 2) {
    return (
      <div className="empty">
        <h1>{t.compare.title}</h1>
        <p>{t.compare.choose}</p>
        <a href={link(["runs"])}>{t.runs.title}</a>
      </div>
    );
  }
  const runs = asked.value;
  if (asked.error && !runs) return <Failed error={asked.error} again={asked.again} />;
  if (!runs) return <Waiting />;
  const sides = query.has("a") || query.has("b") ? { a, b } : guessedSides(runs);
  const set = (to: Sides): void =>
    setQuery({ runs: ids.join(","), a: to.a.join(","), b: to.b.join(","), paired: undefined });
  return (
    <>
      <h1>{t.compare.title}</h1>
      <SidesTable runs={runs} sides={sides} set={set} />
      {sides.a.length > 0 && sides.b.length > 0 ? (
        <Judged sides={sides} paired={query.has("paired") && sides.a.length === sides.b.length} />
      ) : (
        <p className="notice" role="status">
          {t.compare.needsBoth}
        </p>
      )}
      <Courses runs={runs.slice(0, DRAWN)} of={runs.length} />
    </>
  );
}

/** What the server says of both sides, as the command line does. */
function Judged({ sides, paired }: { sides: Sides; paired: boolean }) {
  const { t, language } = useWords();
  const query = { a: sides.a.join(","), b: sides.b.join(","), ...(paired ? { paired: "true" } : {}) };
  const asked = useJson<ComparedSides>(address("/compare", query));
  const of = asked.value;
  if (asked.error) return <Failed error={asked.error} again={asked.again} />;
  if (!of) return <Waiting />;
  return (
    <>
      {of.doubts.length > 0 ? (
        <div className="notice warn" role="status">
          <strong>{t.compare.doubts}</strong>
          <ul>
            {keyed(of.doubts, (doubt) => doubt.en).map(({ key, item }) => (
              <li key={key}>{item[language]}</li>
            ))}
          </ul>
        </div>
      ) : null}
      <Compared of={of}>
        {of.changed.length > 0 ? (
          <>
            <h3>{t.compare.changed}</h3>
            <Changes of={of.changed} />
          </>
        ) : null}
      </Compared>
      <ComparedLabels of={of} />
    </>
  );
}

const COURSES: [string, "throughput" | "percentiles", string][] = [
  ["throughput", "throughput", "/s"],
  ["p95_ms", "percentiles", "ms"],
];

/** Values of one run at the times of all. */
function at(times: number[], table: SeriesTable, id: string): (number | null)[] {
  const values = table.series.find((column) => column.id === id)?.values ?? [];
  const known = new Map(table.times_s.map((time, i) => [time, values[i] ?? null]));
  return times.map((time) => known.get(time) ?? null);
}

function Courses({ runs, of }: { runs: RunDetail[]; of: number }) {
  const asked = useAll<SeriesTable>(runs.map(({ id }) => address(runPath(id, "/series"), { points: 600 })));
  if (asked.error && !asked.value) return <Failed error={asked.error} again={asked.again} />;
  return asked.value ? <CourseCharts runs={runs} tables={asked.value} of={of} /> : null;
}

function CourseCharts({ runs, tables, of }: { runs: RunDetail[]; tables: SeriesTable[]; of: number }) {
  const { t } = useWords();
  const times = useMemo(() => [...new Set(tables.flatMap((table) => table.times_s))].sort((a, b) => a - b), [tables]);
  const timeline = useTimeline(times[times.length - 1] ?? 1, 0);
  const charts = useMemo(
    () =>
      COURSES.map(([id, title, unit]) => ({
        title: id === "p95_ms" ? `${t.chart[title]} · p95` : t.chart[title],
        lines: tables.map((table, i) => ({
          name: `${i + 1} · ${runs[i]?.name ?? ""} · ${clock(runs[i]?.started_at)}`,
          unit,
          colour: i,
          values: at(times, table, id),
        })),
      })),
    [tables, times, runs, t],
  );
  return (
    <section className="card">
      <h2>{t.compare.overTime}</h2>
      {of > runs.length ? <p className="muted">{t.compare.drawn(String(runs.length), String(of))}</p> : null}
      <ZoomBar timeline={timeline} />
      <div className="charts">
        {charts.map((chart) => (
          <TimeChart
            key={chart.title}
            title={chart.title}
            times={times}
            lines={chart.lines}
            timeline={timeline}
            height={260}
          />
        ))}
      </div>
    </section>
  );
}
