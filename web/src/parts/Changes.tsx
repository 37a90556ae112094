import type { Changed } from "../api/measurements";
import { useWords } from "../texts";
import { keyed } from "./keyed";

/** So much of what changed is told at once. */
const CHANGES = 6;

/** What is different between two runs: settings, versions, the plan. */
export function Changes({ of }: { of: Changed[] }) {
  const { t } = useWords();
  if (of.length === 0) return <span className="muted">–</span>;
  const row = ({ name, of: thing, before, after }: Changed) => (
    <>
      <bdi className="muted">{thing}</bdi> <code>{t.trend.names[name] ?? name}</code>: <bdi>{before ?? "–"}</bdi> →{" "}
      <b>
        <bdi>{after ?? "–"}</bdi>
      </b>
    </>
  );
  const all = keyed(of, (one) => `${one.of} ${one.name}`);
  return (
    <>
      <ul className="changes">
        {all.slice(0, CHANGES).map(({ key, item }) => (
          <li key={key}>{row(item)}</li>
        ))}
      </ul>
      {all.length > CHANGES ? (
        <details>
          <summary>{t.evidence.leftOut(String(all.length - CHANGES))}</summary>
          <ul className="changes">
            {all.slice(CHANGES).map(({ key, item }) => (
              <li key={key}>{row(item)}</li>
            ))}
          </ul>
        </details>
      ) : null}
    </>
  );
}
