/** Measurements, the target without load, machines and studies as a server may have them: made-up data with names that are no names. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type {
  Capacity,
  CapacityMeasurement,
  ComparedMetric,
  ComparedSides,
  Comparison,
  Hops,
  Measurement,
  MeasurementRow,
} from "../../src/api/measurements";
import type { Ceiling, Machine, MachineList, MonitorNow, ServerMeta } from "../../src/api/monitor";
import type { Delivery, Schedule, Webhook } from "../../src/api/schedules";
import type { Session } from "../../src/api/session";
import type { StudyDetail, Trial } from "../../src/api/studies";
import type { SeriesColumn, Summary } from "../../src/api/types";
import { HOSTILE } from "./evidence";

/** Pictures for the docs have plain names. */
const NAME = process.env.SMALL ? "shop" : HOSTILE;
const BEGIN = "2026-11-27T01:00:00Z";
const END = "2026-11-27T01:06:30Z";

/** A measurement: the throughput levels off at 600/s, and the response time rises. */
function measured(load: number, i: number): CapacityMeasurement {
  const throughput = Math.min(load * 20, 600);
  const mean = (load / throughput) * 1000;
  const p95 = mean * 2.4;
  const ratio = p95 / 300;
  const around = (value: number) => ({ value, low: value * 0.97, high: value * 1.03 });
  return {
    run: `2026112701${String(i).padStart(2, "0")}-shop`,
    phase: i < 5 ? "bracket" : i < 8 ? "narrow" : "repeat",
    load,
    met: ratio <= 1,
    ratio,
    worst_goal: 0,
    goals: [{ goal: "p95 < 300 ms", observed: p95, unit: "ms", met: ratio <= 1 }],
    fell_behind: load > 90,
    stopped_early: load > 120,
    generator_limited: false,
    steady: load < 100,
    throughput_per_s: around(throughput),
    response_time_ms: around(mean),
    p95_ms: p95,
    error_rate: load > 120 ? 0.02 : 0,
  };
}

const LOADS = [5, 20, 40, 80, 160, 74, 78, 76, 74, 78].map(measured);
const marked = (load: number) => ({ load, low: load * 0.9, high: load * 1.1 });

const CAPACITY: Capacity = {
  plan: NAME,
  target: "http://127.0.0.1:18080",
  model: "users",
  goals: ["p95 < 300 ms", "errors < 0.1 %"],
  result: { end: "found", load: 74, low: 71, high: 76, precision: 0.07, precision_asked: 0.03, measurements: 10 },
  mix: { label: NAME, load: 74, share: 0.31, reference_load: 40, reference_share: 0.44 },
  generator_limited: false,
  beyond: {
    run: "20261127-0107-shop",
    load: 78,
    goal: { goal: "p95 < 300 ms", observed: 312, unit: "ms", met: false },
    diagnosis: null,
  },
  curve: {
    model: "users",
    points: [5, 20, 40, 74, 76, 78, 80, 160].map((load, i) => measured(load, i)),
    marks: { a: marked(20), c: marked(40), d: null, e: null, peak: marked(40), power: marked(20), n_star: marked(30) },
  },
  measurements: LOADS,
};

const estimate = (value: number) => ({ value, low: value * 0.96, high: value * 1.04 });

const HOPS: Hops = {
  measured_at: BEGIN,
  users: 8,
  rounds: 10,
  round_s: 2,
  hops: [
    hop("nginx", 42, 1.2),
    hop(NAME, 40.8, 29.1),
    hop("stock", 11.7, 11.7),
    { ...hop("broken", 0, 0), time_ms: null, own_ms: null, errors: 400 },
  ],
  slowest: { name: NAME, own_ms: 29.1, share: 0.69, clear: true },
};

function hop(name: string, ms: number, own: number) {
  const times = { time_ms: estimate(ms), own_ms: estimate(own), p50_ms: ms * 0.9, p90_ms: ms * 1.6 };
  return { name, address: `http://127.0.0.1:8080/${encodeURIComponent(name)}`, samples: 4200, errors: 0, ...times };
}

