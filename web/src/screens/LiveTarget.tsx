import { useEffect, useMemo } from "react";
import { address, runPath } from "../api/client";
import type { LiveMoment } from "../api/live";
import type { SeriesTable } from "../api/types";
import { useJson } from "../api/use";
import { SeriesChoice, TargetPlots, useTargetSeries } from "../parts/TargetCharts";
import type { Timeline } from "../parts/TimeChart";
import { useWords } from "../texts";
import { withMoments } from "./liveColumns";
import { MOST_MOMENTS } from "./useLive";

const POINTS = 3600;

interface Props {
  id: string;
  moments: LiveMoment[];
  timeline: Timeline;
}

/** The target's series beneath the load's while the run goes on: what was so far, and each moment as it comes. */
export function LiveTarget({ id, moments, timeline }: Props) {
  const { t } = useWords();
  const known = useTargetSeries(address(runPath(id, "/series/names")));
  const { names, wanted, again } = known;
  const past = useJson<SeriesTable>(
    wanted.length > 0 ? address(runPath(id, "/series"), { points: POINTS, names: wanted.join(",") }) : null,
  );
  const newest = moments[moments.length - 1];
  const isNew = newest !== undefined && Object.keys(newest.values).some((series) => !names.has(series));
  // A process that appears brings series that were not there.
  useEffect(() => {
    if (isNew) again();
  }, [isNew, again]);
  const pastAgain = past.again;
  const turn = Math.floor((newest?.at_s ?? 0) / MOST_MOMENTS);
  useEffect(() => {
    if (turn > 0) pastAgain();
  }, [turn, pastAgain]);
  const table = useMemo(() => (past.value ? withMoments(past.value, moments) : undefined), [past.value, moments]);
  if (known.plans.length === 0) return <p className="muted">{t.result.targetWaits}</p>;
  return (
    <>
      <SeriesChoice of={known} />
      <TargetPlots of={known} table={table} timeline={timeline} joined />
    </>
  );
}
