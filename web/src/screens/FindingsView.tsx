import { Collapse } from "antd";
import { useEffect } from "react";
import { address, runPath } from "../api/client";
import type { Account, Diagnosis, Finding } from "../api/diagnosis";
import type { FindingEvidence } from "../api/evidence";
import { useOffers } from "../api/offers";
import { useMay } from "../api/session";
import { findingStudyAddress } from "../api/studies";
import type { RunDetail } from "../api/types";
import { useJson } from "../api/use";
import { link } from "../app/router";
import { figure } from "../format/number";
import { moment } from "../format/time";
import { Failed } from "../parts/Failed";
import { Pre } from "../parts/Pre";
import { Scroll } from "../parts/Scroll";
import { useWords } from "../texts";
import { FindingEvidenceView } from "./evidence/FindingEvidence";

/** While a run goes on, its findings are asked for anew so often, ms. */
const FOLLOW_MS = 5000;

/** What limited the target, what shows it, what to change and how to confirm it. */
export default function FindingsView({ run }: { run: RunDetail }) {
  const { t } = useWords();
  const asked = useJson<Diagnosis | null>(address(runPath(run.id, "/findings")));
  const offers = useOffers();
  const shown = useJson<{ items: FindingEvidence[] }>(
    offers.has("GET /runs/{id}/evidence/findings") ? address(runPath(run.id, "/evidence/findings")) : null,
  );
  const evidence = shown.value?.items ?? [];
  const { again } = asked;
  useEffect(() => {
    if (run.state !== "running") return;
    const timer = setInterval(again, FOLLOW_MS);
    return () => clearInterval(timer);
  }, [run.state, again]);
  if (asked.error && !asked.value) return <Failed error={asked.error} again={asked.again} />;
  const diagnosis = asked.value;
  if (diagnosis === undefined) return null;
  if (diagnosis === null) return <p className="muted">{t.result.limitsNone}</p>;
  const longest = run.seconds;
  const [from, to] = diagnosis.window_s;
  return (
    <>
      <section className="card">
        <h2>{diagnosis.summary}</h2>
        <p className="muted">{t.findings.window(moment(from, longest), moment(to, longest))}</p>
      </section>
      {diagnosis.account ? <AccountBar account={diagnosis.account} /> : null}
      {diagnosis.findings.map((finding) => (
        <FindingCard
          key={`${finding.id} ${finding.rank}`}
          run={run}
          finding={finding}
          evidence={evidence.find((one) => one.id === finding.id && one.rank === finding.rank)}
        />
      ))}
      <Texts title={t.findings.demands} texts={diagnosis.demands.map((demand) => demand.text)} />
      <Texts title={t.findings.missing} texts={diagnosis.missing} />
    </>
  );
}

function Texts({ title, texts }: { title: string; texts: string[] }) {
  if (texts.length === 0) return null;
  return (
    <section className="card">
      <h2>{title}</h2>
      <ul>
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </section>
  );
}

const KIND_COLOURS: Record<string, string> = {
  generator: "var(--c6)",
  network: "var(--c5)",
  accept_queue: "var(--c4)",
  running: "var(--c3)",
  cpu_wait: "var(--c2)",
  disk: "var(--c5)",
  garbage_collection: "var(--c4)",
  waiting_inside: "var(--c1)",
  waiting_for: "var(--accent)",
};

function AccountBar({ account }: { account: Account }) {
  const { t } = useWords();
  const parts = account.parts.filter((part) => part.ms > 0);
  const sum = Math.max(
    parts.reduce((all, part) => all + part.ms, 0),
    1e-9,
  );
  const rows = parts.map((part, i) => ({ ...part, key: `${i} ${part.text}`, share: part.ms / sum }));
  const colour = (kind: string): string | undefined => KIND_COLOURS[kind];
  return (
    <section className="card account">
      <h2>{t.findings.account}</h2>
      <p className="muted">
        {t.findings.accountOf(figure(account.response_ms))} ·{" "}
        {t.findings.measured(figure(account.measured_share * 100))}
      </p>
      <div className="account-bar" aria-hidden="true">
        {rows.map((part) => (
          <i
            key={part.key}
            className={part.kind}
            style={{ width: `${part.share * 100}%`, background: colour(part.kind) }}
            title={part.text}
          />
        ))}
      </div>
      <table className="bars">
        <tbody>
          {rows.map((part) => (
            <tr key={part.key}>
              <td className="mark">
                <i className={`swatch ${part.kind}`} style={{ background: colour(part.kind) }} />
              </td>
              <th scope="row">
                <bdi>{part.text}</bdi>
              </th>
              <td className="r">{figure(part.ms)} ms</td>
              <td className="r muted">{figure(part.share * 100)} %</td>
            </tr>
          ))}
        </tbody>
      </table>
      {account.plateaus.map((plateau) => (
        <p key={plateau.text}>{plateau.text}</p>
      ))}
    </section>
  );
}

