import { describe, expect, it } from "vitest";
import type { SeriesName, TargetChart } from "../../src/api/types";
import { toldApart } from "../../src/format/number";
import { firstPlans, plannedLines, plansOf, targetPlans } from "../../src/parts/targetPlans";

const series = (id: string, name: string, attributes: string[] = []): SeriesName => ({
  id,
  name,
  unit: "s/s",
  entity: { kind: "host", name: "", host: "a" },
  attributes,
});
const chart = (title: string, of: string, rank: number, ids: string[][], factor = 100): TargetChart => ({
  title,
  of,
  unit: "%",
  rank,
  lines: ids.map((own, at) => ({ name: `line ${at}`, series: own, factor })),
});

describe("the charts of a target", () => {
  it("have words first, with the names of their series, and each quantity by its own name behind them", () => {
    const items = [
      series("1", "system.cpu.time", ["cpu.mode=user"]),
      series("2", "system.cpu.time"),
      series("3", "x.y"),
    ];
    const plans = targetPlans({ items, charts: [chart("CPU of the host", "host a", 1, [["1"], ["2"]])] });
    expect(plans.map(({ title, hint }) => [title, hint])).toEqual([
      ["CPU of the host, % · host a", "system.cpu.time"],
      ["host a · system.cpu.time, %", "system.cpu.time"],
      ["host a · x.y, %", "x.y"],
    ]);
    // An unknown series keeps its name.
    expect(plans[2]?.lines.map((line) => line.name)).toEqual(["x.y"]);
    expect(plans[1]?.lines.map((line) => line.name)).toEqual(["user", "system.cpu.time"]);
  });

  it("begin with what matters most, of each kind a few", () => {
    const processes = Array.from({ length: 9 }, (_, at) => chart("CPU of the process", `p${at}`, 0, [["1"]]));
    const others = Array.from({ length: 9 }, (_, at) => chart(`other ${at}`, "host a", at + 1, [["1"]]));
    const first = firstPlans(targetPlans({ items: [series("1", "x")], charts: [...processes, ...others] }));
    expect(first.slice(0, 4)).toEqual([
      "CPU of the process · p0",
      "CPU of the process · p1",
      "CPU of the process · p2",
      "other 0 · host a",
    ]);
    expect(first).toHaveLength(10);
    // Of a target of which nothing has words something is shown, too.
    expect(firstPlans(targetPlans({ items: [series("1", "x")], charts: [] }))).toEqual(["host a · x"]);
  });

  it("of some series are each named once, with words where there are any", () => {
    const items = [series("1", "x"), series("2", "x"), series("3", "x.y")];
    const plans = targetPlans({ items, charts: [chart("CPU", "a", 1, [["1"], ["2"]]), chart("all", "a", 2, [["2"]])] });
    expect(plansOf(plans, ["3", "2", "1", "9"]).map(({ key }) => key)).toEqual(["host a · x.y", "CPU · a"]);
    expect(plansOf(plans, [])).toEqual([]);
  });

  it("add up what makes a line, over gaps, and keep the largest of many lines", () => {
    const columns = [series("1", "x"), series("2", "x")].map((name, at) => ({
      ...name,
      values: at === 0 ? [1, null, null] : [2, 3, null],
    }));
    const byId = new Map(columns.map((column) => [column.id, column]));
    const [plan] = targetPlans({ items: columns, charts: [chart("t", "of", 0, [["1", "2"], ["9"]], 10)] });
    if (!plan) throw new Error("no plan");
    expect(plannedLines(plan, byId, true).map(({ name, values }) => [name, values])).toEqual([
      ["line 0", [30, 30, null]],
    ]);
    const many = Array.from({ length: 12 }, (_, at) => ({ ...series(String(at), "x"), values: [at] }));
    const [wide] = targetPlans({
      items: many,
      charts: [
        chart(
          "t",
          "of",
          0,
          many.map(({ id }) => [id]),
          1,
        ),
      ],
    });
    if (!wide) throw new Error("no plan");
    const shown = plannedLines(wide, new Map(many.map((column) => [column.id, column])), false);
    expect(shown.map(({ values }) => values[0])).toEqual([11, 10, 9, 8, 7, 6, 5, 4]);
  });
});

describe("a value beyond its limit", () => {
  it("is told apart from it, and at it is the same", () => {
    expect(toldApart(90.04, 90)).toBe("90.04");
    expect(toldApart(5.00002, 5)).toBe("5.00002");
    expect(toldApart(90, 90)).toBe("90.0");
  });
});
