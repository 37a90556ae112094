import { useEffect, useState } from "react";
import { hearEvents } from "../../api/events";
import type { Step } from "../../api/measurements";
import { type StudyDetail, studyAddress, type Trial } from "../../api/studies";
import { type Asked, useJson } from "../../api/use";
import { goesOn } from "../../parts/StateBadge";

interface Heard {
  steps: Step[];
  trials: Trial[];
}

export interface FollowedStudy extends Asked<StudyDetail> {
  steps: Step[];
  trials: Trial[];
  goesOn: boolean;
}

/** A study: what is known of it, and each trial as it ends. */
export function useStudy(name: string): FollowedStudy {
  const asked = useJson<StudyDetail>(studyAddress(name));
  const [heard, setHeard] = useState<Heard | null>(null);
  const known = asked.value;
  const isOpen = known !== undefined && known.end === null && goesOn(known.state);
  const { again } = asked;
  useEffect(() => {
    if (!isOpen) return;
    const change = (next: (was: Heard) => Heard): void => setHeard((was) => next(was ?? { steps: [], trials: [] }));
    return hearEvents(studyAddress(name, "/live"), {
      on: {
        progress: (step: Step) => change((was) => ({ ...was, steps: [...was.steps, step] })),
        trial: (trial: Trial) => {
          change((was) => ({ ...was, trials: [...was.trials, trial] }));
          again();
        },
        end: again,
      },
      connection: (up) => {
        // What was before comes first with each connection.
        if (up) setHeard({ steps: [], trials: [] });
      },
    });
  }, [name, isOpen, again]);
  const longer = <T>(told: T[] | undefined, asked: T[] | undefined): T[] =>
    (told?.length ?? 0) >= (asked?.length ?? 0) ? (told ?? []) : (asked ?? []);
  return {
    ...asked,
    steps: longer(heard?.steps, known?.progress),
    trials: longer(heard?.trials, known?.trials),
    goesOn: isOpen,
  };
}
