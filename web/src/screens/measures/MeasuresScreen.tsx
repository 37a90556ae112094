import { Allowed } from "../../parts/Allowed";
import { useWords } from "../../texts";
import { MeasurementView } from "./MeasurementView";
import { MeasureStart } from "./MeasureStart";
import { MeasuresList } from "./MeasuresList";

/** Several runs as one undertaking: all of them, a new one, or one. */
export default function MeasuresScreen({ id }: { id: string | undefined }) {
  const { t } = useWords();
  if (id === undefined) return <MeasuresList />;
  if (id === "new")
    return (
      <Allowed right="run" title={t.measures.start}>
        <MeasureStart />
      </Allowed>
    );
  return <MeasurementView key={id} id={id} />;
}
