/** A big figure. */
export interface Tile {
  name: string;
  value: string;
  unit?: string;
  isBad?: boolean;
  /** Words, which may take several lines. */
  isText?: boolean;
}

/** Big figures, and what stretch of the run they are of. */
export function FigureTiles({ label, of, tiles }: { label: string; of?: string; tiles: Tile[] }) {
  return (
    <div className="figures-of">
      {of === undefined ? null : <p className="muted">{of}</p>}
      <dl className="figures-row" aria-label={of === undefined ? label : `${label}: ${of}`}>
        {tiles.map(({ name, value, unit, isBad, isText }) => (
          <div key={name} className="card">
            <dt>{name}</dt>
            <dd className={[isBad ? "bad-text" : "", isText ? "words" : ""].join(" ").trim()}>
              {value} <small>{unit}</small>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
