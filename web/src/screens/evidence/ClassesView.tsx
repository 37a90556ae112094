import { Button, Segmented } from "antd";
import { useState } from "react";
import { type Capture, type HeapClasses, viewAddress } from "../../api/evidence";
import { usePages } from "../../api/usePages";
import { count, figure } from "../../format/number";
import { moment } from "../../format/time";
import { Failed } from "../../parts/Failed";
import { Scroll } from "../../parts/Scroll";
import { useWords } from "../../texts";

const MIB = 1048576;

function more(value: number, text: string): string {
  return value > 0 ? `+${text}` : value < 0 ? `−${text}` : text;
}

/** A class histogram, and what grew since the first one of the same JVM. */
export function ClassesView({ run, capture, longest }: { run: string; capture: Capture; longest: number }) {
  const { t } = useWords();
  const [order, setOrder] = useState<"growth" | "bytes">("growth");
  const asked = usePages<HeapClasses["items"][number], HeapClasses>(
    viewAddress(run, capture, "/classes", { order, limit: 50 }),
  );
  const heap = asked.value;
  if (asked.error && !heap) return <Failed error={asked.error} again={asked.again} />;
  if (!heap) return null;
  const { before } = heap;
  const grown = (value: number): string => more(value, figure(Math.abs(value) / MIB));
  return (
    <>
      <p className="muted">
        {before
          ? t.classes.since(figure(heap.bytes / MIB), grown(heap.more_bytes), moment(before.at_s, longest))
          : t.classes.only(figure(heap.bytes / MIB))}
      </p>
      {before ? (
        <Segmented<"growth" | "bytes">
          value={order}
          onChange={setOrder}
          options={[
            { value: "growth", label: t.classes.byGrowth },
            { value: "bytes", label: t.classes.bySize },
          ]}
        />
      ) : null}
      <Scroll>
        <table className="plain-table figures">
          <thead>
            <tr>
              <th>{t.classes.class}</th>
              <th className="r">MiB</th>
              {before ? <th className="r">{t.classes.grown}</th> : null}
              <th className="r">{t.classes.objects}</th>
              {before ? <th className="r">{t.classes.moreObjects}</th> : null}
            </tr>
          </thead>
          <tbody>
            {asked.items.map((row) => (
              <tr key={row.class}>
                <td>
                  <code>{row.class}</code>
                </td>
                <td className="r">{figure(row.bytes / MIB)}</td>
                {before ? <td className="r">{grown(row.more_bytes)}</td> : null}
                <td className="r">{count(row.objects)}</td>
                {before ? <td className="r">{more(row.more_objects, count(Math.abs(row.more_objects)))}</td> : null}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {asked.more ? <Button onClick={asked.more}>{t.common.more}</Button> : null}
    </>
  );
}
