/** Texts of runs at set times, and of who is told of runs. */
export const toldEn = {
  schedules: {
    title: "Schedules",
    empty: "Nothing runs at set times yet.",
    add: "New schedule",
    name: "Name",
    when: "When",
    next: "Next",
    last: "Last",
    enabled: "Enabled",
    now: "Run now",
    change: "Change",
    missed: (count: string, last: string) => `${count} missed, the last at ${last}: the server was not there.`,
    cron: "When",
    cronHelp: "Minute, hour, day, month, weekday: 30 2 * * * is half past two each night.",
    zone: "Time zone",
    zoneHelp: "Such as Asia/Shanghai; empty: that of the server's host.",
  },
  webhooks: {
    title: "Who is told of runs",
    hint: "A message goes out when a run begins, ends, does not pass, or has a finding.",
    name: "Name",
    kind: "Understood by",
    kinds: { generic: "a program (JSON)", dingtalk: "DingTalk", feishu: "Feishu", wecom: "WeCom" },
    url: "Address",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is typed so
    urlHelp: "https://…; ${PLIMSOLL_WEBHOOK_…} in it is taken from the server's environment.",
    secret: "Variable with the secret",
    secretHelp: "PLIMSOLL_WEBHOOK_… of the server's environment; empty: messages are not signed.",
    what: "Tell",
    events: { begin: "begin", end: "end", verdict: "not passed", finding: "finding", test: "test" } as Record<
      string,
      string
    >,
    test: "Send a test",
    deliveries: "Messages",
    again: "Look again",
    none: "Nothing was sent yet.",
    states: { waits: "waits", delivered: "sent", refused: "refused", given_up: "given up" } as Record<string, string>,
  },
};
