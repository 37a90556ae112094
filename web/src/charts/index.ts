/** The one chart module: the workbench loads it when a chart is shown. It knows no framework, and sets names as text only. */
export { fade, paint } from "./colours";
export { type FlameBox, type FlameData, type FlameFound, FlamePlot } from "./flame";
export { decades, type HeatCells, heatPlugin } from "./heat";
export { type PlotData, type PlotLine, type Span, TimePlot } from "./plot";
export { type Letter, xyPlot } from "./xy";
