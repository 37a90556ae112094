import { Spin } from "antd";
import { useWords } from "../texts";

/** Something comes. */
export function Waiting() {
  const { t } = useWords();
  return (
    <div className="waiting" role="status" aria-label={t.common.loading}>
      <Spin />
    </div>
  );
}
