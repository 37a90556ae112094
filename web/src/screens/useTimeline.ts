import { useCallback, useMemo, useRef } from "react";
import { setQuery, usePlace } from "../app/router";
import type { Timeline } from "../parts/TimeChart";

/** The stretch that is looked at stands in the link, so that it can be handed on. */
export function useTimeline(longest: number, warmUp: number): Timeline {
  const { query } = usePlace();
  const from = query.get("from");
  const to = query.get("to");
  const next = useRef<{ zoom: Timeline["zoom"] } | null>(null);
  const setZoom = useCallback((zoom: Timeline["zoom"]) => {
    const waits = next.current !== null;
    next.current = { zoom };
    if (waits) return;
    // Steps within one frame are one: only the last is drawn.
    requestAnimationFrame(() => {
      const last = next.current?.zoom;
      next.current = null;
      setQuery({
        from: last ? String(Math.floor(last.from)) : undefined,
        to: last ? String(Math.ceil(last.to)) : undefined,
      });
    });
  }, []);
  return useMemo(() => {
    const [a, b] = [Number(from), Number(to)];
    const zoom = from !== null && to !== null && a >= 0 && b > a ? { from: a, to: b } : null;
    return { zoom, setZoom, warmUp, longest };
  }, [from, to, setZoom, warmUp, longest]);
}
