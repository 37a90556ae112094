import { Collapse } from "antd";
import { memo } from "react";
import type { ErrorGroup } from "../api/types";
import { count } from "../format/number";
import { moment } from "../format/time";
import { useWords } from "../texts";
import { errorKindId } from "./columns";
import { Pre } from "./Pre";

const SHOWN = 50;

/** What failed: each kind with its meaning and where to look, and samples of requests and responses. */
export const ErrorGroups = memo(function ErrorGroups({ groups, longest }: { groups: ErrorGroup[]; longest: number }) {
  const { t, say } = useWords();
  if (groups.length === 0) return <p className="muted">{say("report-errors-none")}</p>;
  const rows = groups
    .filter((group) => group.label_kind === "request")
    .concat(groups.filter((g) => g.label_kind !== "request"));
  return (
    <>
      <Collapse
        items={rows.slice(0, SHOWN).map((group, i) => ({
          key: String(i),
          label: (
            <span className="error-head">
              <b>{count(group.count)} ×</b>
              <bdi className="name">{group.label}</bdi>
              <span className="cut">
                {[say(errorKindId(group.kind)), group.code, group.message].filter(Boolean).join(" · ")}
                {group.label_kind === "request" ? "" : ` (${t.result.kinds[group.label_kind]})`}
              </span>
              <span className="muted">
                {t.result.firstLast(moment(group.first_s, longest), moment(group.last_s, longest))}
              </span>
            </span>
          ),
          children: <ErrorBody group={group} longest={longest} />,
        }))}
      />
      {rows.length > SHOWN ? (
        <p className="muted">
          {say("report-errors-more", {
            groups: rows.length - SHOWN,
            errors: rows.slice(SHOWN).reduce((sum, group) => sum + group.count, 0),
          })}
        </p>
      ) : null}
    </>
  );
});

function ErrorBody({ group, longest }: { group: ErrorGroup; longest: number }) {
  const { t, say } = useWords();
  return (
    <div className="error-body">
      <p>{say(`${errorKindId(group.kind)}-meaning`)}</p>
      <p>
        <strong>{t.result.look}: </strong>
        {say(`${errorKindId(group.kind)}-look`)}
      </p>
      {group.samples.map((sample) => (
        <details key={`${sample.at_s} ${sample.detail} ${sample.request.length}`}>
          <summary>
            {t.result.sampleAt(moment(sample.at_s, longest))} · {sample.detail}
          </summary>
          <div className="exchange">
            <div>
              <h4>{t.result.request}</h4>
              <Pre className="" text={sample.request || say("report-errors-not-sent")} />
            </div>
            <div>
              <h4>{t.result.response}</h4>
              <Pre className="" text={sample.response || t.result.nothingBack} />
            </div>
          </div>
        </details>
      ))}
    </div>
  );
}
