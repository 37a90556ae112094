type WorkState = "queued" | "running" | "finished" | "stopped" | "interrupted" | "failed";

const TONES: Record<WorkState, string> = {
  queued: "plain",
  running: "live",
  finished: "good",
  stopped: "warn",
  interrupted: "warn",
  failed: "bad",
};

/** How far something got that the server does. */
export function StateBadge({ state, names }: { state: WorkState; names: Record<WorkState, string> }) {
  return <span className={`badge ${TONES[state]}`}>{names[state]}</span>;
}
