# 运行期间与结束时的提示。

event-setup-failed = 准备步骤失败，未开始加压。
event-outside-failed = 准备或收尾步骤中有 { $count } 个请求失败：{ $kind }。
event-thread-lost = 一个加压线程因程序错误退出，其最后一秒的数据丢失。请报告此问题。
event-thread-failed = 加压线程无法启动：{ $reason }
event-labels-folded = 标签超过 { $limit } 个：其余全部计入 { $other }。请为地址中含变量的请求指定固定标签。
event-user-failed = 虚拟用户无法启动：{ $reason }
event-scenario-stopped-by-plan = 测试计划结束了场景 { $scenario }：{ $step }。
event-user-lost = 由于 Plimsoll 自身的错误，一个虚拟用户丢失；请报告此问题。该用户的最后一个请求不在结果中。
event-rows-missing = 场景 { $scenario } 的部分用户立即结束：每个用户需要独占一行数据（order: unique），而文件只有 { $rows } 行。实际工作的用户少于测试计划所写。
event-dropped = 场景 { $scenario } 允许同时执行的 { $limit } 个用户都在忙：找不到空闲用户的到达计为丢弃的迭代（max-in-flight）。
event-lease-over = 这一份负载的租约已到期，因为没有及时收到主控节点的消息：在租约续期之前不再发起新的工作。
event-lease-back = 租约已续期：这一份负载继续运行。有 { $seconds } 秒没有发起任何请求，其间到期的请求不再补发。
event-stopping = 正在停止：还有 { $in_flight } 个在途请求，最多再等 { $seconds } 秒。再按一次 Ctrl-C 则不再等待，记为未完成。
event-stopped-by-plan = 测试计划在场景 { $scenario } 中结束了本次运行：{ $step }。
event-step-named = 由步骤“{ $step }”结束
event-step-after = 由“{ $step }”之后的步骤结束
event-step-unnamed = 由任何请求之前的步骤结束
event-no-request = 没有发出任何请求：{ $reason }
no-request-no-step = 测试计划中没有启用的、会发出请求的步骤。
no-request-no-load = 负载中没有用户，也没有到达。
no-request-warm-up = 所有请求都在 { $seconds } 秒的预热时间内，不计入结果。请缩短预热时间或延长负载时间。
no-request-not-reached = 会发出请求的步骤都在 { $steps } 之内，没有任何一次迭代到达那里。请检查其条件和取值。
no-request-ended = 在负载结束之前，没有任何一次迭代到达会发出请求的步骤。
no-request-more = { $steps } 以及另外 { $more } 个
no-request-step = { $kind }（第 { $line } 行）
no-request-steps = { $first }、{ $next }
no-request-kind-if = 条件
no-request-kind-while = while 循环
no-request-kind-repeat = 循环
no-request-kind-for-each = 遍历
no-request-kind-share = 按比例执行
no-request-kind-runtime = 限时执行
no-request-kind-choose = 分支选择
exchange-unknown = 本构建不支持步骤 { $step }
exchange-messages-let-go = 某个 WebSocket 连接收到的消息多于其用户所等待的：超过 1,024 条（或 4 MiB）后，最早的消息被丢弃，没有步骤看到它们。
exchange-no-status = 消息没有状态码和响应头，该检查永远不会成立。请检查其文本、JSON、大小或时间。
exchange-close-code = { $code } 不是客户端可以使用的关闭代码（允许：1000，以及 3000 到 4999）
exchange-too-long = { $key }：{ $bytes } 字节（允许：{ $most }）
exchange-encoding = 消息无法发送：{ $reason }
exchange-rate-zero = 速率 0 不发送任何消息：请写明每秒发送多少条，例如 50/s。
exchange-not-compressed = { $url } 的服务器没有同意压缩消息：消息按原样收发。
event-step-failed = 场景 { $scenario } 中请求以外的步骤失败，放弃该次迭代：{ $reason }
event-interrupted = 已中断：不再发出新请求，等待在途请求完成。再次中断则不再等待，记为未完成。
event-time-limit = 已结束：本服务器上一次运行最长 { $seconds } 秒。不再发出新请求，等待在途请求完成。
event-unreachable = 无法连接被测系统：第一秒内的所有请求都未能建立连接。
event-guard = 保护条件已连续 { $seconds } 秒不满足，结束运行：{ $name }（实测 { $value }）。
event-goal-abort = 性能目标已连续 { $seconds } 秒不满足，结束运行：{ $name }（实测 { $value }）。
event-diagnosis = 目前：{ $title }
event-store-failed = 运行数据无法继续写入磁盘，改为保存在内存中：{ $reason }
event-jtl-failed = 样本日志 { $path } 无法继续写入：{ $reason }
event-discarded = { $count } 个请求仅用于测量前的准备，不计入结果。

