import { Button } from "antd";
import { useWords } from "../texts";
import { sayTime, type Timeline } from "./TimeChart";

/** What stretch all charts and tables show, and the way back. */
export function ZoomBar({ timeline }: { timeline: Timeline }) {
  const { t } = useWords();
  const { zoom } = timeline;
  return (
    <div className={`zoom ${zoom ? "on" : ""}`} role="status">
      {zoom ? (
        <>
          <strong>{t.chart.zoomed(sayTime(timeline, zoom.from), sayTime(timeline, zoom.to))}</strong>
          <Button size="small" onClick={() => timeline.setZoom(null)}>
            {t.chart.reset}
          </Button>
        </>
      ) : (
        <span className="muted">{t.chart.zoomHint}</span>
      )}
    </div>
  );
}
