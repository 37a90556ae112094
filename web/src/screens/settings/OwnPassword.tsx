import { Button, Input } from "antd";
import { useState } from "react";
import { address, send } from "../../api/client";
import { useSession } from "../../api/session";
import { useWords } from "../../texts";
import { useDo } from "./useDo";

/** One's own password. Sessions with the old one end, this one too. */
export function OwnPassword() {
  const { t } = useWords();
  const attempt = useDo();
  const { session, set } = useSession();
  const [form, setForm] = useState({ old: "", new: "" });
  const change = async (): Promise<void> => {
    const isChanged = await attempt(() => send("POST", address("/session/password"), form));
    if (isChanged && session) set({ ...session, user: null, role: null, rights: [], csrf: null });
  };
  return (
    <section className="card">
      <h2>{t.settings.ownPassword}</h2>
      <p className="muted">{t.settings.ownPasswordHint}</p>
      <form
        className="inline"
        onSubmit={(event) => {
          event.preventDefault();
          void change();
        }}
      >
        <Input.Password
          className="flame-search"
          aria-label={t.settings.oldPassword}
          placeholder={t.settings.oldPassword}
          autoComplete="current-password"
          value={form.old}
          onChange={(event) => setForm({ ...form, old: event.target.value })}
        />
        <Input.Password
          className="flame-search"
          aria-label={t.settings.newPassword}
          placeholder={`${t.settings.newPassword}: ${t.settings.passwordHint}`}
          autoComplete="new-password"
          value={form.new}
          onChange={(event) => setForm({ ...form, new: event.target.value })}
        />
        <Button type="primary" htmlType="submit">
          {t.settings.change}
        </Button>
      </form>
    </section>
  );
}
