/** What the server says, by its OpenAPI document and the schemas in schema/. Only what the screens use. */

export type Verdict =
  | "passed"
  | "not_judged"
  | "failed"
  | "no_success"
  | "limited"
  | "aborted"
  | "interrupted"
  | "error";

export type RunState = "queued" | "running" | "finished" | "interrupted" | "incomplete";

export interface RunPage {
  items: RunRow[];
  next: string | null;
  /** Runs that wait for those before them. */
  queued: { id: string; name: string }[];
}

export interface RunRow {
  id: string;
  name: string;
  begin: string;
  duration_s: number | null;
  plan: string;
  target: string;
  /** null while it goes on. */
  verdict: Verdict | null;
  tags: string[];
  note: string;
  state: RunState;
  throughput: number | null;
  p95_ms: number | null;
  error_share: number | null;
  sparkline: (number | null)[];
  trend_key: string;
  /** A step of a search: no part of a trend. */
  step_of?: "capacity" | "study";
}

export interface Times {
  mean: number;
  min: number;
  p50: number;
  p90: number;
  p95: number;
  p99: number;
  p99_9: number;
  max: number;
}

export type LabelKind = "request" | "transaction" | "sub_request";

export type PhaseName = "dns" | "connect" | "tls" | "first_byte" | "receive";

export interface LabelSummary {
  label: string;
  kind: LabelKind;
  parent?: string;
  samples: number;
  errors: number;
  error_rate: number;
  dropped_iterations: number;
  cut_off: number;
  throughput_per_s: number;
  received_bytes: number;
  sent_bytes: number;
  response_time_ms: Times;
  service_time_ms: Times;
  phases: Record<PhaseName, { count: number; mean_ms: number; max_ms: number }>;
  errors_by_kind: Record<string, number>;
  status_codes: Record<string, number>;
}

export interface GeneratorReason {
  kind: string;
  seconds: number;
  seconds_share: number;
  worst: number;
  limit: number;
  competitor?: string;
}

export interface GeneratorHealth {
  limited: boolean;
  reasons: string[];
  reason_details: GeneratorReason[];
  warnings?: GeneratorReason[];
  peak_cpu_share: number;
  send_lateness_ms: Times;
  receive_lag_ms?: Times;
}

export interface ErrorGroup {
  label: string;
  label_kind: LabelKind;
  kind: string;
  code: string;
  message: string;
  other: boolean;
  count: number;
  first_s: number;
  last_s: number;
  samples: { at_s: number; detail: string; request: string; response: string }[];
}

export interface GoalResult {
  goal: string;
  observed: number | null;
  unit: string;
  met: boolean;
}

export interface Summary {
  run: string;
  plan: string;
  started_at: string;
  duration_s: number;
  warm_up_s: number;
  verdict: Verdict;
  generator: GeneratorHealth;
  total: LabelSummary;
  labels: LabelSummary[];
  errors_by_kind: Record<string, number>;
  status_codes: Record<string, number>;
  errors?: ErrorGroup[];
  goals: GoalResult[];
  scenarios?: { name: string; load: string }[];
}

/** A run: its summary, and what else is known. */
export interface RunDetail extends Summary {
  id: string;
  name: string;
  state: RunState;
  note: string;
  tags: string[];
  target: string;
  is_watched: boolean;
  /** Seconds that the run has. */
  seconds: number;
}

/** What a series is. The target's have a thing that they are of, and attributes such as cpu.mode=user. */
export interface SeriesName {
  /** What it is asked for by: throughput, p95_ms, errors.http_status, target:12. */
  id: string;
  name: string;
  unit: string;
  label?: string;
  entity?: { kind: string; name: string; host: string };
  attributes?: string[];
}

/** A chart of one thing of the target, in words; each of its lines is the sum of its series times a factor. */
export interface TargetChart {
  title: string;
  of: string;
  unit: string;
  /** The lower, the more it matters where a bottleneck is looked for. */
  rank: number;
  lines: { name: string; series: string[]; factor: number }[];
}

export interface SeriesNames {
  items: SeriesName[];
  /** Those that matter most first. */
  charts: TargetChart[];
}

export interface SeriesColumn extends SeriesName {
  values: (number | null)[];
}

export interface SeriesTable {
  begin: string;
  step_s: number;
  times_s: number[];
  series: SeriesColumn[];
}

export interface HeatMap {
  times_s: number[];
  step_s: number;
  /** The upper ends of the rows; each is 10^(1/10) times the one before. */
  bounds_ms: number[];
  /** A list of rows for each column. */
  counts: number[][];
}

export interface Distribution {
  count: number;
  /** Shares with the response time that so many had at most, ms. */
  percentiles: [number, number][];
}

export interface LabelTable {
  from_s: number;
  to_s: number;
  items: LabelSummary[];
  total: LabelSummary;
}

export interface Mark {
  load: number;
  low: number;
  high: number | null;
}

export interface Estimate {
  value: number;
  low: number | null;
  high: number | null;
}

export interface CurvePoint {
  load: number;
  throughput_per_s: Estimate;
  response_time_ms: Estimate;
  p95_ms: number;
  error_rate: number;
  steady: boolean;
}

export type MarkName = "a" | "c" | "d" | "e" | "peak" | "power" | "n_star";

export interface LoadCurve {
  model: "users" | "rate";
  points: CurvePoint[];
  marks: Record<MarkName, Mark | null>;
}

export interface RunEvent {
  at_s: number;
  kind: string;
  texts: { en: string; zh: string };
}
