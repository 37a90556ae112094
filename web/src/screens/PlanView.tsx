import { address, runPath } from "../api/client";
import type { RunDetail, RunEvent } from "../api/types";
import { useJson } from "../api/use";
import { moment } from "../format/time";
import { Failed } from "../parts/Failed";
import { Pre } from "../parts/Pre";
import { useWords } from "../texts";

/** What was asked for, and what happened beside the load. */
export default function PlanView({ run }: { run: RunDetail }) {
  const { t, say, language } = useWords();
  const plan = useJson<{ format: string; text: string }>(address(runPath(run.id, "/plan")));
  const events = useJson<{ items: RunEvent[] }>(address(runPath(run.id, "/events")));
  const longest = run.seconds;
  return (
    <>
      <section className="card">
        <h2>{say("report-events")}</h2>
        {events.error ? <Failed error={events.error} again={events.again} /> : null}
        {events.value?.items.length === 0 ? <p className="muted">{t.result.noEvents}</p> : null}
        <ol className="events">
          {events.value?.items.map((event) => (
            <li key={`${event.at_s} ${event.texts.en}`}>
              <span className="at">{moment(event.at_s, longest)}</span> {event.texts[language]}
            </li>
          ))}
        </ol>
      </section>
      <section className="card">
        <h2>{say("report-plan-text")}</h2>
        {plan.error ? <Failed error={plan.error} again={plan.again} /> : null}
        <Pre text={plan.value?.text ?? ""} />
      </section>
    </>
  );
}
