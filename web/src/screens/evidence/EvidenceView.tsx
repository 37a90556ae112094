import { Button } from "antd";
import { address, runPath } from "../../api/client";
import type { Capture } from "../../api/evidence";
import type { RunDetail } from "../../api/types";
import { usePages } from "../../api/usePages";
import { setQuery, usePlace } from "../../app/router";
import { figure } from "../../format/number";
import { moment } from "../../format/time";
import { Failed } from "../../parts/Failed";
import { Scroll } from "../../parts/Scroll";
import { useWords } from "../../texts";
import { CapturePanel } from "./CapturePanel";
import { FactsView, thingName } from "./FactsView";

/** All that was captured of the target, and its facts and settings. */
export default function EvidenceView({ run }: { run: RunDetail }) {
  const { t } = useWords();
  const { query } = usePlace();
  const asked = usePages<Capture>(address(runPath(run.id, "/evidence/captures"), { limit: 200 }));
  const number = Number(query.get("capture") ?? Number.NaN);
  const chosen = asked.items.find((capture) => capture.number === number);
  return (
    <>
      <section className="card">
        <h2>{t.evidence.title}</h2>
        {asked.error && !asked.value ? <Failed error={asked.error} again={asked.again} /> : null}
        {asked.value && asked.items.length === 0 ? <p className="muted">{t.evidence.none}</p> : null}
        {asked.items.length > 0 ? <Captures of={asked.items} chosen={chosen} longest={run.seconds} /> : null}
        {asked.more ? <Button onClick={asked.more}>{t.common.more}</Button> : null}
      </section>
      {chosen ? (
        <section className="card">
          <CapturePanel key={chosen.number} run={run.id} capture={chosen} longest={run.seconds} />
        </section>
      ) : null}
      <section className="card">
        <h2>{t.facts.title}</h2>
        <FactsView run={run.id} longest={run.seconds} />
      </section>
    </>
  );
}

function Captures({ of, chosen, longest }: { of: Capture[]; chosen: Capture | undefined; longest: number }) {
  const { t } = useWords();
  return (
    <Scroll className="captures">
      <table className="plain-table">
        <thead>
          <tr>
            <th>{t.evidence.capture}</th>
            <th>{t.evidence.thing}</th>
            <th className="r">{t.evidence.at}</th>
            <th>{t.evidence.why}</th>
            <th className="r">{t.evidence.took}</th>
          </tr>
        </thead>
        <tbody>
          {of.map((capture) => (
            <tr key={capture.number} className={capture === chosen ? "chosen" : ""}>
              <td>
                <button
                  type="button"
                  className="plain-link"
                  aria-pressed={capture === chosen}
                  onClick={() => setQuery({ capture: String(capture.number) })}
                >
                  {t.evidence.captures[capture.kind] ?? capture.kind}
                </button>
              </td>
              <td>
                <bdi>{thingName(capture.entity)}</bdi>
              </td>
              <td className="r">{moment(capture.at_s, longest)}</td>
              <td>{t.evidence.moments[capture.moment] ?? capture.moment}</td>
              <td className="r">{figure(capture.took_ms)} ms</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
