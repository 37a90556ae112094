import { App, Button, Input, Switch } from "antd";
import { useState } from "react";
import { send } from "../api/client";
import { type Schedule, scheduleAddress } from "../api/schedules";
import { go, link } from "../app/router";
import { clock } from "../format/time";
import { RemoveButton } from "../parts/RemoveButton";
import { Scroll } from "../parts/Scroll";
import { useWords } from "../texts";

/** Does something with a schedule; true if it was done. */
type Act = (what: () => Promise<unknown>) => Promise<boolean>;

interface TableProps {
  of: Schedule[];
  again: () => void;
  mayRun: boolean;
}

/** Runs at set times: each is begun now, changed, switched off, removed. */
export function ScheduleTable({ of, again, mayRun }: TableProps) {
  const { t } = useWords();
  const { message } = App.useApp();
  const [changing, setChanging] = useState<string | null>(null);
  const act: Act = async (what) => {
    try {
      await what();
    } catch (error) {
      message.error(error instanceof Error ? error.message : String(error));
      return false;
    }
    again();
    return true;
  };
  return (
    <Scroll>
      <table className="plain-table">
        <thead>
          <tr>
            <th>{t.schedules.name}</th>
            <th>{t.schedules.when}</th>
            <th>{t.schedules.next}</th>
            <th>{t.schedules.last}</th>
            <th>{t.measures.by}</th>
            <th>{t.schedules.enabled}</th>
            <th>
              <span className="hidden-text">{t.runs.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {of.map((one) =>
            one.schedule === changing ? (
              <Changing
                key={one.schedule}
                of={one}
                save={(change) =>
                  act(() => send("PATCH", scheduleAddress(one.schedule), change)).then((isDone) => {
                    // What was refused stays, to be put right.
                    if (isDone) setChanging(null);
                  })
                }
                close={() => setChanging(null)}
              />
            ) : (
              <Row key={one.schedule} of={one} mayRun={mayRun} act={act} change={() => setChanging(one.schedule)} />
            ),
          )}
        </tbody>
      </table>
    </Scroll>
  );
}

interface RowProps {
  of: Schedule;
  mayRun: boolean;
  act: Act;
  change: () => void;
}

function Row({ of, mayRun, act, change }: RowProps) {
  const { t } = useWords();
  const runNow = (): Promise<unknown> =>
    act(async () => {
      const begun = await send<{ id: string }>("POST", scheduleAddress(of.schedule, "/run"), {});
      if (begun) go(link(["runs", begun.id]));
    });
  return (
    <tr>
      <td>
        <bdi>{of.name}</bdi>
        <div className="muted">
          <bdi>{of.order.url ?? t.start.byPlan}</bdi>
        </div>
      </td>
      <td>
        <code>{of.cron}</code> <span className="muted">{of.zone}</span>
      </td>
      <td className="nowrap">{of.enabled ? clock(of.next) : "–"}</td>
      <td>
        <Last of={of} />
      </td>
      <td>
        <bdi>{of.by ?? "–"}</bdi>
      </td>
      <td>
        <Switch
          aria-label={`${t.schedules.enabled}: ${of.name}`}
          checked={of.enabled}
          disabled={!mayRun}
          onChange={(enabled) => void act(() => send("PATCH", scheduleAddress(of.schedule), { enabled }))}
        />
      </td>
      <td className="r">
        {mayRun ? (
          <span className="inline">
            <Button size="small" onClick={() => void runNow()}>
              {t.schedules.now}
            </Button>
            <Button size="small" onClick={change}>
              {t.schedules.change}
            </Button>
            <RemoveButton
              ask={t.schedules.remove(of.name)}
              effect={t.schedules.removeEffect}
              remove={() => void act(() => send("DELETE", scheduleAddress(of.schedule)))}
            />
          </span>
        ) : null}
      </td>
    </tr>
  );
}

interface ChangingProps {
  of: Schedule;
  save: (change: { name: string; cron: string; zone: string }) => Promise<void>;
  close: () => void;
}

/** What a schedule is called and when it is due, to be changed in its row. */
function Changing({ of, save, close }: ChangingProps) {
  const { t } = useWords();
  const [form, setForm] = useState({ name: of.name, cron: of.cron, zone: of.zone });
  const field = (name: keyof typeof form, label: string, isFirst = false) => (
    <Input
      aria-label={label}
      autoFocus={isFirst}
      className={name === "cron" ? "code" : ""}
      value={form[name]}
      onChange={(event) => setForm({ ...form, [name]: event.target.value })}
      onPressEnter={() => void save(form)}
    />
  );
  return (
    <tr className="changing">
      <td>{field("name", t.schedules.name)}</td>
      <td>{field("cron", t.schedules.cron, true)}</td>
      <td colSpan={4}>{field("zone", t.schedules.zone)}</td>
      <td className="r">
        <span className="inline">
          <Button size="small" type="primary" onClick={() => void save(form)}>
            {t.common.save}
          </Button>
          <Button size="small" onClick={close}>
            {t.common.cancel}
          </Button>
        </span>
      </td>
    </tr>
  );
}

/** What came of the last time, and what was missed. */
function Last({ of }: { of: Schedule }) {
  const { t, language } = useWords();
  const { last, missed } = of;
  return (
    <>
      {last ? (
        <div>
          {last.run ? <a href={link(["runs", last.run])}>{clock(last.at)}</a> : clock(last.at)}
          {last.error ? <div className="bad-text">{last.error[language]}</div> : null}
        </div>
      ) : (
        "–"
      )}
      {missed ? <div className="bad-text">{t.schedules.missed(String(missed.count), clock(missed.last))}</div> : null}
    </>
  );
}
