import { Button, Checkbox, Input } from "antd";
import { useState } from "react";
import { address, runPath } from "../../api/client";
import type { Fact, Thing } from "../../api/evidence";
import { usePages } from "../../api/usePages";
import { moment } from "../../format/time";
import { Failed } from "../../parts/Failed";
import { Scroll } from "../../parts/Scroll";
import { useWords } from "../../texts";

export function thingName({ kind, name, host }: Thing): string {
  return [kind, name || host, name && host && name !== host ? `@ ${host}` : ""].filter(Boolean).join(" ");
}

/** Facts and settings of the target; what changed is marked. */
export function FactsView({ run, longest }: { run: string; longest: number }) {
  const { t } = useWords();
  const [search, setSearch] = useState("");
  const [changed, setChanged] = useState(false);
  const query = { search, changed: changed ? "true" : undefined, limit: 100 };
  const asked = usePages<Fact>(address(runPath(run, "/evidence/facts"), query));
  if (asked.error && !asked.value) return <Failed error={asked.error} again={asked.again} />;
  return (
    <>
      <div className="inline">
        <Input.Search
          allowClear
          className="flame-search"
          aria-label={t.facts.search}
          placeholder={t.facts.search}
          onSearch={setSearch}
        />
        <Checkbox checked={changed} onChange={(event) => setChanged(event.target.checked)}>
          {t.facts.changed}
        </Checkbox>
      </div>
      {asked.value && asked.items.length === 0 ? <p className="muted">{t.facts.none}</p> : null}
      <Scroll>
        <table className="plain-table facts-table">
          <tbody>
            {asked.items.map((fact) => (
              <tr key={`${thingName(fact.entity)} ${fact.name}`}>
                <td className="muted">
                  <bdi>{thingName(fact.entity)}</bdi>
                </td>
                <th scope="row">
                  <code>{fact.name}</code>
                </th>
                <td>
                  {fact.values.map(({ at_s, value }, at) => (
                    <div key={`${at_s} ${value}`}>
                      {fact.values.length > 1 && at > 0 ? (
                        <span className="muted">{t.facts.since(moment(at_s, longest))} </span>
                      ) : null}
                      <bdi>{value}</bdi>
                    </div>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {asked.more ? <Button onClick={asked.more}>{t.common.more}</Button> : null}
    </>
  );
}
