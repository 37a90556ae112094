import { useCallback, useEffect, useState } from "react";
import { get } from "./client";

/** What was asked for: what is there stays while newer is on its way. */
export interface Asked<T> {
  value: T | undefined;
  error: Error | undefined;
  loading: boolean;
  again: () => void;
}

function useAsked<T>(url: string | null, ask: (url: string, signal: AbortSignal) => Promise<T>): Asked<T> {
  const [state, setState] = useState<{ url: string | null; value?: T; error?: Error; loading: boolean }>({
    url,
    loading: url !== null,
  });
  const [turn, setTurn] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a turn asks again for the same address
  useEffect(() => {
    if (url === null) {
      setState({ url, loading: false });
      return;
    }
    const control = new AbortController();
    setState((before) => ({ ...before, loading: true }));
    ask(url, control.signal).then(
      (value) => setState({ url, value, loading: false }),
      (error: unknown) => {
        if (control.signal.aborted) return;
        setState((before) => ({
          url,
          ...(before.url === url && before.value !== undefined ? { value: before.value } : {}),
          error: error instanceof Error ? error : new Error(String(error)),
          loading: false,
        }));
      },
    );
    return () => control.abort();
  }, [url, turn, ask]);
  const again = useCallback(() => setTurn((n) => n + 1), []);
  return { value: state.value, error: state.error, loading: state.loading, again };
}

const askJson = <T>(url: string, signal: AbortSignal): Promise<T> => get<T>(url, signal);

const askAll = <T>(urls: string, signal: AbortSignal): Promise<T[]> =>
  Promise.all(urls.split("\n").map((url) => get<T>(url, signal)));

/** JSON at several addresses, all of it or none. */
export function useAll<T>(urls: string[]): Asked<T[]> {
  return useAsked<T[]>(urls.length > 0 ? urls.join("\n") : null, askAll);
}

/** JSON at an address; null asks for nothing. */
export function useJson<T>(url: string | null): Asked<T> {
  return useAsked<T>(url, askJson);
}
