import { Button, Checkbox, Input, InputNumber, Segmented, Select } from "antd";
import { useEffect, useRef, useState } from "react";
import { address, get, Problem, runPath, send } from "../api/client";
import { go, link, usePlace } from "../app/router";
import { seconds } from "../format/time";
import { Field } from "../parts/Field";
import { type Texts, useWords } from "../texts";

interface Form {
  by: "url" | "plan";
  url: string;
  load: "users" | "rate";
  amount: number | null;
  duration: string;
  name: string;
  tags: string[];
  watch: boolean;
  plan: string;
}

const EMPTY: Form = {
  by: "url",
  url: "",
  load: "users",
  amount: 10,
  duration: "30s",
  name: "",
  tags: [],
  watch: true,
  plan: "",
};

/** What the server is asked for. */
function order(form: Form): Record<string, unknown> {
  const shared = {
    ...(form.name ? { name: form.name } : {}),
    ...(form.tags.length > 0 ? { tags: form.tags } : {}),
    ...(form.watch ? { watch: "auto" } : {}),
  };
  if (form.by === "plan") return { plan: form.plan, ...shared };
  return {
    url: form.url.trim(),
    [form.load]: form.load === "rate" ? `${form.amount}/s` : form.amount,
    duration: form.duration.trim(),
    ...shared,
  };
}

/** What is wrong with the form before anybody is asked, by field. */
function mistakes(form: Form, t: Texts): Partial<Record<keyof Form, string>> {
  if (form.by === "plan") return {};
  return {
    ...(/^https?:\/\/\S+$/.test(form.url.trim()) ? {} : { url: t.start.urlWrong }),
    ...(seconds(form.duration) ? {} : { duration: t.start.durationWrong }),
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
  const [refused, setRefused] = useState<Problem | null>(null);
  const [sending, setSending] = useState(false);
  const set = (change: Partial<Form>): void => setForm((before) => ({ ...before, ...change }));
  useEarlierPlan((plan) => set({ by: "plan", plan }));
  const wrong = mistakes(form, t);
  const submit = async (): Promise<void> => {
    setAsked(true);
    if (Object.keys(wrong).length > 0) return;
    setSending(true);
    setRefused(null);
    try {
      const run = await send<{ id: string }>("POST", address("/runs"), order(form));
      if (run) go(link(["runs", run.id]));
    } catch (error) {
      setRefused(error instanceof Problem ? error : new Problem(0, String(error), "", []));
    } finally {
      setSending(false);
    }
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
        <Segmented<Form["by"]>
          value={form.by}
          onChange={(by) => set({ by })}
          options={[
            { value: "url", label: t.start.byUrl },
            { value: "plan", label: t.start.byPlan },
          ]}
        />
        {form.by === "url" ? (
          <UrlFields form={form} set={set} wrong={asked ? wrong : {}} />
        ) : (
          <PlanFields form={form} set={set} />
        )}
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
        <Checkbox checked={form.watch} onChange={(event) => set({ watch: event.target.checked })}>
          {t.start.watch} <span className="muted">{t.start.watchHelp}</span>
        </Checkbox>
        {refused ? <Refused problem={refused} /> : null}
        <Button type="primary" size="large" htmlType="submit" loading={sending}>
          {t.start.go}
        </Button>
      </form>
    </div>
  );
}

function UrlFields(props: {
  form: Form;
  set: (change: Partial<Form>) => void;
  wrong: Partial<Record<keyof Form, string>>;
}) {
  const { form, set, wrong } = props;
  const { t } = useWords();
  return (
    <>
      <Field label={t.start.url} wrong={wrong.url}>
        <Input
          size="large"
          autoFocus
          value={form.url}
          placeholder={t.start.urlHint}
          status={wrong.url ? "error" : ""}
          onChange={(event) => set({ url: event.target.value })}
        />
      </Field>
      <div className="field">
        <span>{t.start.load}</span>
        <div className="load">
          <Segmented<Form["load"]>
            value={form.load}
            onChange={(load) => set({ load })}
            options={[
              { value: "users", label: t.start.users },
              { value: "rate", label: t.start.rate },
            ]}
          />
          <InputNumber
            min={1}
            aria-label={form.load === "users" ? t.start.users : t.start.rate}
            value={form.amount}
            onChange={(amount) => set({ amount })}
          />
        </div>
        <em>{form.load === "users" ? t.start.usersHelp : t.start.rateHelp}</em>
      </div>
      <Field label={t.start.duration} help={t.start.durationHelp} wrong={wrong.duration}>
        <Input
          value={form.duration}
          status={wrong.duration ? "error" : ""}
          onChange={(event) => set({ duration: event.target.value })}
        />
      </Field>
    </>
  );
}

function PlanFields({ form, set }: { form: Form; set: (change: Partial<Form>) => void }) {
  const { t } = useWords();
  return (
    <>
      <Field label={t.start.plan} help={t.start.planHelp}>
        <Input.TextArea
          className="code"
          rows={14}
          value={form.plan}
          spellCheck={false}
          onChange={(event) => set({ plan: event.target.value })}
        />
      </Field>
      <input
        type="file"
        aria-label={t.start.open}
        accept=".yaml,.yml,text/yaml"
        onChange={(event) => void event.target.files?.[0]?.text().then((plan) => set({ plan }))}
      />
    </>
  );
}

function Refused({ problem }: { problem: Problem }) {
  const { t } = useWords();
  return (
    <div className="notice bad" role="alert">
      <strong>{problem.places.length > 0 ? t.start.wrongPlan : problem.title}</strong>
      {problem.detail ? <p>{problem.detail}</p> : null}
      <ul>
        {problem.places.map((place) => (
          <li key={`${place.line} ${place.column} ${place.what}`}>
            {place.line === undefined ? "" : `${t.start.place(place.line, place.column ?? 1)}: `}
            {place.what}
          </li>
        ))}
      </ul>
    </div>
  );
}
