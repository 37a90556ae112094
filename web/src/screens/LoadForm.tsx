import { Button, InputNumber, Select } from "antd";
import { useState } from "react";
import { address, runPath } from "../api/client";
import type { LoadNow, ScenarioLoadNow } from "../api/live";
import { useJson } from "../api/use";
import { Failed } from "../parts/Failed";
import { Waiting } from "../parts/Waiting";
import { useWords } from "../texts";
import type { Act } from "./useAct";

interface Props {
  id: string;
  act: Act;
  /** The users at work, of which a load has so many that time does not end. */
  users: number | null;
}

/** The load from now on; begins with what it is now, in what each scenario counts it in. */
export function LoadForm({ id, act, users }: Props) {
  const { t } = useWords();
  const asked = useJson<LoadNow>(address(runPath(id, "/load")));
  if (asked.error) return <Failed error={asked.error} again={asked.again} />;
  if (!asked.value) return <Waiting />;
  const { scenarios } = asked.value;
  if (scenarios.length === 0) return <p className="muted">{t.load.fixed}</p>;
  return <Scenarios scenarios={scenarios} act={act} users={users} />;
}

/** What is typed at first: users are whole, and a rate within a ramp has few digits. */
function firstAmount({ model, amount }: ScenarioLoadNow, users: number | null): number | null {
  if (model === "users") return amount === null ? users : Math.round(amount);
  return amount === null ? null : Number(amount.toPrecision(4));
}

function Scenarios({ scenarios, act, users }: { scenarios: ScenarioLoadNow[] } & Omit<Props, "id">) {
  const { t } = useWords();
  const [name, setName] = useState(scenarios[0]?.name);
  const scenario = scenarios.find((one) => one.name === name) ?? scenarios[0];
  if (!scenario) return null;
  return (
    <div className="load-now">
      {scenarios.length > 1 ? (
        <Select
          className="scenario-choice"
          aria-label={t.load.scenario}
          value={scenario.name}
          onChange={setName}
          options={scenarios.map((one) => ({ value: one.name, label: one.name }))}
        />
      ) : null}
      <AmountForm key={scenario.name} scenario={scenario} first={firstAmount(scenario, users)} act={act} />
    </div>
  );
}

function AmountForm({ scenario, first, act }: { scenario: ScenarioLoadNow; first: number | null; act: Act }) {
  const { t } = useWords();
  const [value, setValue] = useState(first);
  const { model, name } = scenario;
  const text = model === "users" ? t.live.users : t.live.rate;
  return (
    <form
      className="inline"
      onSubmit={(event) => {
        event.preventDefault();
        const amount = model === "rate" ? `${value}/s` : value;
        if (value !== null) void act("/load", { scenario: name, [model]: amount });
      }}
    >
      <span>{text}</span>
      <InputNumber
        autoFocus
        aria-label={text}
        min={0}
        {...(model === "users" ? { precision: 0 } : {})}
        value={value}
        onChange={setValue}
      />
      <Button type="primary" htmlType="submit" disabled={value === null}>
        {t.live.apply}
      </Button>
    </form>
  );
}
