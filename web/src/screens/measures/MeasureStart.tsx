import { Button, Input, InputNumber, Segmented } from "antd";
import { useState } from "react";
import { address, send } from "../../api/client";
import type { MeasurementKind } from "../../api/measurements";
import { go, link, usePlace } from "../../app/router";
import { Field } from "../../parts/Field";
import { LoadKind, OrderFields } from "../../parts/OrderFields";
import { Refused } from "../../parts/Refused";
import { useAsking } from "../../parts/useAsking";
import { WatchFields } from "../../parts/WatchFields";
import { useWords } from "../../texts";
import { EMPTY_MEASURE, type MeasureForm, type MeasureMistakes, measureMistakes, measureOrder } from "./form";

const KINDS: MeasurementKind[] = ["capacity", "hops", "interleave", "repeat"];

interface Part {
  form: MeasureForm;
  set: (change: Partial<MeasureForm>) => void;
  wrong: MeasureMistakes | null;
}

/** Several runs as one undertaking, begun. */
export function MeasureStart() {
  const { t } = useWords();
  const { query } = usePlace();
  const first = KINDS.find((kind) => kind === query.get("kind")) ?? "capacity";
  const [form, setForm] = useState<MeasureForm>({ ...EMPTY_MEASURE, kind: first });
  const [asked, setAsked] = useState(false);
  const { sending, refused, ask } = useAsking();
  const set = (change: Partial<MeasureForm>): void => setForm((before) => ({ ...before, ...change }));
  const wrong = measureMistakes(form, t);
  const submit = async (): Promise<void> => {
    setAsked(true);
    if (wrong) return;
    const begun = await ask(() => send<{ id: string }>("POST", address("/measurements"), measureOrder(form)));
    if (begun) go(link(["measurements", begun.id]));
  };
  const part: Part = { form, set, wrong: asked ? wrong : null };
  return (
    <div className="start">
      <h1>{t.measures.start}</h1>
      <form
        className="card"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <div className="field">
          <Segmented<MeasurementKind>
            className="kinds"
            value={form.kind}
            onChange={(kind) => set({ kind })}
            options={KINDS.map((value) => ({ value, label: t.measures.kinds[value] }))}
          />
          <em>{t.measures.kindHelp[form.kind]}</em>
        </div>
        <Targets {...part} />
        {form.kind === "capacity" ? <CapacityFields {...part} /> : null}
        {form.kind === "hops" ? <HopFields {...part} /> : null}
        {form.kind === "repeat" ? (
          <Numbers of={[[t.measures.times, form.times, 1, 100, (times) => set({ times })]]} />
        ) : null}
        {form.kind === "interleave" ? (
          <Numbers
            of={[[t.measures.pairs, form.pairs, 1, 100, (pairs) => set({ pairs })]]}
            help={t.measures.pairsHelp}
          />
        ) : null}
        <Field label={t.start.name} help={t.start.nameHelp}>
          <Input value={form.name} onChange={(event) => set({ name: event.target.value })} />
        </Field>
        {form.kind === "hops" ? null : <WatchFields form={form} set={set} byPlan={form.a.by === "plan"} />}
        {refused ? <Refused problem={refused} title={t.start.wrongPlan} /> : null}
        <Button type="primary" size="large" htmlType="submit" loading={sending}>
          {t.start.go}
        </Button>
      </form>
    </div>
  );
}

