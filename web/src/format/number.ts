/** Numbers as people read them: the same rules as the reports (crates/report/src/number.rs). */

const NONE = "–";

/** A count with a comma between groups of three. */
export function count(n: number | null | undefined): string {
  return n === null || n === undefined || !Number.isFinite(n) ? NONE : Math.round(n).toLocaleString("en-US");
}

/** About three significant digits, and never fewer than the whole part. */
export function figure(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NONE;
  const size = Math.abs(value);
  const places = size < 0.0005 ? 0 : size < 0.9995 ? 3 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  return (size < 0.0005 ? 0 : value).toLocaleString("en-US", {
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  });
}

/** A value with as many digits as it takes to see that it is not the limit (crates/report/src/number.rs). */
export function toldApart(value: number, limit: number): string {
  for (let places = 1; places <= 6; places += 1) {
    if (value.toFixed(places) !== limit.toFixed(places)) return value.toFixed(places);
  }
  return figure(value);
}

/** A figure, and a whole number as a count. */
export function amount(value: number | null | undefined): string {
  return Number.isInteger(value) ? count(value) : figure(value);
}

/** A share of 0 to 1 in percent; never 0 for what is not, nor 100. */
export function percent(share: number | null | undefined): string {
  if (share === null || share === undefined || !Number.isFinite(share)) return NONE;
  const value = share * 100;
  if (value <= 0) return "0";
  if (value < 0.01) return "<0.01";
  if (value < 99.995) return value.toFixed(2);
  return value < 100 ? ">99.99" : "100";
}

/** Short, for axes: 12.5k, 3M. */
export function short(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e9) return `${+(value / 1e9).toFixed(2)}G`;
  if (size >= 1e6) return `${+(value / 1e6).toFixed(2)}M`;
  if (size >= 1e4) return `${+(value / 1e3).toFixed(1)}k`;
  return String(+value.toFixed(3));
}

/** Bytes in a second as KB/s of 1,024 bytes, as JMeter has them. */
export function kilobytes(bytes: number, seconds: number): number {
  return seconds > 0 ? bytes / 1024 / seconds : 0;
}
