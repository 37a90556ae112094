import { useEffect, useMemo, useState } from "react";
import { LOGGED_OUT } from "../api/client";
import { askSession, type Session, SessionContext } from "../api/session";
import { Failed } from "../parts/Failed";
import { Waiting } from "../parts/Waiting";
import { LoginScreen } from "../screens/LoginScreen";
import { Shell } from "./Shell";

type Known = { session: Session | null } | { error: Error } | null;

/** Who may come in: everybody, where the server knows no users; else whoever has logged in. */
export function SessionGate() {
  const [known, setKnown] = useState<Known>(null);
  const [turn, setTurn] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked for again with each turn
  useEffect(() => {
    let current = true;
    const hear = (next: Known): void => {
      if (current) setKnown(next);
    };
    askSession().then(
      (session) => hear({ session }),
      (error: unknown) => hear({ error: error instanceof Error ? error : new Error(String(error)) }),
    );
    return () => {
      current = false;
    };
  }, [turn]);
  useEffect(() => {
    const heard = (): void =>
      setKnown((was) =>
        was && "session" in was && was.session?.user
          ? { session: { ...was.session, user: null, role: null, rights: [], csrf: null } }
          : was,
      );
    window.addEventListener(LOGGED_OUT, heard);
    return () => window.removeEventListener(LOGGED_OUT, heard);
  }, []);
  const session = known && "session" in known ? known.session : null;
  const context = useMemo(() => ({ session, set: (next: Session) => setKnown({ session: next }) }), [session]);
  if (known === null) return <Waiting />;
  if ("error" in known) return <Failed error={known.error} again={() => setTurn((n) => n + 1)} />;
  return (
    <SessionContext.Provider value={context}>
      {session?.login && session.user === null ? <LoginScreen session={session} /> : <Shell />}
    </SessionContext.Provider>
  );
}
