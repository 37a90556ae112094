import { address } from "../../api/client";
import type { ServerMeta } from "../../api/monitor";
import { useMay } from "../../api/session";
import { useJson } from "../../api/use";
import { useWords } from "../../texts";

/** Why no study may be begun here; null: one may. */
export function useTuneRefusal(): string | null {
  const { t } = useWords();
  const mayBegin = useMay("administer");
  const meta = useJson<ServerMeta>(address("/meta"));
  if (!mayBegin) return t.tune.noRight;
  if (meta.value && !meta.value.allows.includes("tune")) return `${t.tune.notAllowed} ${t.tune.notAllowedHint}`;
  return null;
}
