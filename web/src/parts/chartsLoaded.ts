import { useEffect, useState } from "react";

export type Charts = typeof import("../charts");

let loaded: Charts | null = null;

/** The chart module, which comes when the first chart is shown. */
export function useCharts(): Charts | null {
  const [charts, setCharts] = useState<Charts | null>(loaded);
  useEffect(() => {
    if (loaded) return;
    let current = true;
    import("../charts").then((module) => {
      loaded = module;
      if (current) setCharts(module);
    });
    return () => {
      current = false;
    };
  }, []);
  return charts;
}
