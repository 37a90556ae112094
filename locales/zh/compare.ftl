# compare 命令。比较结果本身的文字在 report.ftl 中。

compare-needs-runs = 两侧都至少需要一次运行：plimsoll compare A1 A2 -- B1 B2。若要同时执行这些运行：plimsoll compare --interleave PLAN_A PLAN_B --pairs 10。
compare-unequal = --paired 要求两侧运行次数相同，但 A 有 { $a } 次，B 有 { $b } 次。除非两侧的运行是交替进行的，否则请去掉 --paired。
compare-no-pairs = --pairs 至少为 1；少于约 5 对时看不出较小的差异。
compare-pair = 第 { $number } 对，共 { $count } 对，{ $side } 侧：{ $plan }
compare-unreachable = 无法连接被测系统，对比结束。
compare-warn-unrelated = 两侧没有共同的请求（A：{ $a }；B：{ $b }）：差异来自两种不同的负载，而不是同一负载在两种条件下的表现。
compare-warn-other-load = 两侧的负载不同，仅此就可能造成差异（A：{ $a }；B：{ $b }）。
compare-warn-running = 运行 { $run } 仍在进行：其数据只到目前为止。
compare-warn-cut-short = 运行 { $run } 中途终止：其数据只到终止时为止。
compare-warn-limited = 运行 { $run } 的瓶颈在压力机：其数据不能说明被测系统的能力。
compare-warn-ended = 运行 { $run } 未按计划结束：其数据只到结束时为止。
compare-warn-empty = 运行 { $run } 没有样本。
compare-warn-no-success = 运行 { $run } 中没有一个请求成功：其数据是失败请求的数据。
