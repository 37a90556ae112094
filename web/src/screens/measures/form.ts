import type { MeasurementKind } from "../../api/measurements";
import {
  EMPTY_ORDER,
  EMPTY_WATCH,
  linesOf,
  type OrderForm,
  type OrderMistakes,
  orderMistakes,
  orderOf,
  targetOf,
  type WatchForm,
  watchOf,
} from "../../parts/order";
import type { Texts } from "../../texts";

/** A measurement as it is typed. */
export interface MeasureForm extends WatchForm {
  kind: MeasurementKind;
  name: string;
  a: OrderForm;
  b: OrderForm;
  load: "users" | "rate";
  from: number | null;
  to: number | null;
  step: number;
  most: number;
  precision: number;
  repeats: number;
  coolDown: string;
  warmUp: string;
  goals: string;
  hops: string;
  users: number;
  rounds: number;
  roundSeconds: number;
  times: number;
  pairs: number;
}

export const EMPTY_MEASURE: MeasureForm = {
  kind: "capacity",
  name: "",
  ...EMPTY_WATCH,
  a: EMPTY_ORDER,
  b: EMPTY_ORDER,
  load: "users",
  from: 1,
  to: 200,
  step: 20,
  most: 12,
  precision: 3,
  repeats: 2,
  coolDown: "3s",
  warmUp: "0s",
  goals: "p95 < 300 ms\nerrors < 1 %",
  hops: "",
  users: 8,
  rounds: 10,
  roundSeconds: 2,
  times: 5,
  pairs: 10,
};

export type MeasureMistakes = { a: OrderMistakes; b: OrderMistakes; goals?: string; hops?: string };

/** The addresses of hops, the outermost first; undefined: a line is none. */
function hopAddresses(text: string): string[] | undefined {
  const found = linesOf(text).map((line) => /^[^=]+=\s*(https?:\/\/\S+)$/.exec(line)?.[1]);
  return found.some((one) => one === undefined) ? undefined : (found as string[]);
}

const isByUrl = (form: MeasureForm): boolean => form.a.by === "url";

/** What is loaded as side A: the hops of a chain say their addresses themselves. */
function loaded(form: MeasureForm): OrderForm {
  if (form.kind !== "hops" || !isByUrl(form)) return form.a;
  return { ...form.a, url: hopAddresses(form.hops)?.[0] ?? "" };
}

/** What is wrong with it before anybody is asked; none: null. */
export function measureMistakes(form: MeasureForm, t: Texts): MeasureMistakes | null {
  const { kind } = form;
  const hasLoad = kind === "repeat" || kind === "interleave";
  const hops = hopAddresses(form.hops);
  const wantsHops = kind === "hops" && (hops === undefined || (isByUrl(form) ? hops.length < 2 : hops.length === 1));
  const wantsGoals = kind === "capacity" && isByUrl(form) && linesOf(form.goals).length === 0;
  const wrong: MeasureMistakes = {
    a: wantsHops && isByUrl(form) ? {} : orderMistakes(loaded(form), t, hasLoad),
    b: kind === "interleave" ? orderMistakes(form.b, t) : {},
    ...(wantsGoals ? { goals: t.measures.goalsWrong } : {}),
    ...(wantsHops ? { hops: t.measures.hopsWrong } : {}),
  };
  const count = Object.keys(wrong.a).length + Object.keys(wrong.b).length;
  return count > 0 || wantsGoals || wantsHops ? wrong : null;
}

const load = (kind: MeasureForm["load"], amount: number | null): string | undefined =>
  amount === null ? undefined : kind === "rate" ? `${amount}/s` : String(amount);

/** What the server is asked for, as POST /measurements has it. */
export function measureOrder(form: MeasureForm): Record<string, unknown> {
  const shared = {
    ...(form.name ? { name: form.name } : {}),
    ...(form.kind === "hops" ? {} : watchOf(form, form.a.by === "plan")),
  };
  const target = targetOf(loaded(form));
  switch (form.kind) {
    case "capacity": {
      const goals = linesOf(form.goals);
      return {
        kind: form.kind,
        order: { ...target, ...shared, ...(goals.length > 0 ? { goals } : {}) },
        from: load(form.load, form.from),
        to: load(form.load, form.to),
        step_s: form.step,
        max_measurements: form.most,
        precision: form.precision,
        repeats: form.repeats,
        cool_down: form.coolDown,
        warm_up: form.warmUp,
      };
    }
    case "hops":
      return {
        kind: form.kind,
        order: { ...target, ...shared },
        hops: linesOf(form.hops),
        users: form.users,
        rounds: form.rounds,
        round_s: form.roundSeconds,
      };
    case "interleave":
      return {
        kind: form.kind,
        order: { ...orderOf(form.a), ...shared },
        b: { ...orderOf(form.b), ...(form.watch ? { watch: "auto" } : {}) },
        pairs: form.pairs,
      };
    case "repeat":
      return { kind: form.kind, order: { ...orderOf(form.a), ...shared }, times: form.times };
  }
}
