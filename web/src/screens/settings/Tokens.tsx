import { Button, Input, InputNumber } from "antd";
import { useState } from "react";
import { address, send } from "../../api/client";
import { type Role, useMay } from "../../api/session";
import { useJson } from "../../api/use";
import { clock } from "../../format/time";
import { RemoveButton } from "../../parts/RemoveButton";
import { Scroll } from "../../parts/Scroll";
import { useWords } from "../../texts";
import { RoleChoice } from "./Users";
import { useDo } from "./useDo";

interface Token {
  token: string;
  name: string;
  user: string;
  role: Role;
  ends: string;
}

/** Tokens of programs; a secret is shown once. */
export function Tokens() {
  const { t } = useWords();
  const attempt = useDo();
  const asked = useJson<{ items: Token[] }>(address("/tokens"));
  const [secret, setSecret] = useState("");
  const role = useMay("run") ? "run" : "look";
  const [form, setForm] = useState<{ name: string; role: Role; days: number }>({ name: "", role, days: 90 });
  const make = async (): Promise<void> => {
    const isMade = await attempt(async () => {
      const made = await send<{ secret: string }>("POST", address("/tokens"), form);
      setSecret(made?.secret ?? "");
    });
    if (isMade) asked.again();
  };
  const remove = async (token: string): Promise<void> => {
    if (await attempt(() => send("DELETE", address(`/tokens/${encodeURIComponent(token)}`)))) asked.again();
  };
  return (
    <section className="card">
      <h2>{t.settings.tokens}</h2>
      <p className="muted">{t.settings.tokensHint}</p>
      {secret ? (
        <div className="notice good" role="status">
          <strong>{t.settings.secret}</strong> <code>{secret}</code>
        </div>
      ) : null}
      <Scroll>
        <table className="plain-table">
          <tbody>
            {(asked.value?.items ?? []).map((one) => (
              <tr key={one.token}>
                <td>
                  <bdi>{one.name}</bdi>
                </td>
                <td>
                  <bdi>{one.user}</bdi>
                </td>
                <td>{t.settings.roles[one.role]}</td>
                <td>
                  {t.settings.ends}: {clock(one.ends)}
                </td>
                <td className="r">
                  <RemoveButton
                    ask={t.settings.removeToken(one.name)}
                    effect={t.settings.removeTokenEffect}
                    remove={() => void remove(one.token)}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <form
        className="inline"
        onSubmit={(event) => {
          event.preventDefault();
          void make();
        }}
      >
        <Input
          aria-label={t.settings.tokenName}
          placeholder={t.settings.tokenName}
          value={form.name}
          onChange={(event) => setForm({ ...form, name: event.target.value })}
        />
        <RoleChoice role={form.role} set={(role) => setForm({ ...form, role })} />
        <InputNumber
          aria-label={t.settings.days}
          min={1}
          max={3660}
          addonAfter={t.settings.days}
          value={form.days}
          onChange={(days) => setForm({ ...form, days: days ?? 90 })}
        />
        <Button type="primary" htmlType="submit">
          {t.settings.add}
        </Button>
      </form>
    </section>
  );
}
