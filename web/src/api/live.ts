import { address, runPath } from "./client";
import { hearEvents } from "./events";
import type { GeneratorReason, RunEvent, Times } from "./types";

/** What all requests did in a second of a run, or in several that were merged. */
export interface LiveInterval {
  from_s: number;
  to_s: number;
  /** Ended after the load: in no rate. */
  after_load: boolean;
  users_active: number;
  in_flight: number;
  total: {
    count: number;
    errors: number;
    errors_by_kind: Record<string, number>;
    sent_bytes: number;
    received_bytes: number;
    dropped: number;
    response_ms: Pick<Times, "mean" | "p50" | "p90" | "p95" | "p99" | "max"> | null;
  };
}

/** How the load generator did in the last half minute. */
export interface LiveGenerator {
  second: number;
  /** So many seconds its reasons and warnings are of. */
  window_s: number;
  cpu_share: number;
  limited: boolean;
  reasons: string[];
  /** The reasons in words. */
  texts?: { en: string[]; zh: string[] };
  warnings: GeneratorReason[];
}

/** What was read of the target at a moment, by the ids of series; counters as rates. */
export interface LiveMoment {
  at_s: number;
  values: Record<string, number>;
}

/** The load of a run as it is now. */
export interface LoadNow {
  /** When it ends, seconds from the run's start; null: time does not end it, or that is not known before. */
  end_s: number | null;
  /** Each scenario whose load can be changed here. */
  scenarios: ScenarioLoadNow[];
}

export interface ScenarioLoadNow {
  name: string;
  /** What its load is counted in. */
  model: "users" | "rate";
  /** Users, or arrivals a second; null: it is not ended by time. */
  amount: number | null;
}

export interface LiveHearer {
  interval: (interval: LiveInterval) => void;
  finding: (finding: RunEvent) => void;
  event: (event: RunEvent) => void;
  generator: (generator: LiveGenerator) => void;
  series: (moment: LiveMoment) => void;
  end: () => void;
  connection: (up: boolean) => void;
}

/** Hears a run by server-sent events; the browser connects anew by itself and says what it heard last. */
export function hear(id: string, fromS: number, hearer: LiveHearer): () => void {
  const { connection, ...on } = hearer;
  return hearEvents(address(runPath(id, "/live"), { from_s: fromS }), { on, connection });
}
