import { address, runPath } from "./client";
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
  const source = new EventSource(address(runPath(id, "/live"), { from_s: fromS }));
  const on = <T>(name: string, take: (value: T) => void): void => {
    source.addEventListener(name, (event) => {
      if (event instanceof MessageEvent) take(JSON.parse(String(event.data)) as T);
    });
  };
  on("interval", hearer.interval);
  on("finding", hearer.finding);
  on("event", hearer.event);
  on("generator", hearer.generator);
  on("series", hearer.series);
  on("end", () => {
    source.close();
    hearer.end();
  });
  source.onopen = () => hearer.connection(true);
  source.onerror = () => hearer.connection(false);
  return () => source.close();
}
