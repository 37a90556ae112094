import { usePlace } from "../../app/router";
import { StudiesList } from "./StudiesList";
import { StudyStart } from "./StudyStart";
import { StudyView } from "./StudyView";

/** Studies: all of them, a new one, or one. */
export default function TuneScreen({ study }: { study: string | undefined }) {
  const { query } = usePlace();
  if (study !== undefined) return <StudyView key={study} name={study} />;
  return query.has("new") ? <StudyStart /> : <StudiesList />;
}
