import type { GeneratorReason } from "../api/types";
import { figure } from "../format/number";
import { type Say, type Texts, useWords } from "../texts";

const SHARES = ["cpu", "memory", "starved"];

/** A reason of the last seconds: there is no run yet that it could be a share of. */
function reasonNow(t: Texts, of: GeneratorReason): string {
  const factor = SHARES.includes(of.kind) ? 100 : 1;
  const text = t.generator.reasons[of.kind]?.(figure(of.worst * factor), figure(of.limit * factor)) ?? of.kind;
  return of.competitor ? `${text} ${t.generator.competitor(of.competitor)}` : text;
}

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
}

/** The load generator's health: first and loud when it is the bottleneck, folded when it is not. */
export function GeneratorNotice({ health, live = false }: { health: KnownHealth; live?: boolean }) {
  const { t, say } = useWords();
  const text = (of: GeneratorReason): string => (live ? reasonNow(t, of) : reason(say, of));
  if (health.limited) {
    return (
      <div className="notice bad" role="alert">
        <strong>{t.generator.limited}</strong>
        <p>{live ? t.generator.now : say("report-generator-limited")}</p>
        <ul>
          {(health.reason_details ?? []).map((of) => (
            <li key={of.kind}>{text(of)}</li>
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
          <li key={of.kind}>{text(of)}</li>
        ))}
      </ul>
    </details>
  );
}
