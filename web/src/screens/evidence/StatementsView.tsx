import type { Statements } from "../../api/evidence";
import { count, figure } from "../../format/number";
import { keyed } from "../../parts/keyed";
import { Pre } from "../../parts/Pre";
import { Scroll } from "../../parts/Scroll";
import { useWords } from "../../texts";

/** Statements of a database that cost most with their plans, those that ran at that moment, slow commands of a cache. */
export function StatementsView({ of }: { of: Statements }) {
  const { t } = useWords();
  const time = (seconds: number | null): string => (seconds === null ? "–" : figure(seconds * 1e3));
  return (
    <>
      {[of.statements_missing, of.running_missing].map((why) =>
        why ? (
          <p key={why} className="muted">
            {why}
          </p>
        ) : null,
      )}
      {of.statements.length > 0 ? <h4>{t.statements.most}</h4> : null}
      {keyed(of.statements, (one) => one.digest).map(({ key, item: one }) => (
        <article key={key} className="statement">
          <Pre text={one.text} />
          <p className="muted">
            {t.statements.cost(count(one.count), time(one.time_s), time(one.max_s), time(one.lock_time_s))}{" "}
            {t.statements.rows(count(one.rows_examined), count(one.rows_sent))}
            {one.no_index_count ? ` ${t.statements.noIndex(count(one.no_index_count))}` : ""}
          </p>
          <PlanRows plan={one.plan} />
        </article>
      ))}
      {of.running.length > 0 ? <h4>{t.statements.running}</h4> : null}
      {keyed(of.running, (one) => one.text).map(({ key, item: one }) => (
        <article key={key} className="statement">
          <Pre text={one.text} />
          <p className="muted">
            {[time(one.seconds), "ms", one.schema, one.state, one.wait_event_type, one.wait_event]
              .filter(Boolean)
              .join(" ")}
            {one.blocked_by.length > 0 ? ` ${t.statements.blockedBy(one.blocked_by.join(", "))}` : ""}
          </p>
          <PlanRows plan={one.plan} />
        </article>
      ))}
      {of.commands.length > 0 ? <Commands of={of.commands} /> : null}
      {of.left_out > 0 ? <p className="muted">{t.evidence.leftOut(count(of.left_out))}</p> : null}
    </>
  );
}

function PlanRows({ plan }: { plan: Record<string, unknown>[] | null }) {
  const { t } = useWords();
  if (!plan || plan.length === 0) return null;
  const heads = [...new Set(plan.flatMap((row) => Object.keys(row)))];
  const text = (value: unknown): string =>
    value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
  return (
    <details>
      <summary>{t.statements.plan}</summary>
      <Scroll>
        <table className="plain-table">
          <thead>
            <tr>
              {heads.map((head) => (
                <th key={head}>{head}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {keyed(plan, (row) => JSON.stringify(row)).map(({ key, item: row }) => (
              <tr key={key}>
                {heads.map((head) => (
                  <td key={head} className="pre">
                    {text(row[head])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </details>
  );
}

function Commands({ of }: { of: Statements["commands"] }) {
  const { t } = useWords();
  return (
    <>
      <h4>{t.statements.commands}</h4>
      <table className="plain-table">
        <thead>
          <tr>
            <th>{t.statements.command}</th>
            <th>{t.statements.key}</th>
            <th className="r">{t.statements.arguments}</th>
            <th className="r">ms</th>
          </tr>
        </thead>
        <tbody>
          {keyed(of, (one) => one.command).map(({ key, item: one }) => (
            <tr key={key}>
              <td>
                <code>{one.command}</code>
              </td>
              <td>
                <bdi>{one.key ?? "–"}</bdi>
              </td>
              <td className="r">{count(one.arguments)}</td>
              <td className="r">{figure(one.time_us === null ? null : one.time_us / 1e3)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
