import { describe, expect, it } from "vitest";
import type { LiveInterval } from "../../src/api/live";
import type { SeriesTable } from "../../src/api/types";
import { link, parse } from "../../src/app/router";
import { errorKindId, loadCharts, shownUnit, targetGroups } from "../../src/parts/columns";
import { lastValue, valuesOf, withGenerator, withInterval, withMoments } from "../../src/screens/liveColumns";
import { en } from "../../src/texts/en";

const interval = (from_s: number, change: Partial<LiveInterval> = {}): LiveInterval => ({
  from_s,
  to_s: from_s + 1,
  after_load: false,
  users_active: 5,
  in_flight: 3,
  total: {
    count: 10,
    errors: 1,
    errors_by_kind: { http_status: 1 },
    sent_bytes: 100,
    received_bytes: 1000,
    dropped: 0,
    response_ms: null,
  },
  ...change,
});
const empty: SeriesTable = { begin: "", step_s: 1, times_s: [], series: [] };

describe("live columns", () => {
  it("are rates of the seconds that an interval has", () => {
    const values = valuesOf(interval(4, { to_s: 6 }));
    expect([values.throughput, values["errors.http_status"], values.users, values.p95_ms]).toEqual([5, 0.5, 5, null]);
  });
  it("count what comes twice once, and nothing that ended after the load", () => {
    const once = withInterval(withInterval(empty, interval(0)), interval(1));
    expect(withInterval(once, interval(1))).toBe(once);
    expect(withInterval(once, interval(2, { after_load: true }))).toBe(once);
    expect(once.times_s).toEqual([0, 1]);
  });
  it("have the generator's CPU of each second, which is told behind it", () => {
    const told = { second: 1, window_s: 2, cpu_share: 0.5, limited: false, reasons: [], warnings: [] };
    const two = withInterval(withInterval(empty, interval(0)), interval(1));
    const table = withInterval(withGenerator(two, told), interval(2));
    const cpu = withGenerator(table, { ...told, second: 2, cpu_share: 0.7 });
    expect(cpu.series.find((column) => column.id === "generator_cpu")?.values).toEqual([null, 0.5, 0.7]);
    expect(withGenerator(two, { ...told, second: 9 })).toBe(two);
  });
  it("take the target's moments into the second that they are in, and none twice", () => {
    const past = { ...empty, times_s: [0, 1], series: [{ id: "target:1", name: "x", unit: "1", values: [1, 2] }] };
    const moments = [
      { at_s: 1.9, values: { "target:1": 9 } },
      { at_s: 2.1, values: { "target:1": 3 } },
      { at_s: 2.6, values: { "target:2": 5 } },
      { at_s: 4.0, values: { "target:2": 5 } },
    ];
    const table = withMoments(past, moments);
    expect(table.times_s).toEqual([0, 1, 2, 4]);
    expect(table.series[0]?.values).toEqual([1, 2, 3, null]);
    expect(withMoments(past, moments.slice(0, 1))).toBe(past);
  });
  it("keep columns aligned when a kind of error appears later", () => {
    const quiet = { ...interval(0).total, errors_by_kind: {} };
    const table = withInterval(withInterval(empty, interval(0, { total: quiet })), interval(1));
    expect(table.series.every((column) => column.values.length === 2)).toBe(true);
    expect(table.series.find((column) => column.id === "errors.http_status")?.values).toEqual([null, 1]);
    expect([lastValue(table, "throughput"), lastValue(table, "unknown")]).toEqual([10, null]);
  });
});

describe("charts of columns", () => {
  it("gives bytes in KB/s and the generator's CPU in percent", () => {
    const series = [
      { id: "received_bytes", name: "received_bytes", unit: "By/s", values: [2048, null] },
      { id: "generator_cpu", name: "generator_cpu", unit: "1", values: [0.5, null] },
    ];
    const groups = loadCharts({ ...empty, times_s: [0, 1], series }, en, (id) => id);
    expect(groups.map((group) => group.lines[0]?.values)).toEqual([
      [2, null],
      [50, null],
    ]);
  });
  it("puts the same quantity of the same thing into one chart", () => {
    const of = (id: string, name: string, host: string) => ({
      id,
      name,
      unit: "s/s",
      entity: { kind: "host", name: "", host },
    });
    const groups = targetGroups([
      of("1", "system.cpu.time", "a"),
      of("2", "system.cpu.time", "a"),
      of("3", "system.cpu.time", "b"),
    ]);
    expect([...groups.values()].map((names) => names.length)).toEqual([2, 1]);
    expect(shownUnit("s/s")).toEqual(["%", 100]);
    expect(errorKindId("read_timeout")).toBe("error-kind-read-timeout");
  });
});

describe("places", () => {
  it("survive any name", () => {
    for (const name of ["plain", "a/b?c#d&e=f", "名字 %", "<b>", "%E0%A4%A", "..", "a b"]) {
      expect(parse(link(["runs", name], { from: name }))).toMatchObject({ parts: ["runs", name] });
      expect(parse(link(["runs", name], { from: name })).query.get("from")).toBe(name);
    }
    expect(parse("#/runs/%E0%A4%A").parts).toEqual(["runs", "%E0%A4%A"]);
  });
});
