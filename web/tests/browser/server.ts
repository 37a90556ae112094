/** The workbench's files and the API by its contract, from a recorded run: what the browser tests look at. */
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { LoadNow } from "../../src/api/live";
import type { RunRow } from "../../src/api/types";
import { LIVE, type Recorded, type Shelf, serveRun } from "./api";
import { HOSTILE } from "./evidence";
import { lengthen } from "./long";
import { builtPage } from "./pages";

export interface Workbench {
  url: string;
  shelf: Shelf;
  close: () => Promise<void>;
}

async function file(path: string, response: ServerResponse): Promise<void> {
  const page = await builtPage(path);
  if (page) response.writeHead(200, page.headers).end(page.body);
  else response.writeHead(404).end();
}

/** Of two scenarios, each in its own kind. */
const LOADS: LoadNow = {
  end_s: 600,
  scenarios: [
    { name: "buy", model: "rate", amount: 12.5 },
    { name: "browse", model: "users", amount: 40 },
  ],
};

function shelfOf(recorded: Recorded): Shelf {
  const { summary } = recorded;
  const row = (id: string, change: Partial<RunRow>): RunRow => ({
    id,
    name: summary.plan,
    begin: recorded.begin,
    duration_s: summary.duration_s,
    plan: summary.plan,
    target: "http://127.0.0.1:18080",
    verdict: summary.verdict,
    tags: [],
    note: "",
    state: "finished",
    throughput: summary.total.throughput_per_s,
    p95_ms: summary.total.response_time_ms.p95,
    error_share: summary.total.error_rate,
    sparkline: recorded.series[0]?.values.slice(0, 60) ?? [],
    trend_key: "shop",
    ...change,
  });
  const rows = [
    row("shop-3", { tags: ["release 1.4"], note: "pool of 8" }),
    row("shop-2", { verdict: "passed", error_share: 0, p95_ms: 41.2 }),
    row("hostile", {
      name: HOSTILE,
      plan: HOSTILE,
      target: HOSTILE,
      note: HOSTILE,
      tags: [HOSTILE],
      verdict: "limited",
    }),
  ];
  const live = row(LIVE, { state: "running", verdict: null });
  return { recorded, rows, live, trash: [], orders: [], asked: [], stopped: new Set(), loads: LOADS };
}

/** With `isLong` every name and address in what it says has 2,000 characters. */
export async function startWorkbench(isLong = false): Promise<Workbench> {
  const recorded = JSON.parse(await readFile(new URL("../fixtures/shop.json", import.meta.url), "utf8")) as Recorded;
  const shelf = shelfOf(recorded);
  const server: Server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (isLong) lengthen(url.pathname, response);
    if (url.pathname.startsWith("/api/")) void serveRun(shelf, url, request, response);
    else void file(url.pathname, response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((done) => {
      server.closeAllConnections();
      server.close(() => done());
    });
  return { url: `http://127.0.0.1:${port}`, shelf, close };
}
