/** Colours of charts come from the page, so that both themes have theirs. */

export function css(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Beyond the six of the page, hues by the golden angle: none comes twice in a chart. */
export function paint(i: number): string {
  return i < 6 ? css(`--c${i + 1}`) : `hsl(${((i * 137.508) % 360).toFixed(1)} 62% 50%)`;
}

export function fade(colour: string, alpha: number): string {
  return colour.startsWith("#")
    ? colour +
        Math.round(alpha * 255)
          .toString(16)
          .padStart(2, "0")
    : colour.replace(")", ` / ${alpha})`);
}

/** Colours from few to many, for heat maps: n steps of the page's two ends. */
export function ramp(steps: number): string[] {
  const from = rgb(css("--heat-low"));
  const middle = rgb(css("--heat-middle"));
  const to = rgb(css("--heat-high"));
  return Array.from({ length: steps }, (_, i) => {
    const share = steps === 1 ? 1 : i / (steps - 1);
    return share < 0.5 ? between(from, middle, share * 2) : between(middle, to, share * 2 - 1);
  });
}

type Rgb = [number, number, number];

function rgb(hex: string): Rgb {
  const n = Number.parseInt(hex.slice(1), 16);
  return [(n >> 16) & 255, (n >> 8) & 255, n & 255];
}

function between(a: Rgb, b: Rgb, share: number): string {
  const mix = (x: number, y: number): number => Math.round(x + (y - x) * share);
  return `rgb(${mix(a[0], b[0])} ${mix(a[1], b[1])} ${mix(a[2], b[2])})`;
}
