import { createContext, useContext } from "react";
import { address, get, Problem, prove, send } from "./client";
import { knownOffers } from "./offers";

export type Role = "look" | "run" | "administer";

/** Who the caller is, by the server's word. */
export interface Session {
  /** One must log in here. */
  login: boolean;
  user: string | null;
  role: Role | null;
  rights: string[];
  csrf: string | null;
  needs_first_user: boolean;
}

export interface SessionKnown {
  /** null: the server knows no users. */
  session: Session | null;
  set: (session: Session) => void;
}

export const SessionContext = createContext<SessionKnown>({ session: null, set: () => undefined });

export const useSession = (): SessionKnown => useContext(SessionContext);

/** Whether the caller may do something; where nobody logs in everybody may. */
export function useMay(right: Role): boolean {
  const { session } = useSession();
  return !session || session.rights.includes(right);
}

/** Takes over what proves a session in changes. */
export function taken(session: Session): Session {
  prove(session.csrf);
  return session;
}

/** Who the caller is; null: a server without users. Its document may be for those who have logged in. */
export async function askSession(): Promise<Session | null> {
  try {
    if (!(await knownOffers()).has("GET /session")) return null;
  } catch (error) {
    if (!(error instanceof Problem && error.status === 401)) throw error;
  }
  return taken(await get<Session>(address("/session")));
}

export async function logIn(user: string, password: string, code: string | null): Promise<Session> {
  const path = code === null ? "/session" : "/session/first";
  const order = { user, password, ...(code === null ? {} : { code }) };
  const session = await send<Session>("POST", address(path), order);
  if (session === null) throw new Error(path);
  return taken(session);
}

export async function logOut(): Promise<void> {
  await send("DELETE", address("/session"));
  prove(null);
}
