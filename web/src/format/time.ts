/** Times as people read them. */

const two = (n: number): string => String(n).padStart(2, "0");

/** A length of time: 0.35 s, 42 s, 10 min, 1 h 05 min. */
export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "–";
  const whole = Math.round(seconds);
  if (whole < 120) return `${seconds < 10 ? +seconds.toFixed(2) : whole} s`;
  if (whole < 7200)
    return whole % 60 === 0 ? `${whole / 60} min` : `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${two(Math.floor(whole / 60) % 60)} min`;
}

/** A moment of a run, from its beginning: 9 s, 1:09, 1:02:09. */
export function moment(seconds: number, longest: number): string {
  const sign = seconds < 0 ? "-" : "";
  const s = Math.abs(Math.round(seconds));
  if (longest < 120) return `${sign}${s} s`;
  if (longest < 3600) return `${sign}${Math.floor(s / 60)}:${two(s % 60)}`;
  return `${sign}${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
}

/** A point in time by the reader's clock: 2026-11-26 21:18:59. */
export function clock(iso: string | null | undefined): string {
  if (!iso) return "–";
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** A second since 1970 as the reader's time of day: 21:18:59. */
export function timeOfDay(unixS: number): string {
  const at = new Date(unixS * 1000);
  return Number.isNaN(at.getTime()) ? "–" : `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** A length of time as people type it, in seconds: 90, 90s, 10m, 1h30m; undefined if it is none. */
export function seconds(text: string): number | undefined {
  const units: Record<string, number> = { h: 3600, m: 60, s: 1 };
  const plain = text.trim();
  if (/^\d+(\.\d+)?$/.test(plain)) return Number(plain);
  if (!/^(\d+(\.\d+)?\s*[hms]\s*)+$/.test(plain)) return undefined;
  let sum = 0;
  for (const [, number, unit] of plain.matchAll(/(\d+(?:\.\d+)?)\s*([hms])/g)) {
    sum += Number(number) * (units[unit ?? "s"] ?? 1);
  }
  return sum;
}
