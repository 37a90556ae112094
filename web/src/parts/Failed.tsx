import { Button } from "antd";
import { useWords } from "../texts";

/** What could not be loaded, and the way to try again. */
export function Failed({ error, again, title }: { error: Error; again?: () => void; title?: string }) {
  const { t } = useWords();
  return (
    <div className="notice bad" role="alert">
      <strong>{title ?? t.common.failed}</strong>
      <p>{error.message}</p>
      {again ? <Button onClick={again}>{t.common.again}</Button> : null}
    </div>
  );
}
