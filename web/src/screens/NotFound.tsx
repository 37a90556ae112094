import { link } from "../app/router";
import { useWords } from "../texts";

export function NotFound() {
  const { t } = useWords();
  return (
    <div className="empty">
      <h1>{t.notFound.title}</h1>
      <a href={link(["runs"])}>{t.notFound.back}</a>
    </div>
  );
}
