import { Input, InputNumber, Segmented } from "antd";
import { useWords } from "../texts";
import { Field, FieldWord } from "./Field";
import { FilesField } from "./FilesField";
import type { OrderForm, OrderMistakes } from "./order";
import { YamlField } from "./YamlField";

interface Props {
  form: OrderForm;
  set: (change: Partial<OrderForm>) => void;
  wrong: OrderMistakes;
  /** How much and how long is asked for of a URL. */
  hasLoad?: boolean;
  /** The first field gets the focus. */
  isFirst?: boolean;
}

/** What is loaded: a URL, or a plan. */
export function OrderFields({ form, set, wrong, hasLoad = true, isFirst = true }: Props) {
  const { t } = useWords();
  return (
    <>
      <Segmented<OrderForm["by"]>
        value={form.by}
        onChange={(by) => set({ by })}
        options={[
          { value: "url", label: t.start.byUrl },
          { value: "plan", label: t.start.byPlan },
        ]}
      />
      {form.by === "plan" ? (
        <>
          <YamlField
            label={t.start.plan}
            help={t.start.planHelp}
            wrong={wrong.plan}
            open={t.start.open}
            value={form.plan}
            set={(plan) => set({ plan })}
          />
          <FilesField files={form.files} set={(files) => set({ files })} />
        </>
      ) : (
        <Field label={t.start.url} wrong={wrong.url}>
          <Input
            size="large"
            autoFocus={isFirst}
            value={form.url}
            placeholder={t.start.urlHint}
            status={wrong.url ? "error" : ""}
            onChange={(event) => set({ url: event.target.value })}
          />
        </Field>
      )}
      {form.by === "url" && hasLoad ? <LoadFields form={form} set={set} wrong={wrong} /> : null}
    </>
  );
}

function LoadFields({ form, set, wrong }: Props) {
  const { t } = useWords();
  return (
    <>
      <div className="field">
        <span>{t.start.load}</span>
        <div className="load">
          <LoadKind value={form.load} set={(load) => set({ load })} />
          <InputNumber
            aria-label={form.load === "users" ? t.start.users : t.start.rate}
            value={form.amount}
            status={wrong.amount ? "error" : ""}
            onChange={(amount) => set({ amount })}
            // What is no number would leave the one before it.
            onInput={(text) => (Number.isNaN(Number(text)) ? set({ amount: null }) : undefined)}
          />
        </div>
        <FieldWord help={form.load === "users" ? t.start.usersHelp : t.start.rateHelp} wrong={wrong.amount} />
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

/** What a load is counted in. */
export function LoadKind({ value, set }: { value: OrderForm["load"]; set: (load: OrderForm["load"]) => void }) {
  const { t } = useWords();
  return (
    <Segmented<OrderForm["load"]>
      value={value}
      onChange={set}
      options={[
        { value: "users", label: t.start.users },
        { value: "rate", label: t.start.rate },
      ]}
    />
  );
}
