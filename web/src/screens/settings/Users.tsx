import { Button, Input, Select } from "antd";
import { useState } from "react";
import { address, send } from "../../api/client";
import { type Role, useSession } from "../../api/session";
import { useJson } from "../../api/use";
import { clock } from "../../format/time";
import { Failed } from "../../parts/Failed";
import { RemoveButton } from "../../parts/RemoveButton";
import { Scroll } from "../../parts/Scroll";
import { useWords } from "../../texts";
import { useDo } from "./useDo";

interface User {
  user: string;
  role: Role;
  added: string;
}

/** A role among those that the caller can give: no more than he has himself. */
export function RoleChoice({ role, set }: { role: Role; set: (role: Role) => void }) {
  const { t } = useWords();
  const { session } = useSession();
  const known = Object.entries(t.settings.roles) as [Role, string][];
  const roles = known.filter(([value]) => !session || session.rights.includes(value));
  return (
    <Select<Role>
      aria-label={t.settings.role}
      value={role}
      onChange={set}
      popupMatchSelectWidth={false}
      options={roles.map(([value, label]) => ({ value, label }))}
    />
  );
}

/** Users and what they may do. */
export function Users() {
  const { t } = useWords();
  const attempt = useDo();
  const asked = useJson<{ items: User[] }>(address("/users"));
  const at = (user: string): string => address(`/users/${encodeURIComponent(user)}`);
  const change = async (what: () => Promise<unknown>): Promise<boolean> => {
    const isDone = await attempt(what);
    if (isDone) asked.again();
    return isDone;
  };
  return (
    <section className="card">
      <h2>{t.settings.users}</h2>
      {asked.error && !asked.value ? <Failed error={asked.error} again={asked.again} /> : null}
      <Scroll>
        <table className="plain-table">
          <thead>
            <tr>
              <th>{t.login.user}</th>
              <th>{t.settings.role}</th>
              <th>{t.settings.added}</th>
              <th>
                <span className="hidden-text">{t.runs.actions}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {(asked.value?.items ?? []).map(({ user, role, added }) => (
              <tr key={user}>
                <td>
                  <bdi>{user}</bdi>
                </td>
                <td>
                  <RoleChoice role={role} set={(to) => void change(() => send("PATCH", at(user), { role: to }))} />
                </td>
                <td>{clock(added)}</td>
                <td className="r">
                  <RemoveButton
                    ask={t.settings.removeUser(user)}
                    effect={t.settings.removeUserEffect}
                    remove={() => void change(() => send("DELETE", at(user)))}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <NewUser add={(order) => change(() => send("POST", address("/users"), order))} />
    </section>
  );
}

function NewUser({ add }: { add: (order: { user: string; password: string; role: Role }) => Promise<boolean> }) {
  const { t } = useWords();
  const [form, setForm] = useState<{ user: string; password: string; role: Role }>({
    user: "",
    password: "",
    role: "look",
  });
  return (
    <form
      className="inline"
      onSubmit={(event) => {
        event.preventDefault();
        // What was refused stays, to be put right.
        void add(form).then((isAdded) => {
          if (isAdded) setForm({ user: "", password: "", role: "look" });
        });
      }}
    >
      <Input
        aria-label={t.login.user}
        placeholder={t.login.user}
        autoComplete="off"
        value={form.user}
        onChange={(event) => setForm({ ...form, user: event.target.value })}
      />
      <Input.Password
        aria-label={t.login.password}
        placeholder={`${t.login.password}: ${t.settings.passwordHint}`}
        autoComplete="new-password"
        className="flame-search"
        value={form.password}
        onChange={(event) => setForm({ ...form, password: event.target.value })}
      />
      <RoleChoice role={form.role} set={(role) => setForm({ ...form, role })} />
      <Button type="primary" htmlType="submit">
        {t.settings.add}
      </Button>
    </form>
  );
}
