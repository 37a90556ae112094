/** Several runs as one undertaking, by the server's OpenAPI document and the schemas in schema/. */
import { address } from "./client";
import type { Diagnosis } from "./diagnosis";
import type { Estimate, LabelKind, LoadCurve, Summary } from "./types";

export type MeasurementKind = "capacity" | "hops" | "interleave" | "repeat";
export type MeasurementState = "queued" | "running" | "finished" | "stopped" | "failed";

export interface BothTexts {
  en: string;
  zh: string;
}

export type Step = BothTexts & { at: string };

export interface MeasurementRow {
  id: string;
  kind: MeasurementKind;
  name: string;
  begin: string;
  end: string | null;
  state: MeasurementState;
  runs: string[];
  by: string | null;
}

export type Measured =
  | { kind: "capacity"; result: Capacity | null }
  | { kind: "hops"; result: Hops | null }
  | { kind: "interleave"; result: Comparison | null }
  | { kind: "repeat"; result: { runs: Summary[] } | null };

export type Measurement = MeasurementRow & { progress: Step[]; error: BothTexts | null } & Measured;

export interface CapacityGoal {
  goal: string;
  observed: number | null;
  unit: string;
  met: boolean;
}

export interface CapacityMeasurement {
  run: string;
  phase: "bracket" | "narrow" | "repeat";
  load: number;
  met: boolean;
  ratio: number;
  worst_goal: number;
  goals: CapacityGoal[];
  fell_behind: boolean;
  stopped_early: boolean;
  generator_limited: boolean;
  steady: boolean;
  throughput_per_s: Estimate;
  response_time_ms: Estimate;
  p95_ms: number;
  error_rate: number;
}

export type CapacityEnd = "found" | "met_at_largest" | "missed_at_smallest" | "measurements_ended" | "interrupted";

/** schema/capacity.schema.json. */
export interface Capacity {
  plan: string;
  target: string;
  model: "users" | "rate";
  goals: string[];
  result: {
    end: CapacityEnd;
    load: number | null;
    low: number | null;
    high: number | null;
    precision: number | null;
    precision_asked: number;
    measurements: number;
  };
  mix?: { label: string; load: number; share: number; reference_load: number; reference_share: number } | null;
  generator_limited: boolean;
  beyond: { run: string; load: number; goal: CapacityGoal; diagnosis: Diagnosis | null } | null;
  /** Null with fewer than three loads; not there in documents of an older version. */
  curve?: LoadCurve | null;
  measurements: CapacityMeasurement[];
}

export interface Hop {
  name: string;
  address: string;
  samples: number;
  errors: number;
  time_ms: Estimate | null;
  own_ms: Estimate | null;
  p50_ms: number;
  p90_ms: number;
}

/** schema/hops.schema.json. */
export interface Hops {
  measured_at: string;
  users: number;
  rounds: number;
  round_s: number;
  hops: Hop[];
  slowest: { name: string; own_ms: number; share: number; clear: boolean } | null;
}

export type MetricName = "throughput" | "mean" | "p50" | "p90" | "p95" | "p99" | "error_rate";

export interface ComparedMetric {
  metric: MetricName;
  a_mean: number;
  b_mean: number;
  diff: number;
  relative_diff: number | null;
  ci_low: number | null;
  ci_high: number | null;
  verdict: "no_difference_shown" | "higher" | "lower" | "repeat_needed";
}

/** schema/comparison.schema.json. */
export interface Comparison {
  design: "unpaired" | "paired";
  runs_a: number;
  runs_b: number;
  total: ComparedMetric[];
  labels: { label: string; kind: LabelKind; metrics: ComparedMetric[] }[];
  unmatched: { label: string; kind: LabelKind }[];
}

/** What is different between two runs. */
export interface Changed {
  name: string;
  /** What of the target it is of; empty: of the run. */
  of: string;
  before: string | null;
  after: string | null;
}

/** Runs that were chosen, B set against A. */
export interface ComparedSides extends Comparison {
  /** Why a difference may be that of two things, or a run is doubtful. */
  doubts: BothTexts[];
  /** From the first run of A to the first of B. */
  changed: Changed[];
}

export function measurementAddress(id: string, rest = ""): string {
  return address(`/measurements/${encodeURIComponent(id)}${rest}`);
}
