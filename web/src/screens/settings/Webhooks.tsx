import { Button, Checkbox, Input, Select, Switch } from "antd";
import { useState } from "react";
import { address, send } from "../../api/client";
import { type Delivery, type Webhook, type WebhookEvent, type WebhookKind, webhookAddress } from "../../api/schedules";
import { useJson } from "../../api/use";
import { clock } from "../../format/time";
import { Failed } from "../../parts/Failed";
import { Field } from "../../parts/Field";
import { Scroll } from "../../parts/Scroll";
import { useWords } from "../../texts";
import { useDo } from "./useDo";

const KINDS: WebhookKind[] = ["generic", "dingtalk", "feishu", "wecom"];
const EVENTS: WebhookEvent[] = ["begin", "end", "verdict", "finding"];

/** Who is told of runs, and whether it arrived. */
export function Webhooks() {
  const { t } = useWords();
  const attempt = useDo();
  const asked = useJson<{ items: Webhook[] }>(address("/webhooks"));
  const [looked, setLooked] = useState<string | null>(null);
  const change = async (what: () => Promise<unknown>): Promise<boolean> => {
    const isDone = await attempt(what);
    if (isDone) asked.again();
    return isDone;
  };
  return (
    <section className="card">
      <h2>{t.webhooks.title}</h2>
      <p className="muted">{t.webhooks.hint}</p>
      {asked.error && !asked.value ? <Failed error={asked.error} again={asked.again} /> : null}
      <Scroll>
        <table className="plain-table">
          <tbody>
            {(asked.value?.items ?? []).map((one) => (
              <tr key={one.webhook}>
                <td>
                  <bdi>{one.name}</bdi> <span className="muted">{t.webhooks.kinds[one.kind]}</span>
                </td>
                <td>
                  <code>{one.url}</code>
                </td>
                <td>{one.events.map((event) => t.webhooks.events[event] ?? event).join(", ")}</td>
                <td>
                  <Switch
                    aria-label={`${t.schedules.enabled}: ${one.name}`}
                    checked={one.enabled}
                    onChange={(enabled) => void change(() => send("PATCH", webhookAddress(one.webhook), { enabled }))}
                  />
                </td>
                <td className="r">
                  <span className="inline">
                    <Button size="small" onClick={() => setLooked(looked === one.webhook ? null : one.webhook)}>
                      {t.webhooks.deliveries}
                    </Button>
                    <Button
                      size="small"
                      onClick={() =>
                        void change(() => send("POST", webhookAddress(one.webhook, "/test"), {})).then(() =>
                          setLooked(one.webhook),
                        )
                      }
                    >
                      {t.webhooks.test}
                    </Button>
                    <Button
                      danger
                      size="small"
                      onClick={() => void change(() => send("DELETE", webhookAddress(one.webhook)))}
                    >
                      {t.settings.remove}
                    </Button>
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {looked === null ? null : <Deliveries key={looked} of={looked} />}
      <NewWebhook add={(order) => change(() => send("POST", address("/webhooks"), order))} />
    </section>
  );
}

function Deliveries({ of }: { of: string }) {
  const { t } = useWords();
  const asked = useJson<{ items: Delivery[] }>(webhookAddress(of, "/deliveries"));
  const items = asked.value?.items ?? [];
  return (
    <div className="deliveries">
      <div className="section-head">
        <h3>{t.webhooks.deliveries}</h3>
        <Button size="small" onClick={asked.again}>
          {t.webhooks.again}
        </Button>
      </div>
      {asked.error && !asked.value ? <Failed error={asked.error} again={asked.again} /> : null}
      {asked.value && items.length === 0 ? <p className="muted">{t.webhooks.none}</p> : null}
      <ol className="events">
        {items.map((one) => (
          <li key={one.delivery}>
            {clock(one.at)} {t.webhooks.events[one.event] ?? one.event} <bdi>{one.run}</bdi>{" "}
            <b>{t.webhooks.states[one.state] ?? one.state}</b> {one.status ?? ""}{" "}
            <span className="bad-text">{one.reason ?? ""}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}

interface WebhookForm {
  name: string;
  url: string;
  kind: WebhookKind;
  events: WebhookEvent[];
  secret: string;
}

function NewWebhook({ add }: { add: (order: Record<string, unknown>) => Promise<boolean> }) {
  const { t, language } = useWords();
  const empty: WebhookForm = { name: "", url: "", kind: "generic", events: ["verdict"], secret: "" };
  const [form, setForm] = useState(empty);
  const submit = async (): Promise<void> => {
    const { secret, ...rest } = form;
    const isAdded = await add({ ...rest, language, ...(secret ? { secret_env: secret } : {}) });
    // What was refused stays, to be put right.
    if (isAdded) setForm(empty);
  };
  return (
    <form
      className="settings-form"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Field label={t.webhooks.name}>
        <Input value={form.name} onChange={(event) => setForm({ ...form, name: event.target.value })} />
      </Field>
      <Field label={t.webhooks.kind}>
        <Select<WebhookKind>
          aria-label={t.webhooks.kind}
          value={form.kind}
          onChange={(kind) => setForm({ ...form, kind })}
          options={KINDS.map((value) => ({ value, label: t.webhooks.kinds[value] }))}
        />
      </Field>
      <Field label={t.webhooks.url} help={t.webhooks.urlHelp}>
        <Input value={form.url} onChange={(event) => setForm({ ...form, url: event.target.value.trim() })} />
      </Field>
      <Field label={t.webhooks.secret} help={t.webhooks.secretHelp}>
        <Input value={form.secret} onChange={(event) => setForm({ ...form, secret: event.target.value.trim() })} />
      </Field>
      <div className="field">
        <span>{t.webhooks.what}</span>
        <Checkbox.Group<WebhookEvent>
          value={form.events}
          onChange={(events) => setForm({ ...form, events })}
          options={EVENTS.map((value) => ({ value, label: t.webhooks.events[value] ?? value }))}
        />
      </div>
      <Button type="primary" htmlType="submit" disabled={form.url === "" || form.events.length === 0}>
        {t.settings.add}
      </Button>
    </form>
  );
}
