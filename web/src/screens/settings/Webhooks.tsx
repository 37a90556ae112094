import { Button, Checkbox, Input, Select, Switch } from "antd";
import { useState } from "react";
import { address, send } from "../../api/client";
import { type Delivery, type Webhook, type WebhookEvent, type WebhookKind, webhookAddress } from "../../api/schedules";
import { useJson } from "../../api/use";
import { clock } from "../../format/time";
import { Failed } from "../../parts/Failed";
import { Field } from "../../parts/Field";
import { Refused } from "../../parts/Refused";
import { RemoveButton } from "../../parts/RemoveButton";
import { Scroll } from "../../parts/Scroll";
import { useAsking } from "../../parts/useAsking";
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
  const change = async (what: () => Promise<unknown>): Promise<void> => {
    if (await attempt(what)) asked.again();
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
              <WebhookRow
                key={one.webhook}
                of={one}
                change={change}
                isLooked={looked === one.webhook}
                look={(isLooked) => setLooked(isLooked ? one.webhook : null)}
              />
            ))}
          </tbody>
        </table>
      </Scroll>
      {looked === null ? null : <Deliveries key={looked} of={looked} />}
      <NewWebhook again={asked.again} />
    </section>
  );
}

interface RowProps {
  of: Webhook;
  change: (what: () => Promise<unknown>) => Promise<void>;
  isLooked: boolean;
  look: (isLooked: boolean) => void;
}

/** Somebody who is told; what came of a test stands below. */
function WebhookRow({ of, change, isLooked, look }: RowProps) {
  const { t } = useWords();
  const attempt = useDo();
  const [sending, setSending] = useState(false);
  const [tested, setTested] = useState<Delivery | null>(null);
  const test = async (): Promise<void> => {
    setSending(true);
    setTested(null);
    // A log that is open would not have it.
    look(false);
    await attempt(async () => setTested(await send<Delivery>("POST", webhookAddress(of.webhook, "/test"), {})));
    setSending(false);
  };
  return (
    <>
      <tr>
        <td>
          <bdi>{of.name}</bdi> <span className="muted">{t.webhooks.kinds[of.kind]}</span>
        </td>
        <td>
          <code>{of.url}</code>
        </td>
        <td>{of.events.map((event) => t.webhooks.events[event] ?? event).join(", ")}</td>
        <td>
          <Switch
            aria-label={`${t.schedules.enabled}: ${of.name}`}
            checked={of.enabled}
            onChange={(enabled) => void change(() => send("PATCH", webhookAddress(of.webhook), { enabled }))}
          />
        </td>
        <td className="r">
          <span className="inline">
            <Button size="small" onClick={() => look(!isLooked)}>
              {t.webhooks.deliveries}
            </Button>
            <Button size="small" loading={sending} onClick={() => void test()}>
              {t.webhooks.test}
            </Button>
            <RemoveButton
              ask={t.webhooks.remove(of.name)}
              effect={t.webhooks.removeEffect}
              remove={() => void change(() => send("DELETE", webhookAddress(of.webhook)))}
            />
          </span>
        </td>
      </tr>
      {tested ? (
        <tr>
          <td colSpan={5}>
            <Tested of={tested} />
          </td>
        </tr>
      ) : null}
    </>
  );
}

/** What came of a test. */
function Tested({ of }: { of: Delivery }) {
  const { t, language } = useWords();
  const isTaken = of.state === "delivered";
  return (
    <div className={`notice ${isTaken ? "good" : "bad"}`} role={isTaken ? "status" : "alert"}>
      <strong>{isTaken ? t.webhooks.took(String(of.status ?? "")) : t.webhooks.notTaken}</strong>
      {of.reason ? <p>{of.reason[language]}</p> : null}
      <Response of={of} />
    </div>
  );
}

/** How the receiver's response begins: its own words. */
function Response({ of }: { of: Delivery }) {
  const { t } = useWords();
  if (!of.response) return null;
  return (
    <p className="muted">
      {t.webhooks.responded} <code>{of.response}</code>
    </p>
  );
}

function Deliveries({ of }: { of: string }) {
  const { t, language } = useWords();
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
            <span className="bad-text">{one.reason?.[language] ?? ""}</span>
            {one.reason ? <Response of={one} /> : null}
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

/** Who is to be told too. What the server refuses stays, to be put right where it is wrong. */
function NewWebhook({ again }: { again: () => void }) {
  const { t, language } = useWords();
  const { sending, refused, ask } = useAsking();
  const empty: WebhookForm = { name: "", url: "", kind: "generic", events: ["verdict"], secret: "" };
  const [form, setForm] = useState(empty);
  const submit = async (): Promise<void> => {
    const { secret, ...rest } = form;
    const order = { ...rest, language, ...(secret ? { secret_env: secret } : {}) };
    const added = await ask(() => send("POST", address("/webhooks"), order));
    if (added === null) return;
    setForm(empty);
    again();
  };
  const wrong = (field: string): string | undefined => (refused?.field === field ? refused.detail : undefined);
  const isAtField = ["name", "url", "secret_env"].includes(refused?.field ?? "");
  return (
    <form
      className="settings-form"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Field label={t.webhooks.name} wrong={wrong("name")}>
        <Input
          value={form.name}
          status={wrong("name") ? "error" : ""}
          onChange={(event) => setForm({ ...form, name: event.target.value })}
        />
      </Field>
      <Field label={t.webhooks.kind}>
        <Select<WebhookKind>
          aria-label={t.webhooks.kind}
          value={form.kind}
          onChange={(kind) => setForm({ ...form, kind })}
          options={KINDS.map((value) => ({ value, label: t.webhooks.kinds[value] }))}
        />
      </Field>
      <Field label={t.webhooks.url} help={t.webhooks.urlHelp} wrong={wrong("url")}>
        <Input
          value={form.url}
          status={wrong("url") ? "error" : ""}
          onChange={(event) => setForm({ ...form, url: event.target.value.trim() })}
        />
      </Field>
      <Field label={t.webhooks.secret} help={t.webhooks.secretHelp} wrong={wrong("secret_env")}>
        <Input
          value={form.secret}
          status={wrong("secret_env") ? "error" : ""}
          onChange={(event) => setForm({ ...form, secret: event.target.value.trim() })}
        />
      </Field>
      <div className="field">
        <span>{t.webhooks.what}</span>
        <Checkbox.Group<WebhookEvent>
          value={form.events}
          onChange={(events) => setForm({ ...form, events })}
          options={EVENTS.map((value) => ({ value, label: t.webhooks.events[value] ?? value }))}
        />
      </div>
      {refused && !isAtField ? <Refused problem={refused} title={refused.title} /> : null}
      <Button type="primary" htmlType="submit" loading={sending} disabled={form.url === "" || form.events.length === 0}>
        {t.settings.add}
      </Button>
    </form>
  );
}
