import { useEffect, useState } from "react";
import { hearEvents } from "../../api/events";
import { type Measurement, type MeasurementState, measurementAddress, type Step } from "../../api/measurements";
import { type Asked, useJson } from "../../api/use";

/** What was heard of one that goes on; what was before is heard again with each connection. */
interface Heard {
  steps: Step[];
  runs: string[];
}

export interface FollowedMeasurement extends Asked<Measurement> {
  steps: Step[];
  runs: string[];
  goesOn: boolean;
}

export const goesOn = (state: MeasurementState | undefined): boolean => state === "queued" || state === "running";

/** A measurement: what is known of it, and what happens. */
export function useMeasurement(id: string): FollowedMeasurement {
  const asked = useJson<Measurement>(measurementAddress(id));
  const [heard, setHeard] = useState<Heard | null>(null);
  const isOpen = goesOn(asked.value?.state);
  const { again } = asked;
  useEffect(() => {
    if (!isOpen) return;
    const change = (next: (was: Heard) => Heard): void => setHeard((was) => next(was ?? { steps: [], runs: [] }));
    return hearEvents(measurementAddress(id, "/live"), {
      on: {
        progress: (step: Step) => change((was) => ({ ...was, steps: [...was.steps, step] })),
        run: (run: { id: string }) => change((was) => ({ ...was, runs: [...was.runs, run.id] })),
        end: again,
      },
      connection: (up) => {
        if (up) setHeard({ steps: [], runs: [] });
      },
    });
  }, [id, isOpen, again]);
  const known = asked.value;
  // One that waited is under way with its first step.
  const hasBegun = known?.state === "queued" && (heard?.steps.length ?? 0) > known.progress.length;
  useEffect(() => {
    if (hasBegun) again();
  }, [hasBegun, again]);
  // From the moment of its connection until the first event nothing was heard: what was asked for is more.
  const steps = heard && heard.steps.length >= (known?.progress.length ?? 0) ? heard.steps : (known?.progress ?? []);
  const runs = heard && heard.runs.length >= (known?.runs.length ?? 0) ? heard.runs : (known?.runs ?? []);
  return { ...asked, steps, runs, goesOn: isOpen };
}
