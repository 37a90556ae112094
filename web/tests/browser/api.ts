/** The routes of the contract, on a shelf of recorded runs. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Diagnosis } from "../../src/api/diagnosis";
import type { LoadNow } from "../../src/api/live";
import type {
  Distribution,
  HeatMap,
  LabelSummary,
  LoadCurve,
  RunRow,
  SeriesColumn,
  SeriesNames,
  Summary,
  TargetChart,
} from "../../src/api/types";
import { evidenceAt } from "./evidence";
import { MEASURE_OFFERS, measuresAt, streamAt } from "./measures";

export interface Recorded {
  summary: Summary;
  begin: string;
  times: number[];
  series: SeriesColumn[];
  target: SeriesColumn[];
  heat: HeatMap;
  distribution: Distribution;
  curve: LoadCurve;
  findings: { en: Diagnosis; zh: Diagnosis };
  plan: string;
}

export interface Shelf {
  recorded: Recorded;
  rows: RunRow[];
  trash: RunRow[];
  /** Goes on as long as it is looked at; not in the list. */
  live: RunRow;
  /** How long runs are; without it as long as what was recorded. */
  seconds?: number;
  /** What runs were asked for. */
  orders: Record<string, unknown>[];
  /** What was asked of runs that go on. */
  asked: string[];
  stopped: Set<string>;
  /** The load of runs that go on. */
  loads: LoadNow;
}

/** What the server's own document says that it has, as far as the UI asks. */
const OFFERS = {
  "/api/v1/runs/{id}": { get: {}, patch: {}, delete: {} },
  "/api/v1/runs/{id}/restore": { post: {} },
  "/api/v1/runs/{id}/curve": { get: {} },
  "/api/v1/runs/{id}/capture": { post: {} },
  "/api/v1/runs/{id}/evidence/captures": { get: {} },
  "/api/v1/runs/{id}/evidence/findings": { get: {} },
  "/api/v1/trend": { get: {} },
  ...MEASURE_OFFERS,
};

/** A run that goes on as long as it is looked at; its generator is at its limit. */
export const LIVE = "live";

/** Between two seconds of a live run, ms. */
const BEAT_MS = 60;

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString();
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
}

const speaksChinese = (request: IncomingMessage): boolean =>
  (request.headers["accept-language"] ?? "").startsWith("zh");

function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function problem(response: ServerResponse, status: number, title: string, errors: unknown[] = []): void {
  response.writeHead(status, { "content-type": "application/problem+json" });
  response.end(JSON.stringify({ type: "about:blank", title, status, detail: title, errors }));
}

/** The target's charts: what has words, as a server says them; the rest goes by its own name. */
const TITLES: Record<string, [string, string]> = {
  "process.cpu.time": ["CPU of the process (100 % is one core)", "进程 CPU（100 % 为一个核）"],
  "system.cpu.time": ["CPU of the host", "主机 CPU"],
  "system.memory.usage": ["Memory of the host", "主机内存"],
};

export function seriesNames(target: SeriesColumn[], zh: boolean): SeriesNames {
  const charts = Object.keys(TITLES).flatMap((name, rank): TargetChart[] => {
    const own = target.filter((column) => column.name === name);
    const things = [...new Set(own.map((column) => column.entity?.name ?? ""))];
    return things.map((thing) => {
      const lines = own.filter((column) => column.entity?.name === thing);
      return {
        title: TITLES[name]?.[zh ? 1 : 0] ?? "",
        of: thing || "vm",
        unit: lines[0]?.unit ?? "",
        rank,
        lines: lines.map(({ id, attributes, name }) => ({
          name: attributes?.[0]?.split("=")[1] ?? name,
          series: [id],
          factor: 1,
        })),
      };
    });
  });
  return { items: target.map(({ values: _, ...name }) => name), charts };
}

/** The columns of a stretch. */
function cut(recorded: Recorded, columns: SeriesColumn[], url: URL) {
  const [from, to] = stretch(url, recorded);
  const at = recorded.times.flatMap((time, i) => (time >= from && time < to ? [i] : []));
  return {
    begin: recorded.begin,
    step_s: 1,
    times_s: at.map((i) => recorded.times[i]),
    series: columns.map((column) => ({ ...column, values: at.map((i) => column.values[i] ?? null) })),
  };
}

function stretch(url: URL, recorded: Recorded): [number, number] {
  const number = (name: string, or: number): number => Number(url.searchParams.get(name) ?? or);
  return [number("from_s", 0), number("to_s", (recorded.times.at(-1) ?? 0) + 1)];
}

/** Labels of a stretch: counts by the throughput that was recorded there. */
function labels(recorded: Recorded, url: URL) {
  const [from, to] = stretch(url, recorded);
  const rate = recorded.series[0]?.values ?? [];
  const sum = (a: number, b: number): number => rate.slice(a, b).reduce<number>((all, v) => all + (v ?? 0), 0);
  const share = sum(from, to) / sum(0, rate.length);
  const part = (row: LabelSummary): LabelSummary => ({ ...row, samples: Math.round(row.samples * share) });
  return { from_s: from, to_s: to, items: recorded.summary.labels.map(part), total: part(recorded.summary.total) };
}

