import type { Texts } from "./en";

export const toldZh: Pick<Texts, "schedules" | "webhooks"> = {
  schedules: {
    title: "定时运行",
    empty: "还没有定时运行。",
    add: "新建定时运行",
    name: "名称",
    when: "时间",
    next: "下一次",
    last: "上一次",
    enabled: "启用",
    now: "立即运行",
    missed: (count, last) => `错过 ${count} 次，最近一次在 ${last}：当时服务器未运行。`,
    cron: "时间",
    cronHelp: "分、时、日、月、星期：30 2 * * * 表示每天凌晨两点半。",
    zone: "时区",
    zoneHelp: "例如 Asia/Shanghai；不填则为服务器所在主机的时区。",
  },
  webhooks: {
    title: "运行通知",
    hint: "运行开始、结束、未通过或有诊断结果时发送消息。",
    name: "名称",
    kind: "接收方",
    kinds: { generic: "程序（JSON）", dingtalk: "钉钉", feishu: "飞书", wecom: "企业微信" },
    url: "地址",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is typed so
    urlHelp: "https://…；其中的 ${PLIMSOLL_WEBHOOK_…} 取自服务器的环境变量。",
    secret: "密钥所在的变量",
    secretHelp: "服务器环境变量 PLIMSOLL_WEBHOOK_…；不填则消息不签名。",
    what: "通知内容",
    events: { begin: "开始", end: "结束", verdict: "未通过", finding: "诊断结果", test: "测试" },
    test: "发送测试消息",
    deliveries: "消息记录",
    again: "刷新",
    none: "还没有发送过消息。",
    states: { waits: "等待发送", delivered: "已发送", refused: "被拒绝", given_up: "已放弃" },
  },
};
