import { Checkbox } from "antd";
import { useWords } from "../texts";
import type { WatchForm } from "./order";

interface Props {
  form: WatchForm;
  set: (change: Partial<WatchForm>) => void;
  /** The plan may name what is watched itself: captures of that are allowed too. */
  byPlan: boolean;
}

/** Whether the target is watched, and what may be taken of it. */
export function WatchFields({ form, set, byPlan }: Props) {
  const { t } = useWords();
  return (
    <div className="field">
      <Checkbox checked={form.watch} onChange={(event) => set({ watch: event.target.checked })}>
        {t.start.watch} <span className="muted">{t.start.watchHelp}</span>
      </Checkbox>
      <Checkbox
        checked={form.captures && (form.watch || byPlan)}
        disabled={!form.watch && !byPlan}
        onChange={(event) => set({ captures: event.target.checked })}
      >
        {t.start.captures} <span className="muted">{t.start.capturesHelp}</span>
      </Checkbox>
    </div>
  );
}
