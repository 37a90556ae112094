import { describe, expect, it } from "vitest";
import type { Trial } from "../../src/api/studies";
import type { SeriesTable } from "../../src/api/types";
import { reasonTexts } from "../../src/parts/GeneratorNotice";
import { EMPTY_MEASURE, type MeasureForm, measureMistakes, measureOrder } from "../../src/screens/measures/form";
import { scatter } from "../../src/screens/measures/scatter";
import { bestSoFar } from "../../src/screens/tune/course";
import { since } from "../../src/screens/useMonitor";
import { en } from "../../src/texts/en";
import { zh } from "../../src/texts/zh";

const form = (change: Partial<MeasureForm>): MeasureForm => ({ ...EMPTY_MEASURE, ...change });
const url = (text: string) => ({ ...EMPTY_MEASURE.a, url: text });

describe("a measurement that is typed", () => {
  it("says what is wrong of each kind, and nothing of what does not belong to it", () => {
    expect(measureMistakes(form({}), en)?.a.url).toBe(en.start.urlWrong);
    expect(measureMistakes(form({ a: url("http://x/"), goals: " \n" }), en)?.goals).toBe(en.measures.goalsWrong);
    expect(measureMistakes(form({ a: url("http://x/") }), en)).toBeNull();
    const hops = (text: string) => measureMistakes(form({ kind: "hops", hops: text }), en);
    expect(hops("")?.hops).toBe(en.measures.hopsWrong);
    expect(hops("a=http://x/")?.hops).toBe(en.measures.hopsWrong);
    expect(hops("a=http://x/\nb: http://y/")?.hops).toBe(en.measures.hopsWrong);
    expect(hops("a=http://x/\n\n b = http://y/ \n")).toBeNull();
    const plan = { ...EMPTY_MEASURE.a, by: "plan" as const, plan: "name: x" };
    expect(measureMistakes(form({ kind: "hops", a: plan }), en)).toBeNull();
    expect(measureMistakes(form({ kind: "capacity", a: plan, goals: "" }), en)).toBeNull();
    expect(measureMistakes(form({ kind: "interleave", a: url("http://x/") }), en)?.b.url).toBe(en.start.urlWrong);
    expect(
      measureMistakes(form({ kind: "repeat", a: { ...url("http://x/"), duration: "soon" } }), en)?.a.duration,
    ).toBe(en.start.durationWrong);
  });
  it("asks for a capacity with the load's unit, and for no load that it has not", () => {
    const order = measureOrder(form({ a: url(" http://x/ "), load: "rate", from: 5, to: null }));
    expect(order).toMatchObject({ kind: "capacity", from: "5/s", step_s: 20 });
    expect(order.to).toBeUndefined();
    expect(order.order).toEqual({ url: "http://x/", watch: "auto", goals: ["p95 < 300 ms", "errors < 1 %"] });
  });
  it("takes with each plan the files that it reads, and with a URL none", () => {
    const files = [{ name: "users.csv", base64: "YQo=" }];
    const planned = { ...EMPTY_MEASURE.a, by: "plan" as const, plan: "name: x", files };
    for (const kind of ["capacity", "hops", "interleave", "repeat"] as const)
      expect(measureOrder(form({ kind, a: planned, b: planned }))).toMatchObject({ order: { plan: "name: x", files } });
    expect(measureOrder(form({ kind: "interleave", a: planned, b: planned }))).toMatchObject({ b: { files } });
    const byUrl = measureOrder(form({ kind: "repeat", a: { ...url("http://x/"), files } }));
    expect(byUrl.order).not.toHaveProperty("files");
  });
  it("loads the outermost hop's address", () => {
    const order = measureOrder(form({ kind: "hops", hops: "front=http://x/a\nback=http://y/a" }));
    expect(order).toMatchObject({ order: { url: "http://x/a" }, hops: ["front=http://x/a", "back=http://y/a"] });
  });
});

describe("scatter", () => {
  it("is the standard deviation of a sample by its mean", () => {
    // 2, 4, 4, 4, 5, 5, 7, 9: mean 5, sum of squares 32.
    const { mean, share } = scatter([2, 4, 4, 4, 5, 5, 7, 9]);
    expect(mean).toBe(5);
    expect(share).toBeCloseTo(Math.sqrt(32 / 7) / 5, 12);
  });
  it("says nothing where there is nothing to say", () => {
    expect(scatter([])).toEqual({ mean: null, share: null });
    expect(scatter([3])).toEqual({ mean: 3, share: null });
    expect(scatter([0, 0])).toEqual({ mean: 0, share: null });
  });
});

describe("the way to the best", () => {
  const trial = (number: number, result: object): Trial =>
    ({ number, why: { reason: "search" }, values: {}, seconds: 1, result }) as unknown as Trial;
  const measured = (objective: number, change: object = {}) => ({
    end: "measured",
    objective,
    broken: [],
    cut_short: false,
    ...change,
  });
  const trials = [
    trial(1, measured(10)),
    trial(2, { end: "failed", what: "died", detail: "" }),
    trial(3, measured(20, { broken: ["p99 < 1 s"] })),
    trial(4, measured(15)),
    trial(5, measured(30, { cut_short: true })),
    trial(6, measured(5)),
  ];
  it("counts what broke nothing and was not cut short", () => {
    expect(bestSoFar(trials, true)).toEqual({
      numbers: [1, 2, 3, 4, 5, 6],
      each: [10, null, 20, 15, 30, 5],
      best: [10, 10, 10, 15, 15, 15],
    });
    expect(bestSoFar(trials, false).best).toEqual([10, 10, 10, 10, 10, 5]);
    expect(bestSoFar([], true)).toEqual({ numbers: [], each: [], best: [] });
  });
});

describe("the last hours", () => {
  const table: SeriesTable = {
    begin: "",
    step_s: 1,
    times_s: [10, 11, 12],
    series: [{ id: "a", name: "a", unit: "", values: [1, null, 3] }],
  };
  it("are cut in front, all columns alike", () => {
    expect(since(table, 11).times_s).toEqual([11, 12]);
    expect(since(table, 11).series[0]?.values).toEqual([null, 3]);
    expect(since(table, 5)).toBe(table);
    // What ended before it all is shown as it is: nothing newer is known.
    expect(since(table, 99)).toBe(table);
  });
});

describe("reasons of the load generator", () => {
  const say = (id: string): string => `said ${id}`;
  it("are sentences in both languages, never bare names", () => {
    for (const texts of [en, zh]) {
      for (const kind of ["cpu", "lateness", "receive_lag", "ports", "fds", "memory", "starved", "stopped"]) {
        const [text = ""] = reasonTexts({ limited: true, reasons: [kind] }, say, texts);
        expect(text).not.toBe(kind);
        expect(text).toMatch(/[.。]$/);
      }
      const [unknown = ""] = reasonTexts({ limited: true, reasons: ["gravity"] }, say, texts);
      expect(unknown).toContain("gravity");
      expect(unknown).not.toBe("gravity");
    }
  });
  it("come with their figures where these are known, and once each", () => {
    const detail = { kind: "cpu", seconds: 3, seconds_share: 0.1, worst: 0.99, limit: 0.9 };
    const health = { limited: true, reasons: ["cpu", "fds"], reason_details: [detail] };
    expect(reasonTexts(health, say, en)).toEqual(["said report-reason-cpu", en.generator.reasons.fds]);
  });
});
