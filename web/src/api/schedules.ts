/** Runs at set times, and who is told of runs, by the server's OpenAPI document. */
import { address } from "./client";
import type { BothTexts } from "./measurements";

export interface Schedule {
  schedule: string;
  name: string;
  /** Minute, hour, day, month, weekday. */
  cron: string;
  zone: string;
  enabled: boolean;
  next: string | null;
  last: { at: string; run: string | null; error: BothTexts | null } | null;
  /** Times at which nothing was begun. */
  missed: { count: number; last: string } | null;
  by: string | null;
  added: string;
  order: { url?: string; plan?: string; files?: { name: string }[] };
}

export type WebhookKind = "generic" | "dingtalk" | "feishu" | "wecom";
export type WebhookEvent = "begin" | "end" | "verdict" | "finding";

export interface Webhook {
  webhook: string;
  name: string;
  /** Without what may be a secret. */
  url: string;
  kind: WebhookKind;
  events: WebhookEvent[];
  secret_env: string | null;
  language: string | null;
  enabled: boolean;
  by: string | null;
}

export const scheduleAddress = (schedule: string, rest = ""): string =>
  address(`/schedules/${encodeURIComponent(schedule)}${rest}`);

export const webhookAddress = (webhook: string, rest = ""): string =>
  address(`/webhooks/${encodeURIComponent(webhook)}${rest}`);

/** A message that was sent, or is tried again. */
export interface Delivery {
  delivery: number;
  event: WebhookEvent | "test";
  run: string;
  at: string;
  state: string;
  attempts: number;
  status: number | null;
  /** How the receiver's response begins. */
  response: string | null;
  reason: BothTexts | null;
  next: string | null;
}
