/** Axes that are not of time. */

/** Columns in the order of their x, as a chart needs them; without what has no x. */
export function byX(x: (number | null)[], columns: (number | null)[][]): { x: number[]; columns: (number | null)[][] } {
  const order = x.flatMap((value, at) => (value === null ? [] : [{ value, at }]));
  order.sort((a, b) => a.value - b.value);
  const pick = (column: (number | null)[]): (number | null)[] => order.map(({ at }) => column[at] ?? null);
  return { x: order.map(({ value }) => value), columns: columns.map(pick) };
}

/** 1 / (1 - share) as a percentile, with one digit more for each nine. */
export function percentileName(x: number): string {
  const nines = Math.max(0, Math.floor(Math.log10(x) + 1e-9) - 1);
  return `${+(100 - 100 / x).toFixed(nines + (x > 10 ? 1 : 0))} %`;
}

/** Where an axis of percentiles has its marks, up to the last: 50 %, 90 %, 99 % … */
export function nines(last: number): number[] {
  const splits = [1, 2];
  for (let n = 10; n <= last * 1.0001; n *= 10) splits.push(n);
  return splits;
}
