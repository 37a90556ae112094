import { App, Button, Input, InputNumber, Select } from "antd";
import { useState } from "react";
import { address, send } from "../../api/client";
import { useJson } from "../../api/use";
import { Failed } from "../../parts/Failed";
import { Field } from "../../parts/Field";
import { linesOf } from "../../parts/order";
import { useWords } from "../../texts";
import { useDo } from "./useDo";

interface SettingsNow {
  language: string | null;
  retention: { runs_days: number | null; trash_days: number | null };
  outputs: string[];
  hosts: string[] | null;
  limits: { users: number | null; rate_per_s: number | null; duration_s: number | null; queue: number };
  monitor: string[];
  hosts_now: string[] | null;
}

/** What an administrator sets; others see it. */
export function ServerSettings({ readOnly }: { readOnly: boolean }) {
  const { t } = useWords();
  const asked = useJson<SettingsNow>(address("/settings"));
  if (asked.error && !asked.value) return <Failed error={asked.error} again={asked.again} />;
  return (
    <section className="card">
      <h2>{t.settings.server}</h2>
      {asked.value ? <Form now={asked.value} readOnly={readOnly} /> : null}
    </section>
  );
}

type ListName = "hosts" | "outputs" | "monitor";

function Form({ now, readOnly }: { now: SettingsNow; readOnly: boolean }) {
  const { t } = useWords();
  const { message } = App.useApp();
  const attempt = useDo();
  const [set, setSet] = useState(now);
  // Only what was changed is sent: an address whose secret is not shown stays as it is.
  const [lists, setLists] = useState<Partial<Record<ListName, string>>>({});
  const save = async (): Promise<void> => {
    const changed = Object.fromEntries(Object.entries(lists).map(([name, text]) => [name, linesOf(text)]));
    const { retention, limits } = set;
    const order = { language: set.language ?? "", retention, limits, ...changed };
    if (await attempt(() => send("PATCH", address("/settings"), order))) message.success(t.settings.saved);
  };
  const number = (label: string, value: number | null, change: (value: number | null) => void) => (
    <Field label={label}>
      <InputNumber min={1} value={value} placeholder={t.settings.never} disabled={readOnly} onChange={change} />
    </Field>
  );
  const list = (name: ListName, label: string, hint: string) => {
    const text = lists[name] ?? (set[name] ?? (name === "hosts" ? now.hosts_now : null) ?? []).join("\n");
    return (
      <Field label={label} help={hint}>
        <Input.TextArea
          // A field that measures itself does so by styles that the page's policy refuses.
          rows={Math.min(8, Math.max(2, text.split("\n").length))}
          disabled={readOnly}
          value={text}
          onChange={(event) => setLists({ ...lists, [name]: event.target.value })}
        />
      </Field>
    );
  };
  const { retention, limits } = set;
  return (
    <form
      className="settings-form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {list("hosts", t.settings.hosts, t.settings.hostsHint)}
      {list("outputs", t.settings.outputs, t.settings.outputsHint)}
      {list("monitor", t.settings.monitor, t.settings.monitorHint)}
      <Field label={t.settings.language}>
        <Select
          aria-label={t.settings.language}
          disabled={readOnly}
          value={set.language ?? "en"}
          onChange={(language) => setSet({ ...set, language })}
          options={[
            { value: "en", label: "English" },
            { value: "zh", label: "中文" },
          ]}
        />
      </Field>
      {number(t.settings.mostUsers, limits.users, (users) => setSet({ ...set, limits: { ...limits, users } }))}
      {number(t.settings.mostRate, limits.rate_per_s, (rate_per_s) =>
        setSet({ ...set, limits: { ...limits, rate_per_s } }),
      )}
      {number(t.settings.mostDuration, limits.duration_s, (duration_s) =>
        setSet({ ...set, limits: { ...limits, duration_s } }),
      )}
      {number(t.settings.queue, limits.queue, (queue) => setSet({ ...set, limits: { ...limits, queue: queue ?? 1 } }))}
      {number(t.settings.runsDays, retention.runs_days, (runs_days) =>
        setSet({ ...set, retention: { ...retention, runs_days } }),
      )}
      {number(t.settings.trashDays, retention.trash_days, (trash_days) =>
        setSet({ ...set, retention: { ...retention, trash_days } }),
      )}
      {readOnly ? null : (
        <Button type="primary" htmlType="submit">
          {t.common.save}
        </Button>
      )}
    </form>
  );
}
