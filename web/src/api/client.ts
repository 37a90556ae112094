/** Requests to the server. Errors are problem details (RFC 9457). */

export interface ProblemPlace {
  file?: string;
  /** From 1; 0: not of one line. */
  line?: number;
  column?: number;
  what: string;
  /** What to do. */
  remedy?: string;
}

/** What the server refused, and why. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    readonly detail: string,
    readonly places: ProblemPlace[],
    /** What kind it is: a path that never changes, such as /problems/not-allowed. */
    readonly kind = "",
    /** The field of what was sent that it is about; empty: not one alone. */
    readonly field = "",
  ) {
    super(detail || title);
  }
}

const BASE = "/api/v1";

let language = "en";

/** The language that the server's texts are asked for in. */
export function speak(wanted: string): void {
  language = wanted;
}

let csrf: string | null = null;

/** What changes show, where one has logged in; null: nothing. */
export function prove(token: string | null): void {
  csrf = token;
}

function changing(headers: Record<string, string>): Record<string, string> {
  return { "accept-language": language, ...(csrf === null ? {} : { "x-csrf-token": csrf }), ...headers };
}

/** The address of a path below the API, with its query; what is undefined or empty is left out. */
export function address(path: string, query: Record<string, string | number | undefined> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") search.set(name, String(value));
  }
  const text = search.toString();
  return `${BASE}${path}${text ? `?${text}` : ""}`;
}

/** The path of a run; its name is encoded. */
export function runPath(id: string, rest = ""): string {
  return `/runs/${encodeURIComponent(id)}${rest}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

async function problem(response: Response): Promise<Problem> {
  let body: unknown;
  try {
    body = await response.json();
  } catch {
    body = null;
  }
  const said = isRecord(body) ? body : {};
  const text = (name: string): string => (typeof said[name] === "string" ? said[name] : "");
  const places = Array.isArray(said.errors) ? said.errors.filter(isPlace) : [];
  const title = text("title") || `HTTP ${response.status}`;
  return new Problem(response.status, title, text("detail"), places, text("type"), text("field"));
}

function isPlace(value: unknown): value is ProblemPlace {
  return isRecord(value) && typeof value.what === "string";
}

/** A session has ended: whoever hears it asks to log in. */
export const LOGGED_OUT = "plimsoll-logged-out";

async function checked(response: Response): Promise<Response> {
  if (response.ok) return response;
  // A wrong old password is not a session that has ended.
  const isPassword = response.url.endsWith("/session/password");
  if (response.status === 401 && !isPassword) window.dispatchEvent(new Event(LOGGED_OUT));
  throw await problem(response);
}

/** What the server has at an address, as JSON. The shape is the server's word: its tests hold it. */
export async function get<T>(url: string, signal?: AbortSignal): Promise<T> {
  const response = await checked(
    await fetch(url, {
      headers: { accept: "application/json", "accept-language": language },
      ...(signal ? { signal } : {}),
    }),
  );
  return (await response.json()) as T;
}

/** Asks for a change; gives what the server says of it, if it says anything. */
export async function send<T>(method: "POST" | "PATCH" | "DELETE", url: string, body?: unknown): Promise<T | null> {
  const response = await checked(
    await fetch(url, {
      method,
      headers: changing(body === undefined ? {} : { "content-type": "application/json" }),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  const text = await response.text();
  return text === "" ? null : (JSON.parse(text) as T);
}

/** Sends a run that was exported. */
export async function upload<T>(url: string, file: Blob): Promise<T> {
  const response = await checked(
    await fetch(url, {
      method: "POST",
      headers: changing({ "content-type": "application/gzip" }),
      body: file,
    }),
  );
  return (await response.json()) as T;
}
