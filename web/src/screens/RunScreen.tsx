import { lazy, Suspense, useEffect, useState } from "react";
import { address, Problem, runPath } from "../api/client";
import { useOffers } from "../api/offers";
import type { RunDetail } from "../api/types";
import { useJson } from "../api/use";
import { link, moved } from "../app/router";
import { Failed } from "../parts/Failed";
import { goesOn } from "../parts/StateBadge";
import { Waiting } from "../parts/Waiting";
import { useWords } from "../texts";
import { NeverMade, QueuedRun } from "./QueuedRun";
import { RunHead } from "./RunHead";

const ResultView = lazy(() => import("./ResultView"));
const LiveView = lazy(() => import("./LiveView"));
const FindingsView = lazy(() => import("./FindingsView"));
const EvidenceView = lazy(() => import("./evidence/EvidenceView"));
const PlanView = lazy(() => import("./PlanView"));

/** A run: while it goes on, what came of it, why, and what was asked for. */
export default function RunScreen({ id, tab }: { id: string; tab: string }) {
  const { t } = useWords();
  const offers = useOffers();
  const asked = useJson<RunDetail>(address(runPath(id)));
  const run = asked.value;
  // What was a ticket has a name now, which outlives the server.
  const name = run?.id ?? id;
  useEffect(() => {
    if (name !== id) moved(link(["runs", name, tab]));
  }, [name, id, tab]);
  // Who follows a run stays with it when it ends, until he asks for the result.
  const [followed, setFollowed] = useState("");
  const running = run !== undefined && goesOn(run.state);
  useEffect(() => {
    if (running) setFollowed(name);
  }, [running, name]);
  const { error } = asked;
  if (error instanceof Problem && error.kind === "/problems/waits")
    return <QueuedRun ticket={id} begun={asked.again} />;
  if (error instanceof Problem && error.kind === "/problems/not-made") return <NeverMade why={error.message} />;
  if (error && !run) return <Failed error={error} again={asked.again} />;
  if (!run) return <Waiting />;
  const live = running || followed === name;
  const tabs: [string, string][] = [
    ["result", running ? t.live.running : t.result.result],
    ["findings", t.result.findings],
    ...(offers.has("GET /runs/{id}/evidence/captures") ? [["evidence", t.evidence.title] as [string, string]] : []),
    ["plan", t.result.plan],
  ];
  return (
    <div className="run">
      <RunHead run={run} again={asked.again} />
      <nav className="tabs" aria-label={run.name}>
        {tabs.map(([name, text]) => (
          <a key={name} href={link(["runs", id, name])} {...(tab === name ? { "aria-current": "page" as const } : {})}>
            {text}
          </a>
        ))}
      </nav>
      <Suspense fallback={<Waiting />}>
        {tab === "result" && live ? <LiveView run={run} again={asked.again} toResult={() => setFollowed("")} /> : null}
        {tab === "result" && !live ? <ResultView run={run} /> : null}
        {tab === "findings" ? <FindingsView run={run} /> : null}
        {tab === "evidence" ? <EvidenceView run={run} /> : null}
        {tab === "plan" ? <PlanView run={run} /> : null}
      </Suspense>
    </div>
  );
}
