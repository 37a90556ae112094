import { useCallback, useMemo } from "react";
import { setQuery, usePlace } from "../app/router";
import type { Timeline } from "../parts/TimeChart";

/** The stretch that is looked at stands in the link, so that it can be handed on. */
export function useTimeline(longest: number, warmUp: number): Timeline {
  const { query } = usePlace();
  const from = query.get("from");
  const to = query.get("to");
  const setZoom = useCallback((zoom: Timeline["zoom"]) => {
    setQuery({
      from: zoom ? String(Math.floor(zoom.from)) : undefined,
      to: zoom ? String(Math.ceil(zoom.to)) : undefined,
    });
  }, []);
  return useMemo(() => {
    const [a, b] = [Number(from), Number(to)];
    const zoom = from !== null && to !== null && a >= 0 && b > a ? { from: a, to: b } : null;
    return { zoom, setZoom, warmUp, longest };
  }, [from, to, setZoom, warmUp, longest]);
}
