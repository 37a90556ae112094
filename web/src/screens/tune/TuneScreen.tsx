import { usePlace } from "../../app/router";
import { Allowed } from "../../parts/Allowed";
import { useWords } from "../../texts";
import { StudiesList } from "./StudiesList";
import { StudyStart } from "./StudyStart";
import { StudyView } from "./StudyView";

/** Studies: all of them, a new one, or one. */
export default function TuneScreen({ study }: { study: string | undefined }) {
  const { query } = usePlace();
  const { t } = useWords();
  if (study !== undefined) return <StudyView key={study} name={study} />;
  if (!query.has("new")) return <StudiesList />;
  return (
    <Allowed right="administer" title={t.tune.start}>
      <StudyStart />
    </Allowed>
  );
}