function list(shelf: Shelf, url: URL, response: ServerResponse): void {
  const search = (url.searchParams.get("search") ?? "").toLowerCase();
  const verdict = url.searchParams.get("verdict");
  const items = shelf.rows.filter(
    (row) =>
      (!verdict || row.verdict === verdict) &&
      [row.name, row.plan, row.target, row.note].some((text) => text.toLowerCase().includes(search)),
  );
  json(response, { items, next: null, queued: [{ id: "ticket-1", name: "waits" }] });
}

async function begin(shelf: Shelf, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const order = await bodyOf(request);
  shelf.orders.push(order);
  if (typeof order.plan === "string" && order.plan.includes("wrong:")) {
    problem(response, 422, "The plan is not valid", [
      { file: "plan", line: 2, column: 1, what: "unknown key “wrong”" },
    ]);
    return;
  }
  const id = `live-${shelf.orders.length}`;
  const first = shelf.rows[0];
  if (first)
    shelf.rows.unshift({
      ...first,
      id,
      name: String(order.name ?? id),
      state: "running",
      verdict: "interrupted",
      note: "",
      tags: [],
    });
  json(response, { id }, 201);
}

/** A recorded second as it was heard. */
function interval(recorded: Recorded, at: number) {
  const value = (id: string): number => recorded.series.find((column) => column.id === id)?.values[at] ?? 0;
  const [p50, p95, p99, max] = ["p50_ms", "p95_ms", "p99_ms", "max_ms"].map(value);
  const total = {
    count: value("throughput"),
    errors: value("errors"),
    errors_by_kind: { http_status: value("errors") },
    sent_bytes: value("sent_bytes"),
    received_bytes: value("received_bytes"),
    dropped: 0,
    response_ms: { mean: p50, p50, p90: p95, p95, p99, max },
  };
  return {
    from_s: at,
    to_s: at + 1,
    after_load: false,
    users_active: value("users"),
    in_flight: value("in_flight"),
    total,
    labels: [],
  };
}

function happened(at_s: number, text: string, zh = `中文 ${text}`) {
  return { at_s, kind: "event", args: {}, texts: { en: text, zh } };
}

function generator(second: number, limited: boolean) {
  const text = "CPU: a load thread used 99 % of the CPU allowed to it.";
  const texts = limited ? { en: [text], zh: ["CPU：某个加压线程用到了可用 CPU 的 99 %。"] } : { en: [], zh: [] };
  return {
    second,
    window_s: Math.min(second + 1, 30),
    cpu_share: 0.1,
    limited,
    reasons: limited ? ["cpu"] : [],
    texts,
    warnings: [],
  };
}

/** What the target's series had at a second. */
function moment(recorded: Recorded, at: number): Record<string, number> {
  const values = recorded.target.flatMap((column): [string, number][] => {
    const value = column.values[at];
    return value === null || value === undefined ? [] : [[column.id, value]];
  });
  return Object.fromEntries(values);
}