run-live = { $elapsed }  { $users } 用户  { $throughput }/s  p50 { $p50 }  p95 { $p95 }  错误 { $errors }
run-live-waiting = { $elapsed }  { $users } 用户
run-stored = 运行 { $name }，保存于 { $path }
run-written = 已写入：{ $path }
run-not-stored = 运行未能保存：{ $reason }
run-repeat = 第 { $number } 次运行，共 { $count } 次
run-file-failed = 无法写入 { $path }：{ $reason }
run-cannot-start = 无法开始运行：{ $reason }
run-read-plan-failed = 无法读取测试计划 { $path }：{ $reason }
    .remedy = 请给出测试计划文件（.yaml），或以 http:// 或 https:// 开头的 URL。
run-bad-goal = 性能目标“{ $goal }”有误：{ $reason }
    .remedy = 写法：[标签:]指标 比较符 数值 单位，例如 p95 < 300ms、login:p99 < 1s、errors < 0.1%、throughput > 500/s
run-url-option = 选项 { $option } 只用于 URL；测试计划中应自行写明。
run-set-with-url = --set 需要测试计划：URL 没有变量。
run-file-in-use = 另一次运行正在写入 { $path }。请指定其他文件，或等待该运行结束。
run-last-not-stored = 最近一次运行（开始于 { $started }）未能保存。已保存的最新运行是 { $newest }：若要用它，请写出它的名称。
stdout-failed = 无法写入标准输出：{ $reason }
run-reasons = { $first }；{ $next }

# 性能目标的错误。

goal-no-comparison = 没有比较符：请写“[标签:]指标 比较符 数值 单位”，比较符为 <、<=、>、>= 之一
goal-unknown-metric = 第 { $position } 个字符处：未知的指标“{ $found }”：可用 p<N>（如 p95、p99.9）、mean、min、max、errors、throughput；除 errors 外前面都可加“ok.”
goal-percentile-range = 第 { $position } 个字符处：百分位数“{ $found }”须大于 0 且不超过 100
goal-empty-label = 第 { $position } 个字符处：“:”前的标签为空：请把冒号也去掉
goal-bad-value = 第 { $position } 个字符处：“{ $found }”不是大于等于 0 的数
goal-bad-unit = 第 { $position } 个字符处：单位“{ $found }”不适用于 { $metric }：可用的单位为 { $allowed }

## outputs
output-unknown = 没有名为 { $name } 的输出；可用的有：{ $allowed }。写法：--output NAME=ADDRESS。
output-unknown-setting = 输出 { $output } 没有设置项 { $name }；可用的有：{ $allowed }。
output-no-address = 输出 { $output } 需要地址：--output { $output }=ADDRESS。
output-bad-address = { $address } 不是可写入的地址；写法如 influxdb=http://HOST:8086/write?db=NAME。
output-no-certificate = { $path } 中没有证书。ca-file 应指向 PEM 文件，其中是签发接收端证书的 CA 证书。
output-environment = { $output }：环境变量 { $name } 没有设置。请在运行前设置。
output-with-resume = --output 不能与 --resume 同用：输出必须从运行开始时接收。请去掉它；运行自己的结果包含全部内容。
event-output-lost = { $output } 没有收到全部内容：缺少 { $seconds } 秒的负载数据、{ $events } 个事件和 { $moments } 次对被测系统的采集；本次运行自己的结果中都有。最后的原因：{ $reason }

event-load-changed = 负载已改变：{ $what }
event-probe-begins = 结果到此为止（开始后 { $from } 秒）。{ $how ->
    [lowered] 负载减半后继续，以查看请求之间是否互相等待。
   *[raised] 负载继续并提高，以查看余量。
}
event-probe-changed = { $how ->
    [lowered] 负载降低 { $percent }%。
   *[raised] 负载提高 { $percent }%。
}
event-probe-refused = 无法提高负载以查看余量：{ $reason }
load-changed-users = 场景 { $scenario }：{ $value } 个用户
load-changed-rate = 场景 { $scenario }：每秒 { $value } 次到达
load-changed-rate-times = 场景 { $scenario }：到达率乘以 { $value }
load-changed-longer = 场景 { $scenario }：延长 { $value } 秒
