import type { Effect, KnobValues } from "../../api/studies";
import { figure } from "../../format/number";
import type { Texts } from "../../texts";

/** Settings that differ from what was found: `threads=80, pool=20`. */
export function valuesText(values: KnobValues | null, t: Texts): string {
  const all = Object.entries(values ?? {});
  return all.length === 0 ? t.tune.asFound : all.map(([knob, value]) => `${knob}=${value}`).join(", ");
}

/** A share in percent with its sign. */
export function signed(share: number | null): string {
  if (share === null) return "–";
  const percent = share * 100;
  return `${percent > 0 ? "+" : percent < 0 ? "−" : "±"}${figure(Math.abs(percent))} %`;
}

/** An effect as the objective moves: one that is to fall falls. In the result positive is better. */
export function asItMoves({ share, low, high }: Pick<Effect, "share" | "low" | "high">, maximise: boolean) {
  if (maximise) return { share, low, high };
  const other = (value: number | null) => (value === null ? null : -value);
  return { share: -share, low: other(high), high: other(low) };
}

export function interval({ low, high }: Pick<Effect, "low" | "high">): string {
  return low === null || high === null ? "–" : `${signed(low)} … ${signed(high)}`;
}
