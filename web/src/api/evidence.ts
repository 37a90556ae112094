/** What shows a finding, and what was captured of the target, by the server's OpenAPI document. */
import type { FlameData } from "../charts";
import { address, runPath } from "./client";
import type { SeriesName } from "./types";

export interface Thing {
  kind: string;
  name: string;
  host: string;
}

export type CaptureView = "threads" | "flame" | "classes" | "statements" | "text";

export interface Capture {
  number: number;
  kind: string;
  moment: string;
  at_s: number;
  took_ms: number;
  length: number;
  media_type: string;
  entity: Thing;
  views: CaptureView[];
}

export interface Part<T> {
  items: T[];
  next: string | null;
}

export interface FindingEvidence {
  id: string;
  rank: number;
  title: string;
  from_s: number;
  to_s: number;
  at_s: number | null;
  series: (SeriesName & { at_s: number | null })[];
  series_left_out: number;
  captures: (Capture & { lines: string[] })[];
  facts: { entity: Thing; name: string; value: string }[];
}

export interface ThreadNames {
  count: number;
  names: string[];
}

export interface StackGroup {
  threads: ThreadNames;
  state: string | null;
  place: string;
  serves: boolean;
  calls: { method: string; place: string; is_own: boolean }[];
  calls_left_out: number;
  waits_for: string[];
  holds: string[];
}

export interface WaitedLock {
  id: string;
  class: string;
  how: string;
  holder: string | null;
  holder_state: string | null;
  holder_in: string | null;
  waiting: ThreadNames;
}

export interface ThreadDump extends Part<StackGroup> {
  capture: Capture;
  jvm: string;
  threads: number;
  serving: number;
  groups: number;
  locks: WaitedLock[];
  locks_left_out: number;
  deadlocks: string[][];
}

export type FlameOf = "cpu" | "locks" | "waits" | "threads" | "goroutines";

export interface CaptureFlame {
  capture: Capture;
  of: FlameOf;
  known: FlameOf[];
  graph: FlameData & { left_out: number };
}

export interface HeapClasses
  extends Part<{ class: string; objects: number; bytes: number; more_objects: number; more_bytes: number }> {
  capture: Capture;
  before: Capture | null;
  bytes: number;
  more_bytes: number;
}

export interface Statement {
  digest: string;
  text: string;
  count: number | null;
  time_s: number | null;
  max_s: number | null;
  lock_time_s: number | null;
  rows_examined: number | null;
  rows_sent: number | null;
  no_index_count: number | null;
  plan: Record<string, unknown>[] | null;
}

export interface Statements {
  capture: Capture;
  statements: Statement[];
  statements_missing: string | null;
  running: {
    schema: string;
    state: string;
    wait_event_type: string;
    wait_event: string;
    seconds: number | null;
    text: string;
    blocked_by: number[];
    plan: Record<string, unknown>[] | null;
  }[];
  running_missing: string | null;
  commands: { time_us: number | null; command: string; key: string | null; arguments: number | null }[];
  left_out: number;
}

export interface Fact {
  entity: Thing;
  name: string;
  values: { at_s: number; value: string }[];
  before: string | null;
  is_changed: boolean;
}

/** The address of what a capture of a run is looked at as; its text without a view. */
export function viewAddress(
  run: string,
  { number }: Capture,
  view: string,
  query: Record<string, string | number | undefined> = {},
): string {
  return address(runPath(run, `/evidence/captures/${number}${view}`), query);
}