function metrics(better: boolean): Comparison["total"] {
  const metric = (
    name: Comparison["total"][number]["metric"],
    a: number,
    b: number,
    verdict: Comparison["total"][number]["verdict"],
  ) => ({
    metric: name,
    a_mean: a,
    b_mean: b,
    diff: b - a,
    relative_diff: a === 0 ? null : (b - a) / a,
    ci_low: b - a - 2,
    ci_high: b - a + 2,
    p_value: 0.01,
    p_adjusted: 0.02,
    verdict,
  });
  return [
    metric("throughput", 410, better ? 468 : 408, better ? "higher" : "no_difference_shown"),
    metric("mean", 19.4, better ? 16.9 : 19.6, better ? "lower" : "no_difference_shown"),
    metric("p95", 61, better ? 48 : 60, better ? "lower" : "no_difference_shown"),
    metric("error_rate", 0, 0, "no_difference_shown"),
  ];
}

const COMPARISON: Comparison = {
  design: "paired",
  runs_a: 5,
  runs_b: 5,
  total: metrics(true),
  labels: [
    { label: NAME, kind: "request", metrics: metrics(true) },
    { label: "GET /stock", kind: "request", metrics: metrics(false) },
  ],
  unmatched: [{ label: NAME, kind: "transaction" }],
};

/** What a server says of chosen runs: with one a side nothing is shown; with several it is, and of labels too. */
function compared(query: URLSearchParams): ComparedSides {
  const [a = [], b = []] = ["a", "b"].map((side) => (query.get(side) ?? "").split(","));
  const isOne = a.length < 2 && b.length < 2;
  const unjudged = (of: ComparedMetric): ComparedMetric => ({
    ...of,
    ci_low: null,
    ci_high: null,
    verdict: "repeat_needed",
  });
  const told = (all: ComparedMetric[]): ComparedMetric[] => (isOne ? all.map(unjudged) : all);
  return {
    ...COMPARISON,
    design: "unpaired",
    runs_a: a.length,
    runs_b: b.length,
    total: told(COMPARISON.total),
    labels: COMPARISON.labels.map((label) => ({ ...label, metrics: told(label.metrics) })),
    doubts: [{ en: "The two sides were loaded differently.", zh: "两侧的负载不同。" }],
    changed: [{ name: "load", of: "", before: "10 users", after: "20 users" }],
  };
}

const STEPS = Array.from({ length: 12 }, (_, i) => ({
  at: BEGIN,
  en: `Measurement ${i + 1} (at most 12): 40 users`,
  zh: `第 ${i + 1} 次测量（最多 12 次）：40 个用户`,
}));

function row(id: string, kind: Measurement["kind"], state: Measurement["state"]): MeasurementRow {
  const goesOn = state === "running" || state === "queued";
  return { id, kind, name: NAME, begin: BEGIN, end: goesOn ? null : END, state, runs: ["shop-3", "shop-2"], by: "li" };
}

const ROWS: MeasurementRow[] = [
  { ...row("m-1", "capacity", "running"), runs: ["live"] },
  row("m-2", "capacity", "finished"),
  row("m-3", "hops", "finished"),
  row("m-4", "interleave", "finished"),
  row("m-5", "repeat", "stopped"),
  row("m-6", "capacity", "failed"),
];

function measurement(id: string, summary: Summary): unknown {
  const known = ROWS.find((one) => one.id === id);
  if (!known) return undefined;
  const results: Record<string, unknown> = {
    "m-2": CAPACITY,
    "m-3": HOPS,
    "m-4": COMPARISON,
    "m-5": { runs: [summary, { ...summary, run: "shop-2", verdict: "passed" }] },
  };
  const error = id === "m-6" ? { en: `No load meets ${NAME}`, zh: `没有负载满足 ${NAME}` } : null;
  return { ...known, progress: STEPS, result: results[id] ?? null, error };
}

