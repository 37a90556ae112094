import type { RunState } from "../api/types";

type WorkState = "queued" | "running" | "finished" | "stopped" | "interrupted" | "failed";

const TONES: Record<WorkState, string> = {
  queued: "plain",
  running: "live",
  finished: "good",
  stopped: "warn",
  interrupted: "warn",
  failed: "bad",
};

/** Whether it is still to be waited for. */
export const goesOn = (state: WorkState | RunState): boolean => state === "running" || state === "queued";

/** How far something got that the server does. */
export function StateBadge({ state, names }: { state: WorkState; names: Record<WorkState, string> }) {
  return <span className={`badge ${TONES[state]}`}>{names[state]}</span>;
}
