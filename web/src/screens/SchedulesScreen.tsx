import { Button, Input } from "antd";
import { useState } from "react";
import { address, send } from "../api/client";
import type { Schedule } from "../api/schedules";
import { useMay } from "../api/session";
import { useJson } from "../api/use";
import { Failed } from "../parts/Failed";
import { Field } from "../parts/Field";
import { OrderFields } from "../parts/OrderFields";
import { EMPTY_ORDER, EMPTY_WATCH, orderMistakes, orderOf, watchOf } from "../parts/order";
import { Refused } from "../parts/Refused";
import { useAsking } from "../parts/useAsking";
import { useFollowed } from "../parts/useFollowed";
import { WatchFields } from "../parts/WatchFields";
import { useWords } from "../texts";
import { ScheduleTable } from "./ScheduleTable";

const FOLLOW_MS = 10_000;

/** Runs at set times: those that there are, and a new one. */
export default function SchedulesScreen() {
  const { t } = useWords();
  const asked = useJson<{ items: Schedule[] }>(address("/schedules"));
  useFollowed(asked.again, FOLLOW_MS);
  const mayRun = useMay("run");
  const items = asked.value?.items ?? [];
  return (
    <>
      <h1>{t.schedules.title}</h1>
      {asked.error && !asked.value ? <Failed error={asked.error} again={asked.again} /> : null}
      <section className="card">
        {asked.value && items.length === 0 ? <p className="muted">{t.schedules.empty}</p> : null}
        {items.length > 0 ? <ScheduleTable of={items} again={asked.again} mayRun={mayRun} /> : null}
      </section>
      {mayRun ? <NewSchedule again={asked.again} /> : null}
    </>
  );
}

function NewSchedule({ again }: { again: () => void }) {
  const { t } = useWords();
  const empty = { ...EMPTY_ORDER, ...EMPTY_WATCH, name: "", cron: "30 2 * * *", zone: "" };
  const [form, setForm] = useState(empty);
  const [asked, setAsked] = useState(false);
  const { sending, refused, ask } = useAsking();
  const wrong = orderMistakes(form, t);
  const submit = async (): Promise<void> => {
    setAsked(true);
    if (Object.keys(wrong).length > 0) return;
    const { name, cron, zone } = form;
    const order = {
      name: name || form.url,
      cron,
      ...(zone ? { zone } : {}),
      order: { ...orderOf(form), ...watchOf(form, form.by === "plan") },
    };
    const made = await ask(() => send("POST", address("/schedules"), order));
    if (made === null) return;
    setForm(empty);
    setAsked(false);
    again();
  };
  return (
    <section className="start">
      <h2>{t.schedules.add}</h2>
      <form
        className="card"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <div className="row">
          <Field label={t.schedules.cron} help={t.schedules.cronHelp}>
            <Input
              className="code"
              value={form.cron}
              onChange={(event) => setForm({ ...form, cron: event.target.value })}
            />
          </Field>
          <Field label={t.schedules.zone} help={t.schedules.zoneHelp}>
            <Input value={form.zone} onChange={(event) => setForm({ ...form, zone: event.target.value.trim() })} />
          </Field>
        </div>
        <OrderFields
          form={form}
          set={(change) => setForm({ ...form, ...change })}
          wrong={asked ? wrong : {}}
          isFirst={false}
        />
        <Field label={t.start.name} help={t.start.nameHelp}>
          <Input value={form.name} onChange={(event) => setForm({ ...form, name: event.target.value })} />
        </Field>
        <WatchFields form={form} set={(change) => setForm({ ...form, ...change })} byPlan={form.by === "plan"} />
        {refused ? <Refused problem={refused} title={t.start.wrongPlan} /> : null}
        <Button type="primary" htmlType="submit" loading={sending}>
          {t.settings.add}
        </Button>
      </form>
    </section>
  );
}
