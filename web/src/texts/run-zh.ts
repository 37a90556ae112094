import type { runEn } from "./run-en";

export const runZh: typeof runEn = {
  load: {
    time: "时间",
    planned: "预定时长",
    left: "剩余",
    noEnd: "不按时间结束",
    scenario: "场景",
    fixed: "目前无法在此调整该运行的负载。",
  },
  stretch: {
    newest: "最近一秒",
    whole: "整个运行",
    wholeHint: "针对整个运行，与图表所选时段无关。",
  },
  target: {
    charts: "图表",
    series: "单个指标序列（原名）",
  },
  queue: {
    neverMade: "该运行没有执行",
    toRuns: "返回运行列表",
  },
};
