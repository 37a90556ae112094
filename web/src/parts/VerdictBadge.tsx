import type { RunState, Verdict } from "../api/types";
import { useWords } from "../texts";

/** How a verdict looks: good, bad, or to be taken with care. */
export function verdictTone(verdict: Verdict | null, state: RunState): "good" | "bad" | "warn" | "live" | "plain" {
  if (state === "running") return "live";
  if (state === "queued") return "plain";
  if (verdict === "passed") return "good";
  if (verdict === "failed" || verdict === "no_success" || verdict === "error") return "bad";
  return verdict === "not_judged" ? "plain" : "warn";
}

export function verdictId(verdict: Verdict): string {
  return `report-verdict-${verdict.replace(/_/g, "-")}`;
}

export function VerdictBadge({ verdict, state }: { verdict: Verdict | null; state: RunState }) {
  const { t, say } = useWords();
  const judged = state === "finished" || (state === "interrupted" && verdict !== null);
  const text = judged && verdict ? say(verdictId(verdict)) : t.state[state];
  return <span className={`badge ${verdictTone(verdict, state)}`}>{text}</span>;
}
