import { App, Button } from "antd";
import { useEffect, useState } from "react";
import { address, get, send } from "../../api/client";
import { useOffers } from "../../api/offers";
import { findingStudyAddress } from "../../api/studies";
import { go, link, usePlace } from "../../app/router";
import { apart } from "../../format/text";
import { Failed } from "../../parts/Failed";
import { Refused } from "../../parts/Refused";
import { useAsking } from "../../parts/useAsking";
import { YamlField } from "../../parts/YamlField";
import { useWords } from "../../texts";
import { useTuneRefusal } from "./useTuneRefusal";

/** A study that a server proposes: its text, and the files that it names. */
interface ProposedStudy {
  study: string;
  files?: { name: string; base64: string }[] | null;
}

interface Proposal {
  /** The run whose finding it is made of; null: of none. */
  run: string | null;
  proposed: ProposedStudy | null;
  error: Error | null;
}

/** The study that the server makes of a finding; the place of the finding is in the link. */
function useFindingStudy(set: (yaml: string) => void): Proposal {
  const { query } = usePlace();
  const offers = useOffers();
  const run = query.get("run");
  const rank = Number(query.get("finding"));
  const url = run !== null && rank > 0 ? findingStudyAddress(offers, run, rank) : null;
  const [proposed, setProposed] = useState<ProposedStudy | null>(null);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => {
    if (url === null) return;
    let current = true;
    get<ProposedStudy>(url).then(
      (found) => {
        if (!current) return;
        set(found.study);
        setProposed(found);
      },
      (reason: unknown) => {
        if (current) setError(reason instanceof Error ? reason : new Error(String(reason)));
      },
    );
    return () => {
      current = false;
    };
  }, [url, set]);
  return { run, proposed, error };
}

/** A study as text, begun. */
export function StudyStart() {
  const { t } = useWords();
  const [yaml, setYaml] = useState("");
  const finding = useFindingStudy(setYaml);
  const refusal = useTuneRefusal();
  const { sending, refused, ask } = useAsking();
  const { message } = App.useApp();
  const submit = async (): Promise<void> => {
    if (yaml.trim() === "") return;
    const files = finding.proposed?.files;
    const order = { study: yaml, ...(files ? { files } : {}) };
    const begun = await ask(() => send<{ study: string; warnings: string[] }>("POST", address("/studies"), order));
    if (!begun) return;
    for (const warning of begun.warnings) void message.warning(warning, 10);
    go(link(["tune", begun.study]));
  };
  const isForbidden = refused?.kind === "/problems/not-allowed";
  return (
    <div className="start">
      <h1>{t.tune.start}</h1>
      <form
        className="card"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {finding.run !== null && finding.error === null ? (
          <div className="notice" role="status">
            {t.tune.fromFinding} <a href={link(["runs", finding.run, "findings"])}>{t.findings.title}</a>
            {finding.proposed?.files?.length ? (
              <p className="muted">
                {t.tune.withFiles(finding.proposed.files.map(({ name }) => apart(name)).join(", "))}
              </p>
            ) : null}
          </div>
        ) : null}
        {finding.error ? <Failed error={finding.error} title={t.tune.noStudy} /> : null}
        {refusal ? (
          <div className="notice warn" role="status">
            {refusal}
          </div>
        ) : null}
        <YamlField
          label={t.tune.yaml}
          help={`${t.tune.yamlHelp} ${t.tune.check}`}
          open={t.tune.open}
          value={yaml}
          set={setYaml}
        />
        {refused ? <Refused problem={refused} title={t.tune.wrongStudy} /> : null}
        {isForbidden ? <p className="muted">{t.tune.notAllowedHint}</p> : null}
        <Button
          type="primary"
          size="large"
          htmlType="submit"
          loading={sending}
          disabled={refusal !== null || yaml.trim() === ""}
        >
          {t.tune.go}
        </Button>
      </form>
    </div>
  );
}
