/** The mean of numbers, and their standard deviation as a share of it; null: nothing can be said. */
export function scatter(values: number[]): { mean: number | null; share: number | null } {
  if (values.length === 0) return { mean: null, share: null };
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (values.length < 2 || mean === 0) return { mean, share: null };
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, share: Math.sqrt(squares / (values.length - 1)) / Math.abs(mean) };
}
