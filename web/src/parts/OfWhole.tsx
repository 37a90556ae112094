import { Tag } from "antd";
import { useWords } from "../texts";

/** What is of the whole run says so while a stretch of it is looked at. */
export function OfWhole({ isStretch }: { isStretch: boolean }) {
  const { t } = useWords();
  return isStretch ? <Tag title={t.stretch.wholeHint}>{t.stretch.whole}</Tag> : null;
}
