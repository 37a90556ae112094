import type { RunDetail } from "../api/types";

/** Which of the chosen runs are compared with which. */
export interface Sides {
  a: string[];
  b: string[];
}

const loads = (run: RunDetail): string => (run.scenarios ?? []).map(({ load }) => load).join("; ");

/** What tells two sides apart, the clearest first: what was run, then what people wrote on it. */
const APART: ((run: RunDetail) => string)[] = [
  (run) => [run.plan, run.target, loads(run)].join(" | "),
  (run) => [...run.tags].sort().join(" | "),
];

/**
 * Sides to begin with: two runs as they were chosen; several by what they differ in, if that makes two, else the older
 * half and the newer. Whoever looks changes them.
 */
export function guessedSides(runs: RunDetail[]): Sides {
  const ids = (of: RunDetail[]): string[] => of.map(({ id }) => id);
  if (runs.length <= 2) return { a: ids(runs.slice(0, 1)), b: ids(runs.slice(1)) };
  const byTime = [...runs].sort((one, other) => one.started_at.localeCompare(other.started_at));
  const [oldest] = byTime;
  for (const kind of APART) {
    if (!oldest || new Set(runs.map(kind)).size !== 2) continue;
    const isOld = (run: RunDetail): boolean => kind(run) === kind(oldest);
    return { a: ids(byTime.filter(isOld)), b: ids(byTime.filter((run) => !isOld(run))) };
  }
  const half = Math.floor(byTime.length / 2);
  return { a: ids(byTime.slice(0, half)), b: ids(byTime.slice(half)) };
}

/** Runs that were made in turn, A B B A, as the address of a comparison has them. */
export function sidesOfPairs(runs: string[]): Record<string, string> {
  const whole = runs.slice(0, runs.length - (runs.length % 2));
  const isA = (i: number): boolean => (i >> 1) % 2 === i % 2;
  const of = (wanted: boolean): string => whole.filter((_, i) => isA(i) === wanted).join(",");
  return { a: of(true), b: of(false), paired: "1" };
}
