import { Button, Segmented } from "antd";
import { useState } from "react";
import {
  type Capture,
  type CaptureFlame,
  type CaptureView,
  type FlameOf,
  type Statements,
  viewAddress,
} from "../../api/evidence";
import { useJson } from "../../api/use";
import { count, figure } from "../../format/number";
import { moment } from "../../format/time";
import { Failed } from "../../parts/Failed";
import { FlameChart } from "../../parts/FlameChart";
import { useWords } from "../../texts";
import { ClassesView } from "./ClassesView";
import { StatementsView } from "./StatementsView";
import { TextView } from "./TextView";
import { ThreadsView } from "./ThreadsView";

/** What a capture is called: what it is, of what, when. */
export function useCaptureName(): (capture: Capture, longest: number) => string {
  const { t } = useWords();
  return ({ kind, entity, at_s }, longest) =>
    `${t.evidence.captures[kind] ?? kind} · ${entity.name || entity.host} · ${moment(at_s, longest)}`;
}

/** A capture as it is best looked at, and the other ways. */
export function CapturePanel({ run, capture, longest }: { run: string; capture: Capture; longest: number }) {
  const { t } = useWords();
  const name = useCaptureName();
  const [view, setView] = useState<CaptureView>(capture.views[0] ?? "text");
  return (
    <section className="capture" aria-label={name(capture, longest)}>
      <div className="section-head">
        <h3>
          <bdi>{name(capture, longest)}</bdi>
        </h3>
        <div className="inline">
          {capture.views.length > 1 ? (
            <Segmented<CaptureView>
              value={view}
              onChange={setView}
              options={capture.views.map((value) => ({ value, label: t.evidence.views[value] }))}
            />
          ) : null}
          <Button size="small" href={viewAddress(run, capture, "/file")} download>
            {t.evidence.file} ({figure(capture.length / 1024)} KiB)
          </Button>
        </div>
      </div>
      {view === "threads" ? <ThreadsView run={run} capture={capture} /> : null}
      {view === "flame" ? <FlameView run={run} capture={capture} /> : null}
      {view === "classes" ? <ClassesView run={run} capture={capture} longest={longest} /> : null}
      {view === "statements" ? <StatementsOf run={run} capture={capture} /> : null}
      {view === "text" || capture.views.length === 0 ? <TextView run={run} capture={capture} /> : null}
    </section>
  );
}

function FlameView({ run, capture }: { run: string; capture: Capture }) {
  const { t } = useWords();
  const [of, setOf] = useState<FlameOf | undefined>(undefined);
  const asked = useJson<CaptureFlame>(viewAddress(run, capture, "/flame", { of }));
  if (asked.error && !asked.value) return <Failed error={asked.error} again={asked.again} />;
  const flame = asked.value;
  if (!flame) return null;
  return (
    <>
      {flame.known.length > 1 ? (
        <Segmented<FlameOf>
          value={flame.of}
          onChange={setOf}
          options={flame.known.map((value) => ({ value, label: t.flame.of[value] }))}
        />
      ) : null}
      {flame.graph.total > 0 ? (
        <FlameChart graph={flame.graph} title={t.flame.of[flame.of]} />
      ) : (
        <p className="muted">{t.flame.empty}</p>
      )}
      {flame.graph.left_out > 0 ? <p className="muted">{t.evidence.leftOut(count(flame.graph.left_out))}</p> : null}
    </>
  );
}

function StatementsOf({ run, capture }: { run: string; capture: Capture }) {
  const asked = useJson<Statements>(viewAddress(run, capture, "/statements"));
  if (asked.error && !asked.value) return <Failed error={asked.error} again={asked.again} />;
  return asked.value ? <StatementsView of={asked.value} /> : null;
}
