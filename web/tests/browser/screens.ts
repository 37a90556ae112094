/** Every screen, by its place, and what stands there when it is complete. */
export interface ScreenPlace {
  name: string;
  place: string;
  ready: string;
  /** Its connection stays open. */
  stays?: boolean;
  /** Of a run with hostile names. */
  hostile?: boolean;
}

export const SCREENS: ScreenPlace[] = [
  { name: "runs", place: "#/runs", ready: ".run-name a" },
  { name: "result", place: "#/runs/shop-3", ready: ".chart .plot" },
  { name: "limited", place: "#/runs/hostile", ready: ".chart .plot", hostile: true },
  { name: "live", place: "#/runs/live", ready: "#target .chart .plot", stays: true },
  { name: "findings", place: "#/runs/shop-3/findings", ready: ".finding" },
  { name: "dump", place: "#/runs/shop-3/evidence?capture=2", ready: ".locks" },
  { name: "flame", place: "#/runs/shop-3/evidence?capture=3", ready: ".flame-graph canvas" },
  { name: "classes", place: "#/runs/shop-3/evidence?capture=4", ready: ".capture .figures" },
  { name: "statements", place: "#/runs/shop-3/evidence?capture=5", ready: ".statement" },
  { name: "plan", place: "#/runs/shop-3/plan", ready: "pre" },
  { name: "start", place: "#/start", ready: "form" },
  { name: "trend", place: "#/trend?key=shop", ready: ".chart .plot" },
  { name: "measures", place: "#/measurements", ready: ".run-name a" },
  { name: "measure-new", place: "#/measurements/new", ready: "form" },
  { name: "measure-pairs", place: "#/measurements/new?kind=interleave", ready: ".side + .side" },
  { name: "measure-hops", place: "#/measurements/new?kind=hops", ready: "form textarea" },
  { name: "measuring", place: "#/measurements/m-1", ready: ".figures-row", stays: true },
  { name: "capacity", place: "#/measurements/m-2", ready: ".chart .plot" },
  { name: "hops", place: "#/measurements/m-3", ready: ".hop-name" },
  { name: "pairs", place: "#/measurements/m-4", ready: ".compared-labels" },
  { name: "repeated", place: "#/measurements/m-5", ready: "tfoot" },
  { name: "no-result", place: "#/measurements/m-6", ready: ".notice.bad" },
  { name: "monitor", place: "#/monitor", ready: ".chart .plot", stays: true },
  { name: "schedules", place: "#/schedules", ready: ".plain-table" },
  { name: "settings", place: "#/settings", ready: ".settings-form .ant-checkbox-group" },
  { name: "machines", place: "#/machines", ready: ".facts-list" },
  { name: "studies", place: "#/tune", ready: ".run-name a" },
  { name: "study-new", place: "#/tune?new=1&run=shop-3&finding=1", ready: "form textarea" },
  { name: "studying", place: "#/tune/live-study", ready: "tr.ant-table-row", stays: true },
  { name: "study", place: "#/tune/shop", ready: "tr.ant-table-row" },
  { name: "study-cut", place: "#/tune/cut-study", ready: ".notice.bad" },
  { name: "compare", place: "#/compare?runs=shop-3,shop-2", ready: ".chart .plot" },
];
