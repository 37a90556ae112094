/** Captures as a server may have them, of made-up data: deep stacks, locks, names that are no names. */

import type { Finding } from "../../src/api/diagnosis";
import type {
  Capture,
  CaptureFlame,
  Fact,
  FindingEvidence,
  HeapClasses,
  Statements,
  ThreadDump,
} from "../../src/api/evidence";
import type { SeriesColumn } from "../../src/api/types";

export const HOSTILE = `<img src=x onerror="window.harmed=1"> "'&\u202e {{7*7}} 名字`;

/** Pictures for the docs have plain names. */
const NAME = process.env.SMALL ? "shop.Catalogue.find" : HOSTILE;

const entity = { kind: "jvm", name: "shop", host: "vm" };

function capture(number: number, kind: string, views: Capture["views"], at_s: number): Capture {
  const length = 20_480;
  return { number, kind, moment: "worst", at_s, took_ms: 12.5, length, media_type: "text/plain", entity, views };
}

export const CAPTURES: Capture[] = [
  capture(1, "class_histogram", ["classes", "text"], 2),
  capture(2, "thread_dump", ["threads", "flame", "text"], 14.2),
  capture(3, "jfr", ["flame"], 15),
  capture(4, "class_histogram", ["classes", "text"], 29),
  capture(5, "slow_queries", ["statements", "text"], 29.5),
];

const own = (method: string) => ({ method, place: `${method.split(".").at(-2)}.java:17`, is_own: true });
const library = (method: string) => ({ method, place: "", is_own: false });
const names = (count: number) => ({
  count,
  names: [NAME, ...Array.from({ length: Math.min(count, 20) - 1 }, (_, i) => `http-nio-8080-exec-${i + 1}`)],
});

function threads(): Omit<ThreadDump, "capture"> {
  const waiting = {
    threads: names(42),
    state: "BLOCKED",
    place: "lock",
    serves: true,
    calls: [own("shop.Cart.add"), own("shop.CartController.post"), library("java.lang.Thread.run")],
    calls_left_out: 0,
    waits_for: ["0x0000000707a3b2c8"],
    holds: [],
  };
  const idle = { ...waiting, threads: names(8), state: "WAITING", place: "idle", serves: false, waits_for: [] };
  const lock = {
    id: "0x0000000707a3b2c8",
    class: "shop.Inventory",
    how: "monitor",
    holder: "http-nio-8080-exec-7",
    holder_state: "TIMED_WAITING",
    holder_in: "shop.Inventory.reserve",
    waiting: names(42),
  };
  const counts = { threads: 64, serving: 50, groups: 2 };
  return {
    jvm: "OpenJDK 64-Bit Server VM 17.0.12",
    ...counts,
    items: [waiting, idle],
    next: null,
    locks: [lock],
    locks_left_out: 0,
    deadlocks: [],
  };
}

/** A graph of so many calls in each other, with leaves beside them. */
export function deepGraph(depth: number): CaptureFlame["graph"] {
  const graphNames = ["", NAME, "shop.Cart.add", "java.util.HashMap.put"];
  const boxes: CaptureFlame["graph"]["boxes"] = [{ name: 0, parent: null, self: 0, total: 1000 }];
  let total = 1000;
  for (let at = 0; at < depth; at += 1) {
    graphNames.push(`shop.layer${at}.Service.call`);
    const parent = at === 0 ? 0 : boxes.length - 2;
    boxes.push({ name: graphNames.length - 1, parent, self: 0, total: total * 0.9 });
    boxes.push({ name: 1 + (at % 3), parent, self: total * 0.1, total: total * 0.1 });
    total *= 0.9;
  }
  return { unit: "samples", total: 1000, names: graphNames, boxes, left_out: 3 };
}

function statements(): Omit<Statements, "capture"> {
  const statement = {
    digest: "d1",
    text: "SELECT * FROM `stock` WHERE `note` LIKE ?",
    count: 4200,
    time_s: 81.2,
    max_s: 0.4,
    lock_time_s: 0.01,
    rows_examined: 42_000_000,
    rows_sent: 4200,
    no_index_count: 4200,
    plan: [{ id: 1, select_type: "SIMPLE", table: "stock", type: "ALL", rows: 10_000, Extra: "Using where" }],
  };
  return {
    statements: [statement],
    statements_missing: null,
    running: [],
    running_missing: null,
    commands: [{ time_us: 15_000, command: NAME, key: "cart:*", arguments: 2 }],
    left_out: 0,
  };
}

function classes(of: Capture): HeapClasses {
  const before = of.number === 1 ? null : (CAPTURES[0] ?? null);
  const row = (name: string, mib: number) => ({
    class: name,
    objects: mib * 1000,
    bytes: mib * 1048576,
    more_objects: before ? mib * 900 : 0,
    more_bytes: before ? mib * 1e6 : 0,
  });
  const items = [row("shop.Cart$Item", 210), row("byte[]", 80), row(NAME, 1)];
  return { capture: of, before, bytes: 3e8, more_bytes: before ? 2.8e8 : 0, items, next: null };
}

const FACTS: Fact[] = [
  {
    entity,
    name: "setting.server.tomcat.threads.max",
    values: [{ at_s: -1, value: "50" }],
    before: null,
    is_changed: false,
  },
  {
    entity,
    name: "jvm.version",
    values: [
      { at_s: -1, value: NAME },
      { at_s: 12, value: "17.0.12" },
    ],
    before: null,
    is_changed: true,
  },
];

function ofFinding(finding: Finding, series: SeriesColumn[]): FindingEvidence {
  const shown = series.slice(0, 3).map(({ values: _, ...name }) => ({ ...name, at_s: 14 }));
  const captures = finding.rank === 1 ? CAPTURES.slice(1, 3).map((one) => ({ ...one, lines: [] })) : [];
  const facts = [{ entity, name: "setting.server.tomcat.threads.max", value: "50" }];
  const { id, rank, title } = finding;
  return { id, rank, title, from_s: 2, to_s: 30, at_s: 14, series: shown, series_left_out: 0, captures, facts };
}

/** What is below /evidence; undefined: nothing. */
export function evidenceAt(path: string, query: URLSearchParams, findings: Finding[], series: SeriesColumn[]): unknown {
  if (path === "captures") return { items: CAPTURES, next: null };
  if (path === "findings") return { items: findings.map((finding) => ofFinding(finding, series)) };
  if (path === "facts") {
    const search = (query.get("search") ?? "").toLowerCase();
    return { items: FACTS.filter((fact) => fact.name.includes(search)), next: null };
  }
  const [, number, view = "text"] = /^captures\/(\d+)(?:\/(\w+))?$/.exec(path) ?? [];
  const of = CAPTURES.find((one) => one.number === Number(number));
  if (!of) return undefined;
  const views: Record<string, unknown> = {
    threads: { capture: of, ...threads() },
    flame: { capture: of, of: query.get("of") ?? "cpu", known: ["cpu", "locks"], graph: deepGraph(60) },
    classes: classes(of),
    statements: { capture: of, ...statements() },
    text: { capture: of, text: `"main" prio=5\n${NAME}\n`, next: null },
  };
  return views[view];
}
