import { App, Button } from "antd";
import { useEffect } from "react";
import { address, runPath, send } from "../api/client";
import { useMay } from "../api/session";
import type { RunPage } from "../api/types";
import { useJson } from "../api/use";
import { go, link } from "../app/router";
import { useFollowed } from "../parts/useFollowed";
import { useWords } from "../texts";

const FOLLOW_MS = 1000;

/** A run that waits for those before it, until it begins; it may be taken back. */
export function QueuedRun({ ticket, begun }: { ticket: string; begun: () => void }) {
  const { t } = useWords();
  const { message } = App.useApp();
  const mayRun = useMay("run");
  const { value, again } = useJson<RunPage>(address("/runs", { limit: 1 }));
  useFollowed(again, FOLLOW_MS);
  const queued = value?.queued;
  const at = queued?.findIndex((one) => one.id === ticket) ?? 0;
  const isOver = queued !== undefined && at < 0;
  useEffect(() => {
    if (isOver) begun();
  }, [isOver, begun]);
  const takeBack = async (): Promise<void> => {
    try {
      await send("POST", address(runPath(ticket, "/stop")), { how: "at_once" });
      go(link(["runs"]));
    } catch (error) {
      message.error(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <div className="notice" role="status">
      <strong>{t.state.queued}</strong> <bdi>{queued?.[at]?.name}</bdi>
      <p>{t.live.waits(String(at + 1))}</p>
      {mayRun ? <Button onClick={() => void takeBack()}>{t.live.takeBack}</Button> : null}
    </div>
  );
}

/** What became of a run that was asked for and never begun. */
export function NeverMade({ why }: { why: string }) {
  const { t } = useWords();
  return (
    <div className="notice warn" role="status">
      <strong>{t.queue.neverMade}</strong>
      <p>{why}</p>
      <a href={link(["runs"])}>{t.queue.toRuns}</a>
    </div>
  );
}
