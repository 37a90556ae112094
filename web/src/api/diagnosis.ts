/** The diagnosis as schema/diagnosis.schema.json has it. */

export interface Evidence {
  text: string;
  series?: string;
  capture?: number;
  lines?: string[];
}

export interface Advice {
  setting: string | null;
  current: string | null;
  proposed: string | null;
  why: string;
  knob: string | null;
  value: number | string | null;
}

export interface Finding {
  id: string;
  rank: number;
  layer: "measurement" | "cause" | "resource" | "hint";
  title: string;
  means: string;
  object: { kind: string; name: string; host: string; process?: string };
  explains: { share: number; of: "response_time" | "throughput" | "errors" | "measurement" };
  confidence: number;
  healthy: boolean;
  evidence: Evidence[];
  advice: Advice[];
  experiment: string;
  source: string;
}

export interface AccountPart {
  kind: string;
  process: string;
  host: string;
  peer: string;
  state: string;
  ms: number;
  basis: string;
  text: string;
}

export interface Account {
  response_ms: number;
  requests_per_s: number;
  in_flight: number;
  measured_share: number;
  parts: AccountPart[];
  plateaus: { process: string; number: number; waiting: number; deepest: boolean; text: string }[];
}

export interface Diagnosis {
  run: string;
  outcome: "found" | "healthy" | "nothing" | "insufficient";
  summary: string;
  window_s: [number, number];
  findings: Finding[];
  missing: string[];
  demands: { text: string }[];
  account: Account | null;
}
