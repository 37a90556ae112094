import { Input } from "antd";
import { useEffect, useRef, useState } from "react";
import { useSettings } from "../app/settings";
import type { FlameData, FlameFound, FlamePlot } from "../charts";
import { count, figure } from "../format/number";
import { useWords } from "../texts";
import { useCharts } from "./chartsLoaded";
import { useWidth } from "./useInView";

/** A flame graph with a search; by the pointer or the keyboard alone. */
export function FlameChart({ graph, title }: { graph: FlameData; title: string }) {
  const { t } = useWords();
  const charts = useCharts();
  const { dark } = useSettings();
  const node = useRef<HTMLDivElement>(null);
  const plot = useRef<FlamePlot | null>(null);
  const width = useWidth(node);
  const [pointed, setPointed] = useState<number | null>(null);
  const [zoomed, setZoomed] = useState(0);
  const [wanted, setWanted] = useState("");
  const [found, setFound] = useState<FlameFound | null>(null);
  const latest = useRef({ width, wanted });
  latest.current = { width, wanted };
  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn anew with the theme
  useEffect(() => {
    if (!charts || !node.current) return;
    const made = new charts.FlamePlot(node.current, graph, { onPoint: setPointed, onZoom: setZoomed });
    made.resize(latest.current.width);
    made.search(latest.current.wanted);
    plot.current = made;
    setPointed(null);
    setZoomed(0);
    return () => {
      plot.current = null;
      made.destroy();
    };
  }, [charts, graph, dark]);
  useEffect(() => plot.current?.resize(width), [width]);
  const share = (box: number): string =>
    figure((graph.total > 0 ? (graph.boxes[box]?.total ?? 0) / graph.total : 0) * 100);
  const name = (box: number): string => graph.names[graph.boxes[box]?.name ?? 0] || t.flame.all;
  const at = pointed ?? zoomed;
  const box = graph.boxes[at];
  return (
    <section className="flame" aria-label={title}>
      <div className="inline">
        <Input.Search
          allowClear
          className="flame-search"
          aria-label={t.flame.search}
          placeholder={t.flame.search}
          onChange={(event) => {
            setWanted(event.target.value);
            setFound(plot.current?.search(event.target.value) ?? null);
          }}
        />
        <span role="status" className="muted">
          {wanted.trim() !== "" && found ? t.flame.found(count(found.boxes), figure(found.share * 100)) : ""}
        </span>
        {zoomed === 0 ? null : (
          <button type="button" className="plain-link" onClick={() => plot.current?.zoom(0)}>
            {t.flame.whole}
          </button>
        )}
      </div>
      <div
        className="flame-graph"
        ref={node}
        role="application"
        aria-label={`${title}. ${t.flame.keys}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys go from call to call, which needs the focus
        tabIndex={0}
        onKeyDown={(event) => {
          if (!event.ctrlKey && !event.metaKey && !event.altKey && plot.current?.key(event.key)) event.preventDefault();
        }}
      />
      <p className="flame-at" aria-live="polite">
        <b>{name(at)}</b>{" "}
        {box
          ? t.flame.took(figure(box.total), t.flame.units[graph.unit] ?? graph.unit, share(at), figure(box.self))
          : ""}
      </p>
    </section>
  );
}