function live(shelf: Shelf, row: RunRow, request: IncomingMessage, response: ServerResponse): void {
  const { recorded } = shelf;
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  let second = Number(request.headers["last-event-id"] ?? 0);
  const say = (name: string, data: unknown): void => {
    response.write(`id: ${second}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  const timer = setInterval(() => {
    // It goes on until it is stopped, however long that takes the test.
    if (second >= recorded.times.length && !shelf.stopped.has(row.id)) return;
    if (shelf.stopped.has(row.id)) {
      row.state = "finished";
      row.verdict = recorded.summary.verdict;
      say("end", {});
      clearInterval(timer);
      return;
    }
    const at = second;
    second += 1;
    say("interval", interval(recorded, at));
    say("generator", generator(at, row.id === LIVE));
    say("series", { at_s: at + 0.4, values: moment(recorded, at) });
    if (at === 5) say("event", happened(at, "Found nginx[18080] <b>"));
    if (at === 10) say("finding", happened(at, "The CPUs of host vm are saturated", "中文 主机vm的CPU已用满"));
  }, BEAT_MS);
  request.on("close", () => clearInterval(timer));
}

function detail(shelf: Shelf, row: RunRow): unknown {
  const { summary } = shelf.recorded;
  const limited = row.verdict === "limited";
  const reason = { kind: "cpu", seconds: 30, seconds_share: 0.7, worst: 0.99, limit: 0.9 };
  const generator = limited
    ? { ...summary.generator, limited, reasons: ["cpu"], reason_details: [reason] }
    : summary.generator;
  const { verdict } = row;
  const { id, name, state, note, tags, target } = row;
  const seconds = shelf.seconds ?? shelf.recorded.times.length;
  return { ...summary, verdict, generator, id, name, state, note, tags, target, is_watched: true, seconds };
}

async function change(
  shelf: Shelf,
  row: RunRow,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await bodyOf(request);
  if (request.method === "PATCH") {
    Object.assign(row, body);
    json(response, row);
    return;
  }
  if (request.method === "DELETE") {
    shelf.rows = shelf.rows.filter((other) => other !== row);
    shelf.trash.push(row);
    response.writeHead(204).end();
    return;
  }
  shelf.asked.push(`${path} ${JSON.stringify(body)}`);
  if (path === "stop") shelf.stopped.add(row.id);
  json(response, {}, 202);
}

/** The findings, the first with advice on a setting that has a name. */
function advised(diagnosis: Diagnosis): Diagnosis {
  const setting = { setting: "server.tomcat.threads.max", current: "20", proposed: "80", why: "" };
  const advice = { ...setting, knob: "tomcat.threads.max", value: 80 };
  const findings = diagnosis.findings.map((finding) =>
    finding.rank === 1 ? { ...finding, advice: [...finding.advice, advice] } : finding,
  );
  return { ...diagnosis, findings };
}

/** The runs of the shelf as those of one plan, with what changed. */
function trend(shelf: Shelf): unknown {
  const of = (run: RunRow) => [
    { name: "plimsoll_version", of: "", before: "0.1.0", after: "0.2.0" },
    { name: "setting.server.tomcat.threads.max", of: `jvm ${run.name}`, before: run.note || null, after: run.plan },
  ];
  return { items: shelf.rows.map((run, i) => ({ run, changed: i % 2 === 0 ? [] : of(run) })) };
}

/** What is not of a run: measurements, studies, the target without load, machines. */
async function beside(shelf: Shelf, url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = url.pathname.replace("/api/v1/", "");
  const { summary, target } = shelf.recorded;
  if (request.method === "POST") {
    const body = await bodyOf(request);
    shelf.asked.push(`${path} ${JSON.stringify(body)}`);
    if (path === "measurements") return json(response, { id: "m-2", state: "running" }, 201);
    if (path === "studies") {
      const isWrong = String(body.study).includes("wrong:");
      if (isWrong) return problem(response, 422, "wrong", [{ line: 1, column: 1, what: "unknown key “wrong”" }]);
      return json(response, { study: "shop", state: "running", warnings: ["11 trials can judge nothing."] }, 201);
    }
    return json(response, {});
  }
  if (path === "monitor/series/names") return json(response, seriesNames(target, speaksChinese(request)));
  if (path === "trend") return json(response, trend(shelf));
  if (streamAt(path, target, request, response)) return;
  const found = measuresAt(path, url.searchParams, summary, target);
  if (found === undefined) problem(response, 404, `There is nothing at ${path}.`);
  else json(response, found);
}

export async function serveRun(
  shelf: Shelf,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [collection, id, ...rests] = url.pathname.replace("/api/v1/", "").split("/").map(decodeURIComponent);
  const rest = rests.join("/");
  if (collection === "openapi.json") return json(response, { paths: OFFERS });
  if (collection !== "runs") return beside(shelf, url, request, response);
  if (id === undefined) return request.method === "POST" ? begin(shelf, request, response) : list(shelf, url, response);
  if (rest === "restore") {
    const back = shelf.trash.find((row) => row.id === id);
    if (back) shelf.rows.unshift(back);
    return json(response, back ?? {});
  }
  const row = [...shelf.rows, shelf.live].find((one) => one.id === id);
  if (!row) return problem(response, 404, `There is no run ${id}.`);
  if (request.method !== "GET") return change(shelf, row, rest, request, response);
  return read(shelf, row, rest, url, request, response);
}

function read(
  shelf: Shelf,
  row: RunRow,
  rest: string,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { recorded } = shelf;
  const zh = speaksChinese(request);
  const names = url.searchParams.get("names")?.split(",");
  const columns = names ? recorded.target.filter((column) => names.includes(column.id)) : recorded.series;
  const begun = row.state === "running" ? { ...url, searchParams: new URLSearchParams("to_s=0") } : url;
  const routes: Record<string, () => void> = {
    "": () => json(response, detail(shelf, row)),
    series: () => json(response, cut(recorded, columns, begun as URL)),
    "series/names": () => json(response, seriesNames(recorded.target, zh)),
    labels: () => json(response, labels(recorded, url)),
    heatmap: () => json(response, recorded.heat),
    distribution: () => json(response, recorded.distribution),
    curve: () => json(response, recorded.curve),
    findings: () => json(response, advised(zh ? recorded.findings.zh : recorded.findings.en)),
    events: () => json(response, { items: [happened(2, "Found nginx[18080]")] }),
    plan: () => json(response, { format: "yaml", text: recorded.plan }),
    "findings/1/study": () =>
      json(response, {
        study: "plan: shop.yaml\nobjective: maximise throughput\n",
        files: [{ name: "shop.yaml", base64: "bmFtZTogc2hvcAo=" }],
      }),
    load: () => json(response, shelf.loads),
    live: () => live(shelf, row, request, response),
  };
  const route = routes[rest];
  const [, evidence] = /^evidence\/(.+)$/.exec(rest) ?? [];
  const shown = evidence
    ? evidenceAt(evidence, url.searchParams, recorded.findings.en.findings, recorded.target)
    : undefined;
  if (shown !== undefined) json(response, shown);
  else if (route) route();
  else problem(response, 404, `no such path ${rest}`);
}
