/** Studies of `plimsoll tune`, by the server's OpenAPI document and schema/tune.schema.json. */
import { address } from "./client";
import type { BothTexts, Step } from "./measurements";
import type { Offers } from "./offers";

export type StudyState = "queued" | "running" | "finished" | "interrupted" | "failed";
export type KnobValues = Record<string, string>;

export interface BestTrial {
  trial: number;
  objective: number;
  unit: string;
  /** By how much it is better than the target as it was found, as a share; null: not known. */
  gain: number | null;
}

export interface StudyRow {
  study: string;
  state: StudyState;
  begin: string;
  end: string | null;
  objective: string;
  trials: number;
  /** What the best trial changed; empty: nothing; null: none so far. */
  best: KnobValues | null;
  best_trial: BestTrial | null;
  /** Its server went before all was brought back. */
  needs_restore: boolean;
  by: string | null;
  /** Made by `plimsoll tune`: it is stopped there. */
  command_line: boolean;
}

export interface TrialLimits {
  finding: string;
  object: string;
  title: string;
  title_zh: string;
  healthy: boolean;
}

export interface TrialMeasured {
  end: "measured";
  objective: number;
  throughput_per_s: number;
  mean_ms: number;
  p99_ms: number;
  error_rate: number;
  broken: string[];
  run: string;
  warm_up_s: number;
  steady: boolean;
  cut_short: boolean;
  generator_limited: boolean;
  read_back?: { knob: string; has: string; by: string }[];
  not_confirmed: string[];
  limits: TrialLimits | null;
}

export type TrialEnd =
  | TrialMeasured
  | { end: "void"; instead: { knob: string; wanted: string; has: string }[] }
  | { end: "failed"; what: string; detail: string }
  | { end: "interrupted" };

export type TrialReason = "baseline" | "incumbent" | "advice" | "search" | "final" | "put_back";

export interface Trial {
  number: number;
  why: { reason: TrialReason; finding?: string; knob?: string };
  values: KnobValues;
  seconds: number;
  result: TrialEnd;
}

export interface Effect {
  share: number;
  low: number | null;
  high: number | null;
  pairs: number;
  verdict: "better" | "worse" | "no_difference" | "open";
}

export interface StudyFigures {
  runs: number;
  objective: number;
  throughput_per_s: number;
  mean_ms: number;
  p99_ms: number;
  error_rate: number;
  memory_bytes: number;
}

/** schema/tune.schema.json. */
export interface StudyResult {
  study: string;
  plan: string;
  objective: string;
  unit: string;
  maximise?: boolean;
  end: "done" | "not_judged" | "nothing_tried" | "none_measured" | "no_baseline" | "interrupted" | "broken";
  error_rate: number;
  smallest_gain: number;
  noise: number | null;
  seconds: number;
  knobs: { name: string; found: string | null }[];
  trials: Trial[];
  best: KnobValues;
  kept: KnobValues | null;
  effect: Effect | null;
  each: { knob: string; value: string; effect: Effect; kept: boolean }[];
  before: StudyFigures | null;
  after: StudyFigures | null;
  limits: TrialLimits | null;
  changes: { of: string; lines: string[] }[];
  given_up?: { knob: string; value: string; what: string }[];
  notes?: { kind: string; before: number | null; after: number | null; text: string }[];
}

export interface StudyDetail extends Omit<StudyRow, "trials"> {
  plan: string;
  unit: string;
  maximise: boolean;
  most_trials: number;
  trials: Trial[];
  left_s: number | null;
  progress: Step[];
  /** The files that its settings stand in; `as_before` is null until they were read again. */
  files: { path: string; sha256: string | null; as_before: boolean | null }[];
  /** The study as it was sent. */
  text: string;
  /** What was read at the end; null: it goes on, or nobody has looked since. */
  brought_back: { as_before: boolean; trouble: BothTexts[] } | null;
  result: StudyResult | null;
  error: BothTexts | null;
}

export function studyAddress(study: string, rest = ""): string {
  return address(`/studies/${encodeURIComponent(study)}${rest}`);
}

/** A study is made of a finding by the path that the server's document has for it; null: it has none. */
export function findingStudyAddress(offers: Offers, run: string, rank: number): string | null {
  const isThere = [...offers].some((offer) => /^GET \/runs\/\{\w+\}\/findings\/\{\w+\}\/study$/.test(offer));
  return isThere ? address(`/runs/${encodeURIComponent(run)}/findings/${rank}/study`) : null;
}