const META: ServerMeta = {
  version: "0.1.0",
  rights: ["look", "run", "administer"],
  allows: ["tune"],
  runs_folder: "/srv/plimsoll-runs",
  running: null,
  queued: 0,
  machine: { host_name: NAME, os: "Debian 13", cpu_model: "AMD EPYC", allowed_cpus: 2, memory_bytes: 8 * 1024 ** 3 },
};

const CEILING: Ceiling = {
  measured_at: BEGIN,
  machine: { version: "0.1.0", host: "vm", cpu_model: "AMD EPYC", kernel: "6.12", cpus: 2 },
  page: null,
  keep_alive: true,
  threads: 2,
  users: 64,
  measured_per_s: 41_200,
  cpu_us_per_request: 21.4,
  per_core_per_s: 46_700,
  all_cores_per_s: 93_400,
  limit: "shared_cpus",
  page_share: 0.4,
};

function machine(change: Partial<Machine>): Machine {
  const known = { name: NAME, host: "vm2", version: "0.1.0", cores: 4, memory_bytes: 8 * 1024 ** 3, cpu_model: null };
  const clock = { clock_offset_ms: 0.4, clock_error_ms: 0.2, last_heard: BEGIN };
  return { kind: "worker", ...known, state: "busy", health: "healthy", run: null, labels: {}, ...clock, ...change };
}

const MACHINES: MachineList = {
  items: [
    machine({ kind: "own", name: "vm" }),
    machine({ labels: { zone: "a", [NAME]: NAME } }),
    machine({ kind: "agent", name: "db", health: "clock_off", state: "gone", clock_offset_ms: 812, cores: null }),
  ],
  asks_workers: true,
  trouble: null,
};

const MONITOR: MonitorNow = {
  sources: [
    { name: "host", trouble: null },
    { name: `mysql=${NAME}`, trouble: { en: `Access denied for ${NAME}`, zh: `拒绝访问：${NAME}` } },
  ],
  begin: BEGIN,
  keeps_s: 21_600,
};

function trial(number: number, objective: number, values: Record<string, string>, broken: string[] = []): Trial {
  const result: Trial["result"] = {
    end: "measured",
    objective,
    throughput_per_s: objective,
    mean_ms: 20,
    p99_ms: 80,
    error_rate: 0,
    broken,
    run: "shop-3",
    warm_up_s: 10,
    steady: true,
    cut_short: false,
    generator_limited: false,
    read_back: Object.entries(values).map(([knob, has]) => ({ knob, has, by: "actuator" })),
    not_confirmed: [],
    limits: {
      finding: "pool",
      object: "jvm",
      title: `The pool of ${NAME}`,
      title_zh: `${NAME} 的连接池`,
      healthy: false,
    },
  };
  const reason = number === 1 ? "baseline" : number === 2 ? "advice" : "search";
  return { number, why: { reason, finding: "pool-exhausted" }, values, seconds: 42, result };
}

const TRIALS: Trial[] = [
  trial(1, 410, {}),
  trial(2, 452, { threads: "80" }),
  { ...trial(3, 0, { heap: NAME }), result: { end: "failed", what: "does_not_start", detail: NAME } },
  { ...trial(4, 0, { pool: "20" }), result: { end: "void", instead: [{ knob: "pool", wanted: "20", has: "10" }] } },
  trial(5, 520, { threads: "80", pool: "40" }, ["p99 < 60 ms: 80 ms"]),
  trial(6, 498, { threads: "80", pool: "24" }),
];

