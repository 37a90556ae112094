/** A line without axes; drawn as text, so that a list needs no chart library. */
export function Sparkline({ values, label }: { values: (number | null)[]; label: string }) {
  const [width, height] = [120, 26];
  const most = Math.max(...values.map((v) => v ?? 0), 1e-9);
  const step = values.length > 1 ? width / (values.length - 1) : width;
  const points = values.map(
    (v, i) => `${(i * step).toFixed(1)},${(height - 2 - ((v ?? 0) / most) * (height - 4)).toFixed(1)}`,
  );
  if (values.length < 2) return <span className="muted">–</span>;
  return (
    <svg
      className="sparkline"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
    >
      <polygon points={`0,${height} ${points.join(" ")} ${width},${height}`} />
      <polyline points={points.join(" ")} />
    </svg>
  );
}