/** Whether there is anything to look at beside the words. */
function isShown(evidence: FindingEvidence | undefined): evidence is FindingEvidence {
  return evidence !== undefined && evidence.series.length + evidence.captures.length + evidence.facts.length > 0;
}

interface CardProps {
  run: RunDetail;
  finding: Finding;
  evidence: FindingEvidence | undefined;
}

function FindingCard({ run, finding, evidence }: CardProps) {
  const { t } = useWords();
  const offers = useOffers();
  const mayStudy = useMay("administer");
  const advised = finding.advice.filter((advice) => advice.setting !== null);
  return (
    <article className={`card finding ${finding.layer}`}>
      <header>
        <span className="badge plain">{t.findings.layer[finding.layer]}</span>
        {finding.healthy ? <span className="badge good">{t.findings.healthy}</span> : null}
        <h2>{finding.title}</h2>
        <span className="muted">
          {t.result.explains(figure(finding.explains.share * 100))} {t.findings.explains[finding.explains.of]} ·{" "}
          {t.findings.confidence} {figure(finding.confidence * 100)} %
        </span>
      </header>
      <p className="lead">{finding.means}</p>
      <h3>{t.findings.evidence}</h3>
      <ul>
        {finding.evidence.map((evidence) => (
          <li key={evidence.text}>
            {evidence.text} {evidence.series ? <code>{evidence.series}</code> : null}
            {evidence.capture === undefined ? null : (
              <span className="muted"> {t.findings.capture(evidence.capture)}</span>
            )}
            {evidence.lines ? <Pre text={evidence.lines.join("\n")} /> : null}
          </li>
        ))}
      </ul>
      {isShown(evidence) ? (
        <Collapse
          defaultActiveKey={finding.rank === 1 ? "evidence" : []}
          items={[
            {
              key: "evidence",
              label: t.evidence.open,
              children: <FindingEvidenceView run={run} evidence={evidence} />,
            },
          ]}
        />
      ) : null}
      {finding.advice.length > 0 ? <h3>{t.findings.advice}</h3> : null}
      {advised.length > 0 ? <AdviceTable finding={finding} /> : null}
      <ul>
        {finding.advice
          .filter((advice) => advice.setting === null)
          .map((advice) => (
            <li key={advice.why}>{advice.why}</li>
          ))}
      </ul>
      <h3>{t.findings.experiment}</h3>
      <p>{finding.experiment}</p>
      {mayStudy &&
      findingStudyAddress(offers, run.id, finding.rank) &&
      finding.advice.some((advice) => advice.knob !== null) ? (
        <p>
          <a href={link(["tune"], { new: "1", run: run.id, finding: String(finding.rank) })}>{t.tune.studyOf}</a>
        </p>
      ) : null}
      {finding.source ? (
        <p className="muted">
          {t.findings.source}: {finding.source}
        </p>
      ) : null}
    </article>
  );
}

function AdviceTable({ finding }: { finding: Finding }) {
  const { t } = useWords();
  return (
    <Scroll>
      <table className="plain-table">
        <thead>
          <tr>
            <th>{t.findings.setting}</th>
            <th>{t.findings.current}</th>
            <th>{t.findings.proposed}</th>
            <th>{t.findings.advice}</th>
          </tr>
        </thead>
        <tbody>
          {finding.advice
            .filter((advice) => advice.setting !== null)
            .map((advice) => (
              <tr key={`${advice.setting} ${advice.proposed}`}>
                <td>
                  <code>{advice.setting}</code>
                </td>
                <td>
                  <bdi>{advice.current ?? "–"}</bdi>
                </td>
                <td>
                  <b>
                    <bdi>{advice.proposed ?? "–"}</bdi>
                  </b>
                </td>
                <td>{advice.why}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </Scroll>
  );
}
