import { Button, Input } from "antd";
import { useState } from "react";
import { logIn, type Session, useSession } from "../api/session";
import { Field } from "../parts/Field";
import { useWords } from "../texts";

/** A name and a password; where there is no user yet, the first one is made by the code in the server's terminal. */
export function LoginScreen({ session }: { session: Session }) {
  const { t } = useWords();
  const { set } = useSession();
  const isFirst = session.needs_first_user;
  const [form, setForm] = useState({ user: "", password: "", code: "" });
  const [wrong, setWrong] = useState("");
  const [busy, setBusy] = useState(false);
  const enter = async (): Promise<void> => {
    setBusy(true);
    try {
      set(await logIn(form.user, form.password, isFirst ? form.code : null));
    } catch (error) {
      setWrong(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  return (
    <main className="start login">
      <h1>{isFirst ? t.login.first : t.login.title}</h1>
      <form
        className="card"
        onSubmit={(event) => {
          event.preventDefault();
          void enter();
        }}
      >
        {isFirst ? <p className="muted">{t.login.firstHint}</p> : null}
        {wrong ? (
          <div className="notice bad" role="alert">
            {wrong}
          </div>
        ) : null}
        {isFirst ? (
          <Field label={t.login.code}>
            <Input
              autoComplete="one-time-code"
              value={form.code}
              onChange={(event) => setForm({ ...form, code: event.target.value.trim() })}
            />
          </Field>
        ) : null}
        <Field label={t.login.user}>
          <Input
            autoComplete="username"
            value={form.user}
            onChange={(event) => setForm({ ...form, user: event.target.value })}
          />
        </Field>
        <Field label={t.login.password} help={isFirst ? t.settings.passwordHint : undefined}>
          <Input.Password
            autoComplete={isFirst ? "new-password" : "current-password"}
            value={form.password}
            onChange={(event) => setForm({ ...form, password: event.target.value })}
          />
        </Field>
        <Button type="primary" htmlType="submit" loading={busy}>
          {isFirst ? t.login.make : t.login.go}
        </Button>
      </form>
    </main>
  );
}