const STUDY: StudyDetail = {
  study: "shop",
  state: "finished",
  begin: BEGIN,
  end: END,
  plan: NAME,
  objective: "maximise throughput",
  unit: "/s",
  maximise: true,
  most_trials: 40,
  by: "li",
  trials: TRIALS,
  best: { threads: "80", pool: "24" },
  best_trial: { trial: 6, objective: 498, unit: "/s", gain: 0.21 },
  left_s: null,
  progress: [],
  files: [{ path: `/srv/${NAME}/application.properties`, sha256: "00", as_before: true }],
  text: `plan: shop.yaml\nname: ${NAME}\n`,
  brought_back: { as_before: true, trouble: [] },
  needs_restore: false,
  command_line: false,
  error: null,
  result: {
    study: "shop",
    plan: NAME,
    objective: "maximise throughput",
    unit: "/s",
    maximise: true,
    end: "done",
    error_rate: 0.05,
    smallest_gain: 0.02,
    noise: 0.03,
    seconds: 900,
    knobs: [
      { name: "threads", found: "20" },
      { name: "pool", found: "10" },
    ],
    trials: TRIALS,
    best: { threads: "80", pool: "24" },
    kept: { threads: "80", pool: "24" },
    effect: { share: 0.21, low: 0.17, high: 0.25, pairs: 6, verdict: "better" },
    each: [
      { knob: "threads", value: "80", effect: effect(0.11), kept: true },
      { knob: "heap", value: NAME, effect: effect(0.001), kept: false },
    ],
    before: figures(410),
    after: figures(498),
    limits: { finding: "cpu", object: "host", title: "The CPUs of vm", title_zh: "vm 的 CPU", healthy: true },
    changes: [{ of: "application.properties", lines: ["-server.tomcat.threads.max=20", `+${NAME}`] }],
    given_up: [],
  },
};

function effect(share: number) {
  return { share, low: share - 0.03, high: share + 0.03, pairs: 6, verdict: "better" as const };
}

function figures(objective: number) {
  const shared = { runs: 6, mean_ms: 20, p99_ms: 80, error_rate: 0, memory_bytes: 5e8 };
  return { ...shared, objective, throughput_per_s: objective };
}

const RUNNING: StudyDetail = {
  ...STUDY,
  study: "live-study",
  state: "running",
  end: null,
  result: null,
  brought_back: null,
  left_s: 1200,
  trials: TRIALS.slice(0, 3),
};

const CUT: StudyDetail = {
  ...STUDY,
  study: "cut-study",
  state: "interrupted",
  result: null,
  brought_back: { as_before: false, trouble: [{ en: `Cannot write ${NAME}`, zh: `无法写入 ${NAME}` }] },
  needs_restore: true,
  error: { en: "The server was killed.", zh: "服务器被终止。" },
};

const STUDIES = [RUNNING, STUDY, CUT];

const SCHEDULES: Schedule[] = [
  {
    schedule: "s1",
    name: NAME,
    cron: "30 2 * * *",
    zone: "Asia/Shanghai",
    enabled: true,
    next: END,
    last: { at: BEGIN, run: "shop-3", error: null },
    missed: { count: 3, last: BEGIN },
    by: "li",
    added: BEGIN,
    order: { url: "http://127.0.0.1:18080/" },
  },
  {
    schedule: "s2",
    name: "weekly",
    cron: "0 4 * * 1",
    zone: "UTC",
    enabled: false,
    next: null,
    last: { at: BEGIN, run: null, error: { en: `Refused: ${NAME}`, zh: `被拒绝：${NAME}` } },
    missed: null,
    by: null,
    added: BEGIN,
    order: { plan: NAME },
  },
];

const WEBHOOKS: Webhook[] = (["generic", "dingtalk"] as const).map((kind) => ({
  webhook: kind,
  name: NAME,
  url: "https://hooks.example/…",
  kind,
  events: ["begin", "verdict"],
  secret_env: null,
  language: "zh",
  enabled: kind === "generic",
  by: "li",
}));

const DELIVERIES: Delivery[] = [
  {
    delivery: 1,
    event: "verdict",
    run: "shop-3",
    at: BEGIN,
    state: "given_up",
    attempts: 5,
    status: 500,
    response: NAME,
    reason: { en: NAME, zh: NAME },
    next: null,
  },
];

/** Loopback without a login. */
const SESSION: Session = {
  login: false,
  user: null,
  role: "administer",
  rights: ["look", "run", "administer"],
  csrf: null,
  needs_first_user: false,
};

