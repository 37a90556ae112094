import { Button } from "antd";
import { address } from "../../api/client";
import { usePages } from "../../api/usePages";
import { clock } from "../../format/time";
import { keyed } from "../../parts/keyed";
import { Scroll } from "../../parts/Scroll";
import { useWords } from "../../texts";

interface AuditEntry {
  at: string;
  user: string | null;
  token: string | null;
  from: string;
  method: string;
  path: string;
  status: number;
  what: string | null;
}

/** What was done, the newest first. */
export function AuditLog() {
  const { t } = useWords();
  const asked = usePages<AuditEntry>(address("/audit", { limit: 50 }));
  const heads = [t.settings.when, t.settings.who, t.settings.from, t.settings.what, t.settings.status];
  return (
    <section className="card">
      <h2>{t.settings.audit}</h2>
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
            {keyed(asked.items, (entry) => `${entry.at} ${entry.path}`).map(({ key, item }) => (
              <tr key={key}>
                <td>{clock(item.at)}</td>
                <td>
                  <bdi>{item.user ?? "–"}</bdi> {item.token ? <code>{item.token}</code> : null}
                </td>
                <td>{item.from}</td>
                <td>
                  <code>
                    {item.method} {item.path}
                  </code>{" "}
                  {item.what}
                </td>
                <td className={item.status >= 400 ? "bad-text" : ""}>{item.status}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {asked.more ? <Button onClick={asked.more}>{t.common.more}</Button> : null}
    </section>
  );
}
