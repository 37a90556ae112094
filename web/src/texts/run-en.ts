/** Texts of a run: its load over time, and what stretch of it figures are of. */
export const runEn = {
  load: {
    time: "Time",
    planned: "Planned",
    left: "Left",
    noEnd: "no end fixed by time",
    scenario: "Scenario",
    fixed: "The load of this run cannot be changed here now.",
  },
  stretch: {
    newest: "The newest second",
    whole: "Whole run",
    wholeHint: "It is of the whole run, whatever stretch the charts show.",
  },
  target: {
    charts: "Charts",
    series: "Single series, by their own names",
  },
  queue: {
    neverMade: "This run was never made",
    toRuns: "To the runs",
  },
};
