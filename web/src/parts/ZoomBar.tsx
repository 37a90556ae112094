import { Button } from "antd";
import { moment } from "../format/time";
import { useWords } from "../texts";
import type { Timeline } from "./TimeChart";

/** What stretch all charts and tables show, and the way back. */
export function ZoomBar({ timeline }: { timeline: Timeline }) {
  const { t } = useWords();
  const { zoom, longest } = timeline;
  return (
    <div className={`zoom ${zoom ? "on" : ""}`} role="status">
      {zoom ? (
        <>
          <strong>{t.chart.zoomed(moment(zoom.from, longest), moment(zoom.to, longest))}</strong>
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