/** What is loaded: two sides, one, or the hops of a chain. */
function Targets({ form, set, wrong }: Part) {
  const { t } = useWords();
  const setA = (change: Partial<MeasureForm["a"]>): void => set({ a: { ...form.a, ...change } });
  const setB = (change: Partial<MeasureForm["b"]>): void => set({ b: { ...form.b, ...change } });
  if (form.kind === "hops" && form.a.by === "url") {
    return (
      <Segmented<"url" | "plan">
        value={form.a.by}
        onChange={(by) => setA({ by })}
        options={[
          { value: "url", label: t.start.byUrl },
          { value: "plan", label: t.start.byPlan },
        ]}
      />
    );
  }
  const hasLoad = form.kind === "repeat" || form.kind === "interleave";
  const a = <OrderFields form={form.a} set={setA} wrong={wrong?.a ?? {}} hasLoad={hasLoad} />;
  if (form.kind !== "interleave") return a;
  return (
    <>
      <fieldset className="side">
        <legend>{t.measures.sideA}</legend>
        {a}
      </fieldset>
      <fieldset className="side">
        <legend>{t.measures.sideB}</legend>
        <OrderFields form={form.b} set={setB} wrong={wrong?.b ?? {}} isFirst={false} />
      </fieldset>
    </>
  );
}

type NumberField = [label: string, value: number, least: number, most: number, set: (value: number) => void];

function Numbers({ of, help }: { of: NumberField[]; help?: string }) {
  return (
    <div className="row">
      {of.map(([label, value, least, most, set]) => (
        <Field key={label} label={label} help={help}>
          <InputNumber min={least} max={most} value={value} onChange={(next) => set(next ?? value)} />
        </Field>
      ))}
    </div>
  );
}

function CapacityFields({ form, set, wrong }: Part) {
  const { t } = useWords();
  const text = (label: string, value: string, change: (text: string) => void) => (
    <Field label={label} help={t.start.durationHelp}>
      <Input value={value} onChange={(event) => change(event.target.value)} />
    </Field>
  );
  return (
    <>
      <div className="field">
        <span>{t.start.load}</span>
        <div className="load">
          <LoadKind value={form.load} set={(load) => set({ load })} />
          {t.measures.from}
          <InputNumber min={1} aria-label={t.measures.from} value={form.from} onChange={(from) => set({ from })} />
          {t.measures.to}
          <InputNumber min={1} aria-label={t.measures.to} value={form.to} onChange={(to) => set({ to })} />
        </div>
        <em>{t.measures.loadHelp}</em>
      </div>
      <Field label={t.measures.goals} help={t.measures.goalsHelp} wrong={wrong?.goals}>
        <Input.TextArea rows={3} value={form.goals} onChange={(event) => set({ goals: event.target.value })} />
      </Field>
      <Numbers
        of={[
          [t.measures.step, form.step, 5, 86_400, (step) => set({ step })],
          [t.measures.most, form.most, 1, 1_000, (most) => set({ most })],
        ]}
      />
      <details className="more">
        <summary>{t.measures.more}</summary>
        <Numbers
          of={[
            [t.measures.precision, form.precision, 0.1, 100, (precision) => set({ precision })],
            [t.measures.repeats, form.repeats, 1, 100, (repeats) => set({ repeats })],
          ]}
        />
        <div className="row">
          {text(t.measures.coolDown, form.coolDown, (coolDown) => set({ coolDown }))}
          {text(t.measures.warmUp, form.warmUp, (warmUp) => set({ warmUp }))}
        </div>
      </details>
    </>
  );
}

function HopFields({ form, set, wrong }: Part) {
  const { t } = useWords();
  const help = form.a.by === "plan" ? `${t.measures.hopsHelp} ${t.measures.hopsPlan}` : t.measures.hopsHelp;
  return (
    <>
      <Field label={t.measures.hops} help={help} wrong={wrong?.hops}>
        <Input.TextArea
          className="code"
          rows={4}
          value={form.hops}
          spellCheck={false}
          status={wrong?.hops ? "error" : ""}
          onChange={(event) => set({ hops: event.target.value })}
        />
      </Field>
      <Numbers
        of={[
          [t.measures.users, form.users, 1, 100_000, (users) => set({ users })],
          [t.measures.rounds, form.rounds, 1, 1_000, (rounds) => set({ rounds })],
          [t.measures.roundSeconds, form.roundSeconds, 1, 3_600, (roundSeconds) => set({ roundSeconds })],
        ]}
      />
    </>
  );
}
