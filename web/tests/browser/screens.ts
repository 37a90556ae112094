/** Every screen, by its place, and what stands there when it is complete. */
export interface ScreenPlace {
  name: string;
  place: string;
  ready: string;
  /** Its connection stays open. */
  stays?: boolean;
}

export const SCREENS: ScreenPlace[] = [
  { name: "runs", place: "#/runs", ready: ".run-name a" },
  { name: "result", place: "#/runs/shop-3", ready: ".chart .plot" },
  { name: "limited", place: "#/runs/hostile", ready: ".chart .plot" },
  { name: "live", place: "#/runs/live", ready: "#target .chart .plot", stays: true },
  { name: "findings", place: "#/runs/shop-3/findings", ready: ".finding" },
  { name: "dump", place: "#/runs/shop-3/evidence?capture=2", ready: ".locks" },
  { name: "flame", place: "#/runs/shop-3/evidence?capture=3", ready: ".flame-graph canvas" },
  { name: "classes", place: "#/runs/shop-3/evidence?capture=4", ready: ".capture .figures" },
  { name: "statements", place: "#/runs/shop-3/evidence?capture=5", ready: ".statement" },
  { name: "plan", place: "#/runs/shop-3/plan", ready: "pre" },
  { name: "start", place: "#/start", ready: "form" },
  { name: "compare", place: "#/compare?runs=shop-3,shop-2", ready: ".chart .plot" },
];
