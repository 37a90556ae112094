import { describe, expect, it } from "vitest";
import { count, figure, kilobytes, percent, short } from "../../src/format/number";
import { clock, duration, moment, seconds } from "../../src/format/time";

describe("numbers as the reports write them", () => {
  it("has about three digits and never fewer than the whole part", () => {
    const said = [0, 0.0004, 0.012, 0.9994, 9.994, 9.995, 99.94, 99.96, 123456.7, -5.5].map(figure);
    expect(said).toEqual(["0", "0", "0.012", "0.999", "9.99", "10.0", "99.9", "100", "123,457", "-5.50"]);
    expect([null, undefined, Number.NaN, Number.POSITIVE_INFINITY].map(figure)).toEqual(["–", "–", "–", "–"]);
  });
  it("never calls a share 0 or 100 that is not", () => {
    expect([0, 0.00001, 0.5, 0.99999, 1].map(percent)).toEqual(["0", "<0.01", "50.00", ">99.99", "100"]);
  });
  it("counts in groups of three", () => expect(count(1234567)).toBe("1,234,567"));
  it("is short on axes", () => expect([950, 12500, 3e6, 2e9].map(short)).toEqual(["950", "12.5k", "3M", "2G"]));
  it("has JMeter's kilobytes", () => {
    expect(kilobytes(2048, 2)).toBe(1);
    expect(kilobytes(2048, 0)).toBe(0);
  });
});

describe("times", () => {
  it("reads what people type", () => {
    expect(["90", "90s", "10m", "1h30m", " 1.5 m "].map(seconds)).toEqual([90, 90, 600, 5400, 90]);
    expect(["", "x", "10x", "m", "-5s", "1h 30"].map(seconds)).toEqual(Array(6).fill(undefined));
  });
  it("says lengths", () => {
    expect([0.35, 42, 119, 600, 650, 3900 * 2].map(duration)).toEqual([
      "0.35 s",
      "42 s",
      "119 s",
      "10 min",
      "10 min 50 s",
      "2 h 10 min",
    ]);
  });
  it("says moments by how long the run is", () => {
    expect([moment(9, 60), moment(69, 600), moment(3729, 9999)]).toEqual(["9 s", "1:09", "1:02:09"]);
  });
  it("leaves alone what is no time", () => expect([clock("x"), clock(null)]).toEqual(["x", "–"]));
});
