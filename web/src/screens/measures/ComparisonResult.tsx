import type { Comparison } from "../../api/measurements";
import { link } from "../../app/router";
import { Compared } from "../../parts/Compared";
import { ComparedLabels } from "../../parts/ComparedLabels";
import { useWords } from "../../texts";
import { sidesOfPairs } from "../sides";

/** Two plans that were made in turn: whether B differs from A, and by how much. */
export default function ComparisonResult({ of, runs }: { of: Comparison; runs: string[] }) {
  const { t } = useWords();
  return (
    <>
      <Compared of={of}>
        <a href={link(["compare"], sidesOfPairs(runs))}>{t.repeats.compare}</a>
      </Compared>
      <ComparedLabels of={of} />
    </>
  );
}
