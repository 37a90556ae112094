/** The target without load, and the machines, by the server's OpenAPI document. */
import type { BothTexts } from "./measurements";

export interface MonitorSource {
  name: string;
  /** Why nothing is seen of it; null: all is well. */
  trouble: BothTexts | null;
}

export interface MonitorNow {
  sources: MonitorSource[];
  begin: string | null;
  keeps_s: number;
}

/** What was read at a second, by the ids of series. */
export interface MonitorMoment {
  at_unix_s: number;
  values: Record<string, number>;
}

export interface ServerMeta {
  version: string;
  rights: string[];
  /** What the server's command line allows: tune, scripts … */
  allows: string[];
  runs_folder: string;
  running: string | null;
  queued: number;
  machine: { host_name: string; os: string; cpu_model: string; allowed_cpus: number; memory_bytes: number };
}

/** A ceiling of this load generator, as schema/calibration.schema.json has it. */
export interface Ceiling {
  measured_at: string;
  machine: { version: string; host: string; cpu_model: string; kernel: string; cpus: number };
  page: string | null;
  keep_alive: boolean;
  threads: number;
  users: number;
  measured_per_s: number;
  cpu_us_per_request: number;
  per_core_per_s: number;
  all_cores_per_s: number;
  limit: "generator" | "shared_cpus" | "page" | "not_reached";
  page_share: number | null;
}

/** A machine that makes load for this server, or whose agent is watched; null: not known. */
export interface Machine {
  kind: "own" | "worker" | "agent";
  name: string;
  host: string;
  version: string | null;
  cores: number | null;
  memory_bytes: number | null;
  cpu_model: string | null;
  state: string | null;
  health: string | null;
  run: string | null;
  labels: Record<string, string>;
  clock_offset_ms: number | null;
  clock_error_ms: number | null;
  last_heard: string;
}

export interface MachineList {
  items: Machine[];
  /** Workers are asked who is there; else none is known. */
  asks_workers: boolean;
  trouble: BothTexts | null;
}
