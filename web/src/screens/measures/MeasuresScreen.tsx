import { MeasurementView } from "./MeasurementView";
import { MeasureStart } from "./MeasureStart";
import { MeasuresList } from "./MeasuresList";

/** Several runs as one undertaking: all of them, a new one, or one. */
export default function MeasuresScreen({ id }: { id: string | undefined }) {
  if (id === undefined) return <MeasuresList />;
  if (id === "new") return <MeasureStart />;
  return <MeasurementView key={id} id={id} />;
}
