import { describe, expect, it } from "vitest";
import type { RunDetail } from "../../src/api/types";
import { guessedSides, sidesOfPairs } from "../../src/screens/sides";

const run = (id: string, started_at: string, change: Partial<RunDetail> = {}): RunDetail =>
  ({ id, started_at, plan: "shop", target: "t", tags: [], scenarios: [], ...change }) as unknown as RunDetail;

describe("sides to begin with", () => {
  it("takes two runs as they were chosen", () => {
    expect(guessedSides([run("new", "2"), run("old", "1")])).toEqual({ a: ["new"], b: ["old"] });
  });

  it("tells several apart by what they differ in, else by their time", () => {
    const all = [run("3", "3"), run("1", "1"), run("4", "4"), run("2", "2")];
    expect(guessedSides(all)).toEqual({ a: ["1", "2"], b: ["3", "4"] });
    const tagged = all.map((one) => (Number(one.id) % 2 ? one : { ...one, tags: ["pool"] }));
    expect(guessedSides(tagged)).toEqual({ a: ["1", "3"], b: ["2", "4"] });
    const loaded = all.map((one) => (one.id === "1" ? one : { ...one, scenarios: [{ name: "x", load: "9 users" }] }));
    expect(guessedSides(loaded)).toEqual({ a: ["1"], b: ["2", "3", "4"] });
  });

  it("gives runs that were made in turn to their sides, pair by pair", () => {
    const made = ["a1", "b1", "b2", "a2", "a3", "b3", "b4"];
    expect(sidesOfPairs(made)).toEqual({ a: "a1,a2,a3", b: "b1,b2,b3", paired: "1" });
  });
});
