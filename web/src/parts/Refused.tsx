import { Problem } from "../api/client";
import { useWords } from "../texts";
import { keyed } from "./keyed";

/** Whatever was thrown, as what the server refused. */
export function asProblem(error: unknown): Problem {
  return error instanceof Problem ? error : new Problem(0, String(error), "", []);
}

/** Why something was not begun: each mistake with its place and what to do. */
export function Refused({ problem, title }: { problem: Problem; title: string }) {
  const { t } = useWords();
  return (
    <div className="notice bad" role="alert">
      <strong>{problem.places.length > 0 ? title : problem.title}</strong>
      {problem.detail ? <p>{problem.detail}</p> : null}
      <ul>
        {keyed(problem.places, (place) => `${place.line} ${place.column} ${place.what}`).map(({ key, item }) => (
          <li key={key}>
            {item.line ? `${t.start.place(item.line, item.column || 1)}: ` : ""}
            {item.what} {item.remedy ? <span className="muted">{item.remedy}</span> : null}
          </li>
        ))}
      </ul>
    </div>
  );
}
