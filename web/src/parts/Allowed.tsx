import type { ReactNode } from "react";
import { type Role, useMay } from "../api/session";
import { link } from "../app/router";
import { useWords } from "../texts";

/** What somebody with a right sees; who has it not is told so in its place, however he came here. */
export function Allowed({ right, title, children }: { right: Role; title: string; children: ReactNode }) {
  const { t } = useWords();
  if (useMay(right)) return children;
  return (
    <div className="empty">
      <h1>{title}</h1>
      <p>{t.settings.noRight(t.settings.roles[right])}</p>
      <a href={link(["runs"])}>{t.notFound.back}</a>
    </div>
  );
}
