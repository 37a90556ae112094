/** What a report's page has in its JSON (crates/report/src/html/charts.rs). */

export type Values = (number | null)[];

export interface LabelData {
  name: string;
  kind: "request" | "transaction" | "sub_request";
  rate: Values;
  rate_min: Values | null;
  rate_max: Values | null;
  errors: Values;
  min: Values;
  p50: Values;
  p95: Values;
  p99: Values;
  max: Values;
  /** 1 / (1 - share), response time, service time. */
  distribution: [number, number, number][];
}

export interface ReportData {
  step_s: number;
  end_s: number;
  warm_up_s: number;
  time: number[];
  labels: LabelData[];
  generator: {
    users: Values;
    in_flight: Values;
    in_flight_max: Values | null;
    cpu: Values;
    wait: Values;
    lateness_ms: Values;
  };
  target: { unit: string; lines: { name: string; values: Values }[] }[];
  /** Of all requests. A column is its first row, and the counts from there on. */
  heat: { step_s: number; bounds_ms: number[]; counts: number[][] };
  text: Record<string, string>;
}
