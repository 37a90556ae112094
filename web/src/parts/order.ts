import { seconds } from "../format/time";
import type { Texts } from "../texts";

/** A file that goes with a plan, as the API has it. */
export interface SentFile {
  name: string;
  base64: string;
}

/** What is loaded, as it is typed. */
export interface OrderForm {
  by: "url" | "plan";
  url: string;
  load: "users" | "rate";
  amount: number | null;
  duration: string;
  plan: string;
  /** What the plan reads. */
  files: SentFile[];
}

export const EMPTY_ORDER: OrderForm = {
  by: "url",
  url: "",
  load: "users",
  amount: 10,
  duration: "30s",
  plan: "",
  files: [],
};

/** What is looked at of the target, as it is chosen. */
export interface WatchForm {
  watch: boolean;
  captures: boolean;
}

export const EMPTY_WATCH: WatchForm = { watch: true, captures: false };

/** What the server is asked to watch; a plan may name sources itself. */
export function watchOf({ watch, captures }: WatchForm, byPlan: boolean): Record<string, unknown> {
  return {
    ...(watch ? { watch: "auto" } : {}),
    ...(captures && (watch || byPlan) ? { watch_allow_capture: true } : {}),
  };
}

/** What is loaded: a plan with its files, or a URL. */
export function targetOf({ by, url, plan, files }: OrderForm): Record<string, unknown> {
  if (by === "url") return { url: url.trim() };
  return { plan, ...(files.length > 0 ? { files } : {}) };
}

/** What the server is asked to load, and how much of a URL. */
export function orderOf(form: OrderForm): Record<string, unknown> {
  if (form.by === "plan") return targetOf(form);
  return {
    ...targetOf(form),
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
    ...(!hasLoad || isAmount(form) ? {} : { amount: form.load === "users" ? t.start.usersWrong : t.start.rateWrong }),
    ...(!hasLoad || seconds(form.duration) ? {} : { duration: t.start.durationWrong }),
  };
}

const MOST_AMOUNT = 1_000_000;

/** Users are whole. */
function isAmount({ load, amount }: OrderForm): boolean {
  return amount !== null && amount > 0 && amount <= MOST_AMOUNT && (load === "rate" || Number.isInteger(amount));
}

/** Lines that say something. */
export const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