const SETTINGS = {
  language: null,
  retention: { runs_days: null, trash_days: 30, plans_days: 30, plans: 200 },
  outputs: [NAME],
  hosts: null,
  hosts_now: null,
  limits: { users: null, rate_per_s: null, duration_s: null, queue: 50 },
  allows: ["tune"],
  monitor: ["host"],
};

/** What the server's document says of these routes. */
export const MEASURE_OFFERS = {
  "/api/v1/measurements": { get: {}, post: {} },
  "/api/v1/monitor": { get: {} },
  "/api/v1/schedules": { get: {}, post: {} },
  "/api/v1/session": { get: {} },
  "/api/v1/settings": { get: {} },
  "/api/v1/webhooks": { get: {}, post: {} },
  "/api/v1/calibrations": { get: {} },
  "/api/v1/machines": { get: {} },
  "/api/v1/studies": { get: {}, post: {} },
  "/api/v1/studies/{study}/restore": { post: {} },
  "/api/v1/runs/{id}/findings/{number}/study": { get: {} },
};

/** Seconds of the target without load, which end now. */
function monitored(target: SeriesColumn[], query: URLSearchParams): unknown {
  const last = Number(query.get("last_s") ?? 900);
  const names = query.get("names")?.split(",") ?? [];
  const step_s = last > 3600 ? 20 : last > 900 ? 2 : 1;
  const times_s = Array.from({ length: last / step_s }, (_, i) => i * step_s);
  const begin = new Date((Math.floor(Date.now() / 1000) - last) * 1000).toISOString();
  const series = target
    .filter((column) => names.includes(column.id))
    .map((column) => ({ ...column, values: times_s.map((_, i) => column.values[i % column.values.length] ?? null) }));
  return { begin, step_s, times_s, series };
}

function events(response: ServerResponse, all: [name: string, data: unknown][]): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  for (const [name, data] of all) response.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** What is at a path beside the runs; undefined: nothing. */
export function measuresAt(path: string, query: URLSearchParams, summary: Summary, target: SeriesColumn[]): unknown {
  const [collection, id, rest] = path.split("/").map(decodeURIComponent);
  const study = STUDIES.find((one) => one.study === id);
  const at: Record<string, () => unknown> = {
    measurements: () => (id === undefined ? { items: ROWS, next: null } : measurement(id, summary)),
    meta: () => META,
    compare: () => compared(query),
    calibrations: () => ({ items: [CEILING], next: null }),
    machines: () => MACHINES,
    schedules: () => ({ items: SCHEDULES, next: null }),
    session: () => SESSION,
    settings: () => SETTINGS,
    webhooks: () => (rest === "deliveries" ? { items: DELIVERIES, next: null } : { items: WEBHOOKS, next: null }),
    studies: () =>
      id === undefined ? { items: STUDIES.map((one) => ({ ...one, trials: one.trials.length })), next: null } : study,
    monitor: () => {
      if (id === undefined) return MONITOR;
      return monitored(target, query);
    },
  };
  return at[collection ?? ""]?.();
}

/** Streams of what goes on; false: the path is none. */
export function streamAt(
  path: string,
  target: SeriesColumn[],
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  if (path === "measurements/m-1/live") {
    events(response, [...STEPS.map((step): [string, unknown] => ["progress", step]), ["run", { id: "live" }]]);
    return true;
  }
  if (path === "studies/live-study/live") {
    events(
      response,
      TRIALS.slice(0, 4).map((one): [string, unknown] => ["trial", one]),
    );
    return true;
  }
  if (path !== "monitor/live") return false;
  events(response, []);
  const timer = setInterval(() => {
    const values = Object.fromEntries(target.map((column) => [column.id, column.values[0] ?? 0]));
    const data = JSON.stringify({ at_unix_s: Math.floor(Date.now() / 1000), values });
    response.write(`event: series\ndata: ${data}\n\n`);
  }, 1000);
  request.on("close", () => clearInterval(timer));
  return true;
}
