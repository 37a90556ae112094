import type { RunDetail } from "../api/types";
import { link } from "../app/router";
import { figure, percent } from "../format/number";
import { clock } from "../format/time";
import { Scroll } from "../parts/Scroll";
import { VerdictBadge } from "../parts/VerdictBadge";
import { useWords } from "../texts";
import type { Sides } from "./sides";

type Side = "a" | "b" | "out";

const sideOf = ({ a, b }: Sides, id: string): Side => (a.includes(id) ? "a" : b.includes(id) ? "b" : "out");

function moved(sides: Sides, id: string, to: Side): Sides {
  const others = (of: string[]): string[] => of.filter((one) => one !== id);
  const put = (side: "a" | "b"): string[] => [...others(sides[side]), ...(to === side ? [id] : [])];
  return { a: put("a"), b: put("b") };
}

interface Props {
  runs: RunDetail[];
  sides: Sides;
  set: (sides: Sides) => void;
}

/** The runs with their figures, and the side that each is on. One run's figures say nothing of what differs. */
export function SidesTable({ runs, sides, set }: Props) {
  const { t, say } = useWords();
  const heads = [t.runs.throughput, t.compare.mean, t.runs.p95, "p99, ms", t.runs.errors];
  const figures = ({ total }: RunDetail): string[] => {
    const { mean, p95, p99 } = total.response_time_ms;
    return [...[total.throughput_per_s, mean, p95, p99].map(figure), percent(total.error_rate)];
  };
  return (
    <section className="card">
      <h2>{t.compare.sides}</h2>
      <p className="muted">{t.compare.sidesHint}</p>
      <Scroll>
        <table className="plain-table compare">
          <thead>
            <tr>
              <th>{t.compare.side}</th>
              <th>{t.runs.name}</th>
              {heads.map((head) => (
                <th key={head} className="r">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {runs.map((run) => (
              <tr key={run.id}>
                <td>
                  <select
                    className="choice"
                    aria-label={t.compare.sideOf(`${run.name} ${clock(run.started_at)}`)}
                    value={sideOf(sides, run.id)}
                    onChange={(event) => set(moved(sides, run.id, event.target.value as Side))}
                  >
                    <option value="a">{say("report-compare-a")}</option>
                    <option value="b">{say("report-compare-b")}</option>
                    <option value="out">{t.compare.out}</option>
                  </select>
                </td>
                <td>
                  <a href={link(["runs", run.id])}>
                    <bdi>{run.name}</bdi>
                  </a>{" "}
                  <span className="muted nowrap">{clock(run.started_at)}</span>{" "}
                  <VerdictBadge verdict={run.verdict} state={run.state} />
                </td>
                {figures(run).map((text, i) => (
                  <td key={heads[i]} className="r">
                    {text}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}
