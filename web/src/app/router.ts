import { useSyncExternalStore } from "react";

/** Where the reader is: a path of parts behind the #, and its query. Links can be handed on. */
export interface Place {
  parts: string[];
  query: URLSearchParams;
}

let hash = "";
let place: Place = { parts: [], query: new URLSearchParams() };

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The place that a hash means. */
export function parse(text: string): Place {
  const [path = "", query = ""] = text.replace(/^#\/?/, "").split("?", 2);
  return { parts: path.split("/").filter(Boolean).map(decoded), query: new URLSearchParams(query) };
}

function current(): Place {
  if (window.location.hash !== hash) {
    hash = window.location.hash;
    place = parse(hash);
  }
  return place;
}

function follow(heard: () => void): () => void {
  window.addEventListener("hashchange", heard);
  window.addEventListener("plimsoll-place", heard);
  return () => {
    window.removeEventListener("hashchange", heard);
    window.removeEventListener("plimsoll-place", heard);
  };
}

export const usePlace = (): Place => useSyncExternalStore(follow, current);

/** The link to a place. */
export function link(parts: string[], query: Record<string, string | undefined> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) search.set(name, value);
  const text = search.toString();
  return `#/${parts.map(encodeURIComponent).join("/")}${text ? `?${text}` : ""}`;
}

export function go(to: string): void {
  window.location.hash = to;
}

/** Another place stands for this one, without a step in the history. */
export function moved(to: string): void {
  window.history.replaceState(null, "", to);
  window.dispatchEvent(new Event("plimsoll-place"));
}

/** Changes the query of this place without a step in the history. */
export function setQuery(values: Record<string, string | undefined>): void {
  const { parts, query } = current();
  moved(link(parts, { ...Object.fromEntries(query), ...values }));
}
