import type { Hop, Hops } from "../../api/measurements";
import { count, figure } from "../../format/number";
import { apart } from "../../format/text";
import { withInterval } from "../../parts/CurveView";
import { Scroll } from "../../parts/Scroll";
import { type Texts, useWords } from "../../texts";

const COLOURS = ["var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)", "var(--c5)", "var(--c6)"];

/** What is to be known of a hop beside its figures. */
function remark(hop: Hop, t: Texts): string {
  if (hop.time_ms === null) return t.hops.mostlyFailed(apart(hop.name));
  const most = hop.own_ms?.high ?? hop.own_ms?.value ?? 0;
  return most < 0 ? t.hops.notNested(apart(hop.name)) : "";
}

/** Which hop of a chain takes the time. */
export default function HopsResult({ of }: { of: Hops }) {
  const { t } = useWords();
  const { slowest } = of;
  const outermost = of.hops[0]?.time_ms?.value ?? 0;
  const rows = of.hops.map((hop, i) => ({
    hop,
    key: `${i} ${hop.name}`,
    share: outermost > 0 ? Math.max(0, hop.own_ms?.value ?? 0) / outermost : 0,
    colour: COLOURS[i % COLOURS.length],
    remark: remark(hop, t),
  }));
  const say = slowest?.clear ? t.hops.most : t.hops.unclear;
  return (
    <section className="card">
      <h2>
        {slowest ? say(apart(slowest.name), figure(slowest.own_ms), figure(slowest.share * 100)) : t.hops.nothing}
      </h2>
      <div className="account-bar" aria-hidden="true">
        {rows.map((row) => (
          <i
            key={row.key}
            style={{ width: `${row.share * 100}%`, background: row.colour }}
            title={`${row.hop.name}: ${figure(row.hop.own_ms?.value)} ms`}
          />
        ))}
      </div>
      <Scroll>
        <table className="plain-table">
          <thead>
            <tr>
              <th>{t.hops.hop}</th>
              <th>{t.hops.address}</th>
              <th className="r">{t.hops.requests}</th>
              <th className="r">{t.hops.failed}</th>
              <th className="r">{t.hops.time}</th>
              <th className="r">{t.hops.adds}</th>
              <th className="r">{t.hops.addsShare}</th>
              <th className="r">p50, ms</th>
              <th className="r">p90, ms</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ hop, key, share, colour }) => (
              <tr key={key}>
                <td>
                  <span className="hop-name">
                    <i className="swatch" style={{ background: colour }} /> <bdi>{hop.name}</bdi>
                  </span>
                </td>
                <td>
                  <code>{hop.address}</code>
                </td>
                <td className="r">{count(hop.samples)}</td>
                <td className={`r ${hop.errors > 0 ? "bad-text" : ""}`}>{count(hop.errors)}</td>
                <td className="r">{hop.time_ms ? withInterval(hop.time_ms) : "–"}</td>
                <td className="r">{hop.own_ms ? withInterval(hop.own_ms) : "–"}</td>
                <td className="r">{hop.own_ms ? figure(share * 100) : "–"}</td>
                <td className="r">{figure(hop.p50_ms)}</td>
                <td className="r">{figure(hop.p90_ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {rows
        .filter((row) => row.remark !== "")
        .map((row) => (
          <p key={row.key} className="bad-text">
            {row.remark}
          </p>
        ))}
      <p className="muted">{t.hops.note(String(of.users), String(of.rounds), String(of.round_s))}</p>
    </section>
  );
}
