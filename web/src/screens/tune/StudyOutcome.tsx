import type { Effect, StudyFigures, StudyResult } from "../../api/studies";
import { figure, percent } from "../../format/number";
import { duration } from "../../format/time";
import { Pre } from "../../parts/Pre";
import { Scroll } from "../../parts/Scroll";
import { type Texts, useWords } from "../../texts";
import { asItMoves, interval, signed, valuesText } from "./words";

const MIB = 1024 ** 2;

/** What came of a study: whether it is better and by how much, what each change brings, what limits now. */
export function StudyOutcome({ of }: { of: StudyResult }) {
  const { t } = useWords();
  return (
    <>
      <div className="overview">
        <Verdict of={of} />
        {of.before && of.after ? <BeforeAfter of={of} before={of.before} after={of.after} /> : null}
      </div>
      {of.each.length > 0 ? (
        <section className="card">
          <h2>{t.tune.kept}</h2>
          <Each of={of} />
          <p className="muted">{t.tune.putBackNote}</p>
        </section>
      ) : null}
      {of.changes.length > 0 ? (
        <section className="card">
          <h2>{t.tune.changes}</h2>
          {of.changes.map((change) => (
            <div key={change.of}>
              <h3>
                <code>{change.of}</code>
              </h3>
              <Pre text={change.lines.join("\n")} />
            </div>
          ))}
        </section>
      ) : null}
    </>
  );
}

function headline(of: StudyResult, t: Texts): string {
  if (of.end !== "done" || of.effect === null) return t.tune.outcomes[of.end];
  return t.tune.outcome[of.effect.verdict];
}

function brings(effect: Effect, maximise: boolean, t: Texts): string {
  const moved = asItMoves(effect, maximise);
  return t.tune.brings(signed(moved.share), interval(moved), String(effect.pairs));
}

/** What is to be known beside the result; one that this page does not know is shown as it is. */
function noteText({ kind, before, after, text }: NonNullable<StudyResult["notes"]>[number], t: Texts): string {
  const share = kind === "errors" || kind === "sent_again";
  const shown = (value: number | null) => (value === null ? "" : share ? percent(value) : figure(value));
  return t.tune.notes[kind]?.(shown(before), shown(after), text) ?? `${kind} ${text}`;
}

function Verdict({ of }: { of: StudyResult }) {
  const { t, language } = useWords();
  const isKept = of.kept !== null && Object.keys(of.kept).length > 0;
  const tone = isKept ? "good" : of.end === "done" ? "" : "warn";
  const { limits } = of;
  return (
    <section className={`card verdict ${tone}`}>
      <h2>{headline(of, t)}</h2>
      {isKept ? (
        <p className="lead">
          <bdi>{valuesText(of.kept, t)}</bdi>
        </p>
      ) : null}
      {of.effect ? <p>{brings(of.effect, of.maximise ?? true, t)}</p> : null}
      {limits ? (
        <p>
          {t.tune.limits}: <b>{language === "zh" ? limits.title_zh : limits.title}</b>
        </p>
      ) : null}
      {(of.notes ?? []).map((note) => (
        <p className="bad-text" key={note.kind}>
          <bdi>{noteText(note, t)}</bdi>
        </p>
      ))}
      {(of.given_up ?? []).length > 0 ? (
        <p className="bad-text">
          {t.tune.givenUp}:{" "}
          {(of.given_up ?? []).map(({ knob, value, what }) => `${knob}=${value} (${what})`).join(", ")}
        </p>
      ) : null}
      <p className="muted">
        {t.tune.took}: {duration(of.seconds)} · {t.tune.noise}: {of.noise === null ? "–" : figure(of.noise * 100)}
      </p>
      <details>
        <summary>{t.tune.knobs}</summary>
        <ul>
          {of.knobs.map(({ name, found }) => (
            <li key={name}>
              <code>{name}</code>: {found ?? "–"}
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}

type Row = [name: string, value: (of: StudyFigures) => number, show: (value: number) => string];

function BeforeAfter({ of, before, after }: { of: StudyResult; before: StudyFigures; after: StudyFigures }) {
  const { t } = useWords();
  const rows: Row[] = [
    [`${t.tune.objective}${of.unit ? `, ${of.unit}` : ""}`, (figures) => figures.objective, figure],
    [t.runs.throughput, (figures) => figures.throughput_per_s, figure],
    [t.compare.mean, (figures) => figures.mean_ms, figure],
    ["p99, ms", (figures) => figures.p99_ms, figure],
    [t.runs.errors, (figures) => figures.error_rate, percent],
    [t.tune.memory, (figures) => figures.memory_bytes / MIB, figure],
  ];
  return (
    <section className="card">
      <h2>{t.tune.beforeAfter}</h2>
      <Scroll>
        <table className="plain-table">
          <thead>
            <tr>
              <th>{t.compare.metric}</th>
              <th className="r">{t.tune.before}</th>
              <th className="r">{of.kept === null ? t.tune.candidate : t.tune.after}</th>
              <th className="r">{t.tune.change}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, value, show]) => {
              const [was, is] = [value(before), value(after)];
              return (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td className="r">{show(was)}</td>
                  <td className="r">
                    <b>{show(is)}</b>
                  </td>
                  <td className="r">{was > 0 ? signed((is - was) / was) : "–"}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}

function Each({ of }: { of: StudyResult }) {
  const { t } = useWords();
  const found = new Map(of.knobs.map((knob) => [knob.name, knob.found]));
  return (
    <Scroll>
      <table className="plain-table">
        <thead>
          <tr>
            <th>{t.tune.knob}</th>
            <th>{t.tune.was}</th>
            <th>{t.tune.value}</th>
            <th>{t.tune.alone}</th>
            <th>{t.tune.verdict}</th>
          </tr>
        </thead>
        <tbody>
          {of.each.map((one) => (
            <tr key={one.knob}>
              <td>
                <code>{one.knob}</code>
              </td>
              <td>
                <bdi>{found.get(one.knob) ?? "–"}</bdi>
              </td>
              <td>
                <b>
                  <bdi>{one.value}</bdi>
                </b>
              </td>
              <td>{brings(one.effect, of.maximise ?? true, t)}</td>
              <td className={one.kept ? "good-text" : "muted"}>{one.kept ? t.tune.needed : t.tune.putBack}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
