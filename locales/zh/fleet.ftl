# Load from many machines: what the controller and the workers tell.

## The worker

fleet-worker-ready = 执行节点 { $name } 已就绪。凡有权在其主题上发布消息者都可交给它运行任务；按 Ctrl-C 结束。
fleet-worker-prepared = 运行 { $run }：已准备好开始。
fleet-worker-begins = 运行 { $run }：第 { $share } 份，共 { $count } 份。
fleet-worker-finished = 运行 { $run } 已结束。
fleet-worker-forsaken = 运行 { $run }：太久没有主控节点的消息，已放弃。
fleet-worker-leaves = 正在交还份额并发送最后的报告。再按一次 Ctrl-C 立即结束。
fleet-worker-busy = 执行节点 { $name } 正忙于其他运行，或即将结束。
fleet-other-run = 执行节点 { $name } 未参与此运行。
fleet-not-ready = 执行节点尚未为此运行做好准备。
fleet-bad-order = 收到无法使用的指令：{ $reason }。
fleet-bad-message = 收到无法使用的响应：{ $reason }。所有执行节点的版本是否一致？
fleet-engine-failed = 无法准备测试计划：{ $reason }。
fleet-report-too-long = 某一秒的报告无法发送：{ $reason }。减少由变量组成的标签可以缩短报告。
fleet-bad-name = 名称“{ $name }”不可用。只允许字母、数字、“-”和“_”，最多 64 个。
fleet-name-taken = 已有名为 { $name } 的执行节点，运行在 { $host } 上。请用 --name 另取名称。
fleet-link-ended = 与 NATS 的连接已结束。

## What a worker refuses

fleet-plan-rejected = 此执行节点无法使用该测试计划：{ $reason }
fleet-plan-rejected-at = 此执行节点无法使用该测试计划（第 { $line } 行）：{ $reason }

## The controller

fleet-too-few-workers = 需要 { $wanted } 个执行节点，可用 { $found } 个{ $others }。请用“plimsoll worker”启动更多，或用“plimsoll workers”查看。
fleet-no-others = {""}
fleet-worker-gone = 执行节点 { $name } 已不在：它已结束，或其主机无法到达。请用“plimsoll workers”查看。
fleet-worker-refused = 执行节点 { $name } 拒绝：{ $reason }
fleet-clock-unknown = 执行节点 { $name } 的时钟误差为 { $error_ms } ms，最多允许 { $limit_ms } ms。可改善到它的网络，或调整 --clock-error。
fleet-start-too-slow = 执行节点未能及时收到开始指令。请重试；若仍如此，说明到它们的网络太慢。
fleet-cannot-share = 该测试计划不能分给多个执行节点：{ $reason }。使用 --each 时每个执行节点运行整个测试计划。
fleet-no-runtime = 系统拒绝了连接所需的资源：{ $reason }。
fleet-interrupted = 加压开始前已被中断：没有保存运行。
fleet-no-workers = 0 个执行节点不会产生负载：--workers 至少为 1。
fleet-jtl-with-workers = 使用执行节点时没有统一的 --jtl：样本留在产生它的主机上。请改为在启动执行节点时使用 --jtl-dir DIR：每个执行节点把样本写入该目录下的一个文件，运行结果会给出文件名。
fleet-bundle-unreadable = { $path }：{ $reason }。它由测试计划或 --bundle 指定。
fleet-bundle-outside = { $path } 在测试计划目录 { $folder } 之外，不会发给执行节点。请把它放到该目录之下；指向目录之外的链接，用 --bundle 指明后才会发送。
fleet-resumed = 从第 { $at } 秒起继续运行 { $name }。
fleet-nothing-to-resume = { $name } 中没有执行节点的记录：只有带 --workers 的运行才能继续。
fleet-workers-gone = 该运行的执行节点都没有响应。
fleet-shares-stay = 如果某个执行节点丢失，它的份额不会转移：{ $reason }
fleet-workers-chosen = 执行节点：{ $names }。

## What happens

event-fleet-silent = 自第 { $since } 秒起没有执行节点 { $name } 的消息。
event-fleet-back = 又收到执行节点 { $name } 的消息。
event-fleet-moved = 第 { $share } 份（共 { $count } 份）从 { $from } 移到 { $to }，从第 { $at } 秒起继续。
event-fleet-unserved = 第 { $share } 份（共 { $count } 份）自第 { $since } 秒起没有执行节点，且无执行节点有余量：运行以较低的负载继续。
event-fleet-stays = 第 { $share } 份（共 { $count } 份）自第 { $since } 秒起没有执行节点，且该测试计划的份额不能转移：运行以较低的负载继续。
event-fleet-released = 执行节点 { $name } 交还了它的份额。
event-fleet-clock = 运行期间执行节点 { $name } 的时钟误差达到 { $error_ms } ms。
event-fleet-store-waits = 无法写入运行数据：{ $reason }。在有空间之前报告保留在 NATS 中。
event-fleet-store-goes-on = 又可以写入运行数据了。
event-fleet-missing = 缺少负载：第 { $from } 秒至第 { $to } 秒缺少 { $part }（{ $name }）。
event-fleet-jtl = 执行节点 { $name } 把样本写入 { $path }。
event-fleet-withheld = 没有租约期间，或压力机停顿之后，扣下了 { $count } 次到达，不再补发。
event-fleet-lost = 执行节点 { $name } 的样本丢失：第 { $from } 秒至第 { $to } 秒之间最多 { $most } 个。

## In reports

report-fleet = 执行节点
report-fleet-worker = 执行节点
report-fleet-host = 主机
report-fleet-shares = 份额
report-fleet-clock = 时钟偏差
report-fleet-generator = 压力机状况
report-fleet-limited = 受限：{ $reasons }
report-fleet-ok = 未受限
report-fleet-missing = 缺少负载：第 { $from } 秒至第 { $to } 秒缺少 { $part }（执行节点 { $name }）。
report-fleet-lost = 执行节点 { $name } 在第 { $from } 秒至第 { $to } 秒之间最多丢失 { $most } 个样本：它被杀死或没有回来。
report-fleet-withheld = 扣下了 { $count } 次到达，没有补发。
report-fleet-incomplete = 负载不完整：

## plimsoll workers

workers-name = 名称
workers-state = 状态
workers-cores = CPU
workers-version = 版本
workers-clock = 时钟
workers-labels = 标签
workers-host = 主机
workers-health = 健康
workers-idle = 空闲
workers-busy = 忙
workers-ending = 正在结束
workers-healthy = 正常
workers-silent = 无响应
workers-clock-off = 时钟误差达 ± { $error_ms } ms
workers-other-version = 版本不同
workers-twin = 名称重复
workers-none = 没有执行节点响应。启动方法：plimsoll worker --nats ADDRESS --name NAME

event-fleet-not-changed = 执行节点 { $name } 没有按要求产生改变后的负载：{ $reason }
fleet-change-late = 它得知改变时晚了 { $ms } 毫秒，在此之前仍按原来的负载运行
fleet-change-unread = 它无法读取该改变：{ $reason }
