import type { Trial } from "../../api/studies";

export interface StudyCourse {
  numbers: number[];
  /** Each trial's objective; null: it has none. */
  each: (number | null)[];
  /** The best until then of those that broke nothing; null: none so far. */
  best: (number | null)[];
}

/** The way to the best, trial by trial. */
export function bestSoFar(trials: Trial[], maximise: boolean): StudyCourse {
  let best: number | null = null;
  const course: StudyCourse = { numbers: [], each: [], best: [] };
  for (const { number, result } of trials) {
    const value = result.end === "measured" ? result.objective : null;
    const counts = result.end === "measured" && result.broken.length === 0 && !result.cut_short;
    if (value !== null && counts && (best === null || (maximise ? value > best : value < best))) best = value;
    course.numbers.push(number);
    course.each.push(value);
    course.best.push(best);
  }
  return course;
}
