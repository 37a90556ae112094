import { Button, Input, Select } from "antd";
import { useEffect, useRef, useState } from "react";
import { address, get, runPath, send } from "../api/client";
import { go, link, usePlace } from "../app/router";
import { Field } from "../parts/Field";
import { OrderFields } from "../parts/OrderFields";
import {
  EMPTY_ORDER,
  EMPTY_WATCH,
  type OrderForm,
  orderMistakes,
  orderOf,
  type WatchForm,
  watchOf,
} from "../parts/order";
import { Refused } from "../parts/Refused";
import { useAsking } from "../parts/useAsking";
import { WatchFields } from "../parts/WatchFields";
import { useWords } from "../texts";

interface Form extends OrderForm, WatchForm {
  name: string;
  tags: string[];
}

const EMPTY: Form = { ...EMPTY_ORDER, ...EMPTY_WATCH, name: "", tags: [] };

/** What the server is asked for. */
function order(form: Form): Record<string, unknown> {
  return {
    ...orderOf(form),
    ...(form.name ? { name: form.name } : {}),
    ...(form.tags.length > 0 ? { tags: form.tags } : {}),
    ...watchOf(form, form.by === "plan"),
  };
}

/** The plan of a run that is to be made again. */
function useEarlierPlan(set: (plan: string) => void): void {
  const { query } = usePlace();
  const from = query.get("from");
  const taken = useRef(set);
  taken.current = set;
  useEffect(() => {
    if (from)
      get<{ text: string }>(address(runPath(from, "/plan"))).then(
        (plan) => taken.current(plan.text),
        () => undefined,
      );
  }, [from]);
}

export default function StartScreen() {
  const { t } = useWords();
  const [form, setForm] = useState(EMPTY);
  const [asked, setAsked] = useState(false);
  const { sending, refused, ask } = useAsking();
  const set = (change: Partial<Form>): void => setForm((before) => ({ ...before, ...change }));
  useEarlierPlan((plan) => set({ by: "plan", plan }));
  const wrong = orderMistakes(form, t);
  const submit = async (): Promise<void> => {
    setAsked(true);
    if (Object.keys(wrong).length > 0) return;
    const run = await ask(() => send<{ id: string }>("POST", address("/runs"), order(form)));
    if (run) go(link(["runs", run.id]));
  };
  return (
    <div className="start">
      <h1>{t.start.title}</h1>
      <form
        className="card"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <OrderFields form={form} set={set} wrong={asked ? wrong : {}} />
        <div className="row">
          <Field label={t.start.name} help={t.start.nameHelp}>
            <Input value={form.name} onChange={(event) => set({ name: event.target.value })} />
          </Field>
          <Field label={t.start.tags} help={t.result.tagsHint}>
            <Select
              mode="tags"
              value={form.tags}
              onChange={(tags) => set({ tags })}
              open={false}
              suffixIcon={null}
              aria-label={t.start.tags}
            />
          </Field>
        </div>
        <WatchFields form={form} set={set} byPlan={form.by === "plan"} />
        {refused ? <Refused problem={refused} title={t.start.wrongPlan} /> : null}
        <Button type="primary" size="large" htmlType="submit" loading={sending}>
          {t.start.go}
        </Button>
      </form>
    </div>
  );
}
