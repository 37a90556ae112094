import { useCallback, useState } from "react";
import { get } from "./client";
import type { Part } from "./evidence";
import { type Asked, useJson } from "./use";

/** A list as far as it was paged through. */
export interface Pages<T, First> extends Asked<First> {
  items: T[];
  /** The next page; null: there is none. */
  more: (() => void) | null;
}

/** A list that comes page by page: the address of the first, and `cursor` for the next ones. */
export function usePages<T, First extends Part<T> = Part<T>>(url: string | null): Pages<T, First> {
  const first = useJson<First>(url);
  const [rest, setRest] = useState<{ of: string; items: T[]; next: string | null } | null>(null);
  const later = url !== null && rest?.of === url ? rest : null;
  const next = later ? later.next : (first.value?.next ?? null);
  const load = useCallback(async (of: string, cursor: string, known: T[]) => {
    const join = of.includes("?") ? "&" : "?";
    const page = await get<Part<T>>(`${of}${join}cursor=${encodeURIComponent(cursor)}`);
    setRest({ of, items: [...known, ...page.items], next: page.next });
  }, []);
  const more = url === null || next === null ? null : () => void load(url, next, later?.items ?? []);
  return { ...first, items: [...(first.value?.items ?? []), ...(later?.items ?? [])], more };
}
