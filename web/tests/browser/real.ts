/** `plimsoll serve` as it is built, over a folder of its own, and a small service that it loads. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FRESH } from "./pages";

const TARGET = process.env.CARGO_TARGET_DIR ?? new URL("../../../target", import.meta.url).pathname;

export const PLIMSOLL = process.env.PLIMSOLL ?? join(TARGET, "debug", "plimsoll");

/** How a workbench is started. */
export interface RealSetting {
  /** Further arguments of `plimsoll serve`. */
  args?: string[];
  /** Further variables of its environment. */
  env?: Record<string, string>;
  /** What the service responds with at further paths; true: it did. */
  responds?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Puts runs into its folder before it starts. */
  prepare?: (folder: string) => Promise<void>;
}

export interface Real {
  /** The workbench's address. */
  url: string;
  /** What it said before it listened. */
  said: string;
  folder: string;
  /** The service that runs load, and what it has seen. */
  target: string;
  seen: () => number;
  /** A run of two seconds, of one user unless told otherwise, by the command line in the same folder; gives its exit code. */
  run: (name: string, path: string, users?: number) => Promise<number | null>;
  /** The same of a whole plan. */
  runPlan: (text: string) => Promise<number | null>;
  /** Starts the command line in the same folder. */
  start: (args: string[]) => ChildProcess;
  api: (path: string, body?: unknown) => Promise<unknown>;
  close: () => Promise<void>;
}

async function service(
  responds: RealSetting["responds"],
): Promise<{ server: Server; url: string; seen: () => number }> {
  let seen = 0;
  const server = createServer((request, response) => {
    seen += 1;
    if (responds?.(request, response)) return;
    if (request.url === "/wrong") response.writeHead(503).end("<b>busy</b>");
    else setTimeout(() => response.end("hello"), request.url === "/slow" ? 40 : 2);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen: () => seen };
}

/** What a program says, once it says this; a failure if it ends before. */
export function saying(child: ChildProcess, wanted: RegExp): Promise<{ said: string; found: RegExpExecArray }> {
  return new Promise((done, failed) => {
    let said = "";
    const hear = (part: Buffer): void => {
      said += part.toString();
      const found = wanted.exec(said);
      if (found) done({ said, found });
    };
    child.stdout?.on("data", hear);
    child.stderr?.on("data", hear);
    child.once("error", failed);
    child.once("exit", (code) => failed(new Error(`${child.spawnargs.join(" ")} ended (${code}): ${said}`)));
  });
}

/** Waits for a program's end; gives its exit code. */
export const over = (child: ChildProcess): Promise<number | null> =>
  child.exitCode !== null ? Promise.resolve(child.exitCode) : new Promise((done) => child.once("exit", done));

/** Puts a run that was made of recorded evidence of a real fault into a folder, by the store's own writer. */
export async function recordedFault(folder: string, name = "F17-index-101-faulty"): Promise<void> {
  const test = ["--test", "serve", "--", "--ignored", "--exact", "recorded::a_recorded_run_for_the_browser"];
  const env = { ...process.env, PLIMSOLL_RECORDED: folder, PLIMSOLL_RECORDING: name };
  // Of the whole workspace, as all tests are built: of one crate, what it depends on would be built anew.
  const cargo = spawn("cargo", ["test", "-q", "--locked", "--workspace", ...test], {
    cwd: new URL("../../..", import.meta.url).pathname,
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if ((await over(cargo)) !== 0) throw new Error("there is no recorded run: cargo test failed");
}

export async function startReal({ args = [], env: more = {}, responds, prepare }: RealSetting = {}): Promise<Real> {
  if (!existsSync(PLIMSOLL)) throw new Error(`${PLIMSOLL} is not there: cargo build -p plimsoll-cli`);
  const folder = await mkdtemp(join(tmpdir(), "plimsoll-web-"));
  const env = { ...process.env, LC_ALL: "C.UTF-8", ...more };
  await prepare?.(folder);
  const { server, url: target, seen } = await service(responds);
  const child = spawn(PLIMSOLL, ["serve", "--listen", "127.0.0.1:0", ...args], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { said, found } = await saying(child, /http:\/\/[\d.:]+/);
  const [url] = found;
  const page = await (await fetch(url, { headers: { accept: "text/html" } })).text();
  if (!FRESH && !page.includes("csp-nonce"))
    throw new Error("its pages are not in: touch crates/server/build.rs, and build again");
  const close = async (): Promise<void> => {
    child.kill("SIGKILL");
    await over(child);
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    await rm(folder, { recursive: true, force: true });
  };
  const start = (args: string[]): ChildProcess => spawn(PLIMSOLL, args, { cwd: folder, env, stdio: "ignore" });
  let plans = 0;
  const runPlan = async (text: string): Promise<number | null> => {
    plans += 1;
    const file = join(folder, `plan-${plans}.yaml`);
    await writeFile(file, text);
    return over(start(["run", file]));
  };
  const run = (name: string, path: string, users = 1): Promise<number | null> =>
    runPlan(
      [
        `name: ${JSON.stringify(name)}`,
        `users: ${users}`,
        "duration: 2s",
        "steps:",
        `  - get: ${target}${path}`,
        "",
      ].join("\n"),
    );
  const api = async (path: string, body?: unknown): Promise<unknown> => {
    const sent = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    return (await fetch(`${url}/api/v1${path}`, body === undefined ? {} : sent)).json();
  };
  return { url, said, folder, target, seen, run, runPlan, start, api, close };
}
