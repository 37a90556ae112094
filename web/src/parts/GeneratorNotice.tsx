import type { GeneratorReason } from "../api/types";
import { figure, toldApart } from "../format/number";
import { type Say, type Texts, useWords } from "../texts";

const SHARES = ["cpu", "memory", "starved"];

function reason(say: Say, of: GeneratorReason, window: number | undefined): string {
  const factor = SHARES.includes(of.kind) ? 100 : 1;
  const share = figure(of.seconds_share * 100);
  const [worst, limit] = [of.worst * factor, of.limit * factor];
  const text = say(`report-reason-${of.kind}`, {
    seconds: of.seconds,
    share: window ? say("report-reason-of-last", { share, window }) : say("report-reason-of-run", { share }),
    worst: figure(worst) === figure(limit) ? toldApart(worst, limit) : figure(worst),
    limit: figure(limit),
  });
  return of.competitor ? `${text} ${say("report-reason-competitor", { name: of.competitor })}` : text;
}

/** A sentence for each reason: with its figures where they are known, and never its bare name. */
export function reasonTexts(health: KnownHealth, say: Say, t: Texts): string[] {
  const details = health.reason_details ?? [];
  const detailed = details.map((of) =>
    t.generator.reasons[of.kind] ? reason(say, of, health.window_s) : bare(of.kind, t),
  );
  const known = new Set(details.map((of) => of.kind));
  return [...detailed, ...health.reasons.filter((kind) => !known.has(kind)).map((kind) => bare(kind, t))];
}

function bare(kind: string, t: Texts): string {
  return t.generator.reasons[kind] ?? t.generator.unknownReason(kind);
}

/** What is known of it, after a run and while it goes on. */
export interface KnownHealth {
  limited: boolean;
  reasons: string[];
  reason_details?: GeneratorReason[];
  warnings?: GeneratorReason[];
  /** While the run goes on: so many seconds it is of, the last ones. */
  window_s?: number;
  /** The reasons in words, as the server says them while the run goes on. */
  texts?: { en: string[]; zh: string[] };
}

/** The load generator's health: first and loud when it is the bottleneck, folded when it is not. */
export function GeneratorNotice({ health, live = false }: { health: KnownHealth; live?: boolean }) {
  const { t, say, language } = useWords();
  const reasons = health.texts?.[language] ?? reasonTexts(health, say, t);
  if (health.limited) {
    return (
      <div className="notice bad" role="alert">
        <strong>{t.generator.limited}</strong>
        <p>{live ? t.generator.now : say("report-generator-limited")}</p>
        <ul>
          {reasons.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      </div>
    );
  }
  const warnings = health.warnings ?? [];
  if (warnings.length === 0) return <p className="generator-ok muted">{t.generator.ok}</p>;
  return (
    <details className="notice warn">
      <summary>{t.generator.warning}</summary>
      <ul>
        {warnings.map((of) => (
          <li key={of.kind}>{reasonTexts({ limited: false, reasons: [], reason_details: [of] }, say, t)[0]}</li>
        ))}
      </ul>
    </details>
  );
}
