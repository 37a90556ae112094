import { seconds } from "../format/time";
import type { Texts } from "../texts";

/** What is loaded, as it is typed. */
export interface OrderForm {
  by: "url" | "plan";
  url: string;
  load: "users" | "rate";
  amount: number | null;
  duration: string;
  plan: string;
}

export const EMPTY_ORDER: OrderForm = { by: "url", url: "", load: "users", amount: 10, duration: "30s", plan: "" };

/** What the server is asked to load. */
export function orderOf(form: OrderForm): Record<string, unknown> {
  if (form.by === "plan") return { plan: form.plan };
  return {
    url: form.url.trim(),
    [form.load]: form.load === "rate" ? `${form.amount}/s` : form.amount,
    duration: form.duration.trim(),
  };
}

export type OrderMistakes = Partial<Record<keyof OrderForm, string>>;

/** What is wrong with it before anybody is asked, by field. */
export function orderMistakes(form: OrderForm, t: Texts, hasLoad = true): OrderMistakes {
  if (form.by === "plan") return form.plan.trim() === "" ? { plan: t.start.planWrong } : {};
  return {
    ...(/^https?:\/\/\S+$/.test(form.url.trim()) ? {} : { url: t.start.urlWrong }),
    ...(!hasLoad || seconds(form.duration) ? {} : { duration: t.start.durationWrong }),
  };
}

/** Lines that say something. */
export const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
