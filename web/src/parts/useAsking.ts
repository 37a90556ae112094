import { useState } from "react";
import type { Problem } from "../api/client";
import { asProblem } from "./Refused";

/** Something that is asked of the server: whether it is on its way, and why it was refused. */
export interface Asking {
  sending: boolean;
  refused: Problem | null;
  /** null: it was refused. */
  ask: <T>(what: () => Promise<T>) => Promise<T | null>;
}

export function useAsking(): Asking {
  const [refused, setRefused] = useState<Problem | null>(null);
  const [sending, setSending] = useState(false);
  const ask = async <T>(what: () => Promise<T>): Promise<T | null> => {
    setSending(true);
    setRefused(null);
    try {
      return await what();
    } catch (error) {
      setRefused(asProblem(error));
      return null;
    } finally {
      setSending(false);
    }
  };
  return { sending, refused, ask };
}
