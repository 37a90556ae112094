import type { GeneratorReason } from "../api/types";
import { figure } from "../format/number";
import { type Say, useWords } from "../texts";

const SHARES = ["cpu", "memory", "starved"];

function reason(say: Say, of: GeneratorReason): string {
  const factor = SHARES.includes(of.kind) ? 100 : 1;
  const text = say(`report-reason-${of.kind}`, {
    seconds: of.seconds,
    share: figure(of.seconds_share * 100),
    worst: figure(of.worst * factor),
    limit: figure(of.limit * factor),
  });
  return of.competitor ? `${text} ${say("report-reason-competitor", { name: of.competitor })}` : text;
}

/** What is known of it, after a run and while it goes on. */
export interface KnownHealth {
  limited: boolean;
  reasons: string[];
  reason_details?: GeneratorReason[];
  warnings?: GeneratorReason[];
  /** The reasons in words, as the server says them while the run goes on. */
  texts?: { en: string[]; zh: string[] };
}

/** The load generator's health: first and loud when it is the bottleneck, folded when it is not. */
export function GeneratorNotice({ health, live = false }: { health: KnownHealth; live?: boolean }) {
  const { t, say, language } = useWords();
  const reasons = health.texts?.[language] ?? (health.reason_details ?? []).map((of) => reason(say, of));
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
          <li key={of.kind}>{reason(say, of)}</li>
        ))}
      </ul>
    </details>
  );
}
