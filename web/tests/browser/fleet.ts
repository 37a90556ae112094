/** A NATS server, a worker and an agent, as a workbench hears them; and what this machine was calibrated to. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { over, PLIMSOLL, saying } from "./real";

export interface Fleet {
  /** Arguments and variables of a workbench that is to know them. */
  args: string[];
  env: Record<string, string>;
  /** Ends the worker alone, and waits until it has gone. */
  endWorker: () => Promise<void>;
  close: () => Promise<void>;
}

export const WORKER = "w1";
export const ZONE = "<i>east</i>";

export async function startFleet(): Promise<Fleet> {
  const folder = await mkdtemp(join(tmpdir(), "plimsoll-fleet-"));
  const env = { LC_ALL: "C.UTF-8", XDG_STATE_HOME: join(folder, "state") };
  const started: ChildProcess[] = [];
  const start = (program: string, args: string[]): ChildProcess => {
    const child = spawn(program, args, {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    started.push(child);
    return child;
  };
  const nats = start("/usr/sbin/nats-server", ["-a", "127.0.0.1", "-p", "-1", "-js", "-sd", join(folder, "nats")]);
  const heard = await saying(nats, /client connections on (127\.0\.0\.1:\d+)[\s\S]*Server is ready/);
  const address = `nats://${heard.found[1]}`;
  const worker = start(PLIMSOLL, ["worker", "--nats", address, "--name", WORKER, "--labels", `zone=${ZONE}`]);
  const agent = start(PLIMSOLL, ["agent", "--listen", "127.0.0.1:0"]);
  const calibrated = start(PLIMSOLL, ["calibrate", "--step-seconds", "2", "--users", "2", "--threads", "1", "--quiet"]);
  const [listens, , ended] = await Promise.all([
    saying(agent, /listens on (127\.0\.0\.1:\d+)/),
    saying(worker, /Worker w1 is ready/),
    over(calibrated),
  ]);
  if (ended !== 0) throw new Error(`plimsoll calibrate ended (${ended})`);
  const end = async (child: ChildProcess): Promise<void> => {
    child.kill("SIGKILL");
    await over(child);
  };
  const close = async (): Promise<void> => {
    await Promise.all(started.map(end));
    await rm(folder, { recursive: true, force: true });
  };
  const endWorker = async (): Promise<void> => {
    worker.kill("SIGINT");
    await over(worker);
  };
  return { args: ["--nats", address, "--monitor", `agent=${listens.found[1]}`], env, endWorker, close };
}
