import { App, Button, Input, Modal, Select, Tag } from "antd";
import { useState } from "react";
import { address, runPath, send } from "../api/client";
import { useOffers } from "../api/offers";
import { useMay } from "../api/session";
import type { RunDetail } from "../api/types";
import { link } from "../app/router";
import { clock, duration } from "../format/time";
import { goesOn } from "../parts/StateBadge";
import { VerdictBadge } from "../parts/VerdictBadge";
import { useWords } from "../texts";

/** What a run is called, when it was and what people say of it. */
export function RunHead({ run, again }: { run: RunDetail; again: () => void }) {
  const { t } = useWords();
  const offers = useOffers();
  const mayRun = useMay("run");
  const [editing, setEditing] = useState(false);
  return (
    <div className="title">
      <div className="run-head">
        <p className="crumb">
          <a href={link(["runs"])}>{t.runs.title}</a>
        </p>
        <h1>
          <bdi>{run.name}</bdi> <VerdictBadge verdict={run.verdict} state={run.state} />
        </h1>
        <p className="muted facts">
          <bdi>{run.target}</bdi>
          <span>{clock(run.started_at)}</span>
          {goesOn(run.state) ? null : <span>{duration(run.duration_s)}</span>}
          {run.tags.map((tag) => (
            <Tag key={tag}>{tag}</Tag>
          ))}
        </p>
        {run.note ? <p className="note">{run.note}</p> : null}
      </div>
      <div className="actions">
        {mayRun ? (
          <Button onClick={() => setEditing(true)}>
            {run.note || run.tags.length > 0 ? t.result.editNote : t.result.addNote}
          </Button>
        ) : null}
        {offers.has("GET /runs/{id}/export") ? (
          <Button href={address(runPath(run.id, "/export"))} download>
            {t.result.export}
          </Button>
        ) : null}
        {mayRun ? <Button href={link(["start"], { from: run.id })}>{t.result.repeat}</Button> : null}
      </div>
      {editing ? <NoteDialog run={run} close={() => setEditing(false)} again={again} /> : null}
    </div>
  );
}

function NoteDialog({ run, close, again }: { run: RunDetail; close: () => void; again: () => void }) {
  const { t } = useWords();
  const { message } = App.useApp();
  const [note, setNote] = useState(run.note);
  const [tags, setTags] = useState(run.tags);
  const save = async (): Promise<void> => {
    try {
      await send("PATCH", address(runPath(run.id)), { note, tags });
      close();
      again();
    } catch (error) {
      message.error(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <Modal
      open
      title={t.result.editNote}
      okText={t.common.save}
      cancelText={t.common.cancel}
      onOk={() => void save()}
      onCancel={close}
    >
      <div className="field">
        <span>{t.result.note}</span>
        <Input.TextArea
          aria-label={t.result.note}
          rows={4}
          value={note}
          placeholder={t.result.noteHint}
          onChange={(event) => setNote(event.target.value)}
        />
      </div>
      <div className="field">
        <span>{t.runs.tags}</span>
        <Select
          mode="tags"
          aria-label={t.runs.tags}
          value={tags}
          placeholder={t.result.tagsHint}
          onChange={setTags}
          open={false}
          suffixIcon={null}
        />
      </div>
    </Modal>
  );
}
