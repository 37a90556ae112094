# Reports. Column and chart names are short; sentences end with a full stop.

report-title = 压测报告：{ $name }

## Verdict

report-verdict-passed = 通过
report-verdict-failed = 未通过
report-verdict-limited = 瓶颈在压力机
report-verdict-aborted = 被保护条件中止
report-verdict-interrupted = 被中断
report-verdict-error = 出错
report-verdict-line = { $verdict }：{ $meaning }
report-verdict-passed-meaning = { $goals ->
        [1] 性能目标已满足。
       *[other] 满足全部 { $goals } 个性能目标。
    }
report-verdict-not-judged = 未评判
report-verdict-not-judged-meaning = { $requests } 个请求中有 { $errors } % 失败。没有设定用于评判的性能目标。
report-verdict-failed-meaning = { $goals ->
        [1] 性能目标未满足。
       *[other] { $goals } 个性能目标中有 { $missed } 个未满足。
    }
report-verdict-no-success = 未通过
report-verdict-no-success-meaning = { $requests } 个请求无一成功。
report-verdict-no-request-meaning = 没有测到任何请求。请检查被测系统的地址、测试计划的负载，以及预热时间是否短于运行时间。
report-verdict-limited-meaning = 瓶颈在压力机，因此这些数据不能说明被测系统的能力。
report-verdict-aborted-meaning = 测试计划中的保护条件提前结束了运行。数据只到那一刻为止。
report-verdict-interrupted-meaning = 运行被中断。数据只到那一刻为止。
report-verdict-error-meaning = 运行未能按计划进行：测试计划有误，或无法连接被测系统。
report-cut-short = 本次运行中途终止：数据写完之前进程被结束，或磁盘已满。数据由已写入的 { $seconds } 个整秒汇总而成。
report-running = 本次运行仍在进行。数据覆盖目前已写入的 { $seconds } 秒。
report-no-samples = 没有测到任何请求。请检查被测系统的地址、测试计划的负载，以及预热时间是否短于运行时间。

## The load generator

report-generator = 压力机
report-generator-unknown = 没有测到任何请求，无法判断压力机是否为瓶颈。
report-generator-ok = 压力机不是瓶颈。
report-generator-limited = 瓶颈在压力机。请勿据此对被测系统下结论；排除原因后重新运行。
report-touched = 响应时间的实测值（含压力机自身的延迟）和修正值（不含）：{ $figures }。其他数据均为实测值。
report-touched-figure = { $figure } 实测值 { $measured } ms，修正值 { $corrected } ms
report-touched-separator = {"；"}
report-figure-mean = 平均
report-reason-cpu = CPU：有 { $seconds } 秒（{ $share }，最高 { $worst } %）加压线程用掉了其可用 CPU 的 { $limit } % 以上。请给压力机更多核，或把负载分到多台主机。
report-reason-lateness = 发送延迟：有 { $seconds } 秒（{ $share }）本可发出的请求发送偏晚（p99 最高 { $worst } ms，上限 { $limit } ms）。请降低速率，或给压力机更多 CPU。
report-reason-receive_lag = 接收延迟：有 { $seconds } 秒（{ $share }）响应接收偏晚，最差一秒平均晚 { $worst } ms（上限 { $limit } ms）：响应时间包含了压力机自身的等待。请给压力机更多 CPU。
report-reason-ports = 端口：有 { $seconds } 秒压力机没有空闲的本地端口。请使用长连接、扩大 net.ipv4.ip_local_port_range，或增加源地址。
report-reason-fds = 文件描述符：有 { $seconds } 秒压力机达到上限。请提高上限（ulimit -n）。
report-reason-memory = 内存：有 { $seconds } 秒压力机用到了可用内存的 { $worst } %。请增加内存，或减少用户数。
report-reason-starved = CPU 被抢占：有 { $seconds } 秒（{ $share }，最高为一秒的 { $worst } %）加压线程在等待被其他程序占用的 CPU。请停掉本机上的其他程序，或把压力机换到别处。
report-reason-stopped = 暂停：有 { $seconds } 秒（最严重的一秒暂停 { $worst } ms）进程既没有运行也没有等待 CPU：进程被暂停、主机被挂起，或 CPU 被分给了其他虚拟机。请重新运行。
report-reason-competitor = 占用 CPU 的是：{ $name }。
report-reason-of-run = 占运行的 { $share } %
report-reason-of-last = 占最近 { $window } 秒的 { $share } %
report-generator-warning = 出现过、但不足以影响结果的情况：
report-lateness-line = 发送延迟 p50 { $p50 } ms，p99 { $p99 } ms，最大 { $max } ms。加压线程的最高 CPU 占用为 { $cpu } %。
report-receive-lag-line = 接收延迟（从内核到引擎）p50 { $p50 } ms，p99 { $p99 } ms，最大 { $max } ms。
report-coalesced-line = { $of } 次到达中有 { $count } 次（{ $percent } %）发送偏晚，与前一次同时发出：它们之间的间隔不是计划的间隔。

## Figures

report-throughput = 吞吐量
report-samples = 样本数
report-errors = 错误
report-error-share = 错误率
report-response-time = 响应时间
report-service-time = 服务时间
report-dropped = 丢弃的迭代
report-cut-off = 未完成
report-resent = 重新发送
report-mean = 平均
report-median = 中位数
report-duration = 测量时长
report-warm-up = 排除的预热
report-of-samples = { $count } 个样本中 { $errors } 个
report-worst = 最慢
report-received = 接收 { $received } KB/s，发送 { $sent } KB/s

## The aggregate report

report-contents = 目录
report-aggregate = 聚合报告
report-aggregate-note = 时间单位为毫秒。响应时间从请求的计划开始时刻算起，请求排队等待的时间也计算在内。
report-service-table = 服务时间
report-service-note = 时间单位为毫秒，从请求实际开始时刻算起。请求晚于计划开始时，它与响应时间不同。
report-transactions = 事务
report-transactions-note = 多个步骤作为一个整体计时；不计入总计。
report-sub-requests = 子请求
report-sub-requests-note = 重定向跳转、内嵌资源，以及在事件流或消息等待中单独计时的部分；属于其请求，不计入总计。
report-total = 总计
report-column-label = 标签
report-column-samples = 样本数
report-column-average = 平均值
report-column-median = 中位数
report-column-p90 = 90 %
report-column-p95 = 95 %
report-column-p99 = 99 %
report-column-p999 = 99.9 %
report-column-min = 最小值
report-column-max = 最大值
report-column-error = 错误率 %
report-column-throughput = 吞吐量
report-column-received = 接收 KB/s
report-column-sent = 发送 KB/s
report-per-second = /秒

## Goals

report-goals = 性能目标
report-column-goal = 性能目标
report-column-observed = 实测
report-column-verdict = 结论
report-goal-met = 满足
report-goal-missed = 不满足
report-goal-no-sample = 无样本

## Errors, codes, phases, dropped iterations

report-errors-by-kind = 错误类型
report-column-kind = 类型
report-column-count = 数量
report-column-share = 占比
report-column-meaning = 含义
report-column-look = 排查方向
report-error-line = { $kind }：{ $meaning }{ $look }
report-errors-title = 错误明细
report-column-what = 错误
report-column-first = 首次
report-column-last = 末次
report-errors-at = { $seconds } s
report-errors-what = { $what }：{ $message }
report-errors-other = （其他）
report-errors-more = 另有 { $groups } 组，共 { $errors } 个错误。
report-errors-hint = 每组至多五个样本，附请求与响应：
report-errors-group = { $count } × { $label }：{ $what }
report-errors-sample = { $at }：{ $detail }
report-errors-not-sent = （没有请求内容）
report-errors-none = 没有失败的请求。
report-errors-unknown = 生成此次运行的版本只按类型和响应码保存错误，请用 plimsoll report 查看。
report-status-codes = 响应码
report-column-code = 响应码
report-no-response = （无响应）
report-phases = 各阶段耗时
report-phases-note = 各阶段给每个请求平均增加的时间（毫秒）；未发生的阶段（如长连接）按 0 计算。
report-phase-dns = DNS
report-phase-connect = 建立连接
report-phase-tls = TLS
report-phase-first_byte = 首字节
report-phase-receive = 接收
report-not-run = 丢弃的迭代与未完成的请求
report-dropped-note = 丢弃的迭代：{ $count } 次。允许同时执行的用户都在忙，这些到达无法开始。它们不计入其他任何数据：施加的负载高于测到的负载。
report-ended-after-note = 有 { $count } 个请求在加压期间发出、在其结束之后才完成。它们计入除吞吐量外的所有数据；吞吐量只计测量时间内完成的请求。
report-cut-off-note = 运行结束时有 { $count } 个请求仍未得到响应。它们既不算样本，也不算错误。
report-resent-note = 在新连接上重新发送的请求：{ $count } 个。服务器在返回响应的任何字节之前已关闭长连接。每个请求只计为一个样本，时间从第一次尝试算起。

## Charts

report-charts = 随时间变化
report-chart-label = 标签
report-all-requests = 全部请求
report-chart-throughput = 吞吐量与错误
report-chart-response = 响应时间百分位数
report-chart-users = 用户数与在途请求
report-chart-distribution = 响应时间分布
report-chart-heat = 响应时间热力图
report-chart-against = 响应时间随吞吐量的变化
report-chart-cpu = 压力机 CPU
report-chart-lateness = 发送延迟
report-series-throughput = 请求
report-series-errors = 错误
report-series-range = 最低秒到最高秒
report-series-users = 活动用户
report-series-in-flight = 在途请求
report-series-cpu = 最忙的加压线程
report-series-wait = 等待 CPU
report-series-lateness = p99
report-series-response = 响应时间
report-series-service = 服务时间
report-axis-time = 距开始的时间
report-axis-percentile = 百分位数
report-axis-warm-up = 预热
report-bucket-note = 每个点覆盖 { $seconds } 秒；阴影区域以及最小、最大曲线保留了最低和最高值。
report-labels-left-out = 图表只含 { $all } 个标签中最繁忙的 { $shown } 个；表格包含全部标签。
report-needs-script = 图表需要 JavaScript；所有表格不需要。

## The run

report-run = 运行信息
report-fact-plan = 测试计划
report-fact-target = 被测系统
report-fact-started = 开始时间
report-fact-duration = 测量时长
report-fact-warm-up = 排除的预热
report-fact-scenarios = 场景
report-fact-command = 命令
report-fact-seed = 随机种子
report-fact-version = 版本
report-fact-host = 主机
report-fact-system = 系统
report-fact-cpu = CPU
report-fact-cpus = { $all } 个处理器中可用 { $allowed } 个，{ $model }
report-fact-memory = 内存
report-plan-text = 测试计划内容
report-events = 事件
report-column-time = 时间
report-column-event = 事件
report-made-by = 由 Plimsoll { $version } 生成。所有数据都可以由运行目录重新得出：{ $dir }
report-file-failed = 无法写入 { $path }：{ $detail }。请腾出空间或换一个位置。
report-format-unknown = 没有名为“{ $name }”的报告格式。可用的格式：{ $known }。

## Runs side by side

report-side-by-side = 并排对比
report-column-run = 运行
report-column-over = > { $limit }，%

## Runs on disk

store-disk-full = 磁盘已满：无法写入 { $path }（{ $detail }）。请腾出空间，或用 --out DIR 换一个位置。
store-permission-denied = 没有 { $path } 的访问权限（{ $detail }）。请用 --out DIR 换一个位置，或修改该处的权限。
store-read-only = { $path } 位于只读文件系统。请用 --out DIR 换一个位置。
store-locked = { $path } 被其他程序锁定（{ $detail }）。请关闭该程序后重试。
store-not-a-run = { $path } 不是一次运行：其中没有 plimsoll 写的 run.sqlite。`plimsoll list` 列出现有的运行。
store-newer-version = { $path } 由更新版本的 plimsoll 写成（格式 { $found }；本版本最高支持 { $known }）。请升级 plimsoll 后再读取。
store-damaged = { $path } 已损坏：{ $detail }。旁边的测试计划副本仍可用来重新运行。
store-no-runs = { $path } 中没有任何运行。请先用 `plimsoll run` 运行一次，或用 --out DIR 指定其他位置。
store-run-not-found = { $path } 中没有名为“{ $spec }”的运行。最近的有：{ $candidates }。可以写目录、目录名的开头、`last`，或 `last~N`（之前第 N 次）。
store-ambiguous-run = { $path } 中有多次运行以“{ $spec }”开头：{ $candidates }。请把名称写得更长一些。
store-finished = { $path }：该运行已完成；只有中途终止的运行才能继续。
store-still-written = { $path }：仍有进程在写入该运行。请先结束那个进程。
store-one-machine = { $path }：该运行是在单机上进行的；只有带 --workers 的运行才能继续。
store-other = { $path }：{ $detail }。请检查该路径是否存在且可写，或用 --out DIR 换一个位置。

## Comparisons

report-compare-title = B（{ $b }）与 A（{ $a }）的对比
report-compare-none = 未显示差异。这并不证明两侧相同；运行次数越多，越能看出较小的差异。
report-compare-repeat = 未评判：每侧只有一次运行，无法区分差异与偶然。请每侧多运行几次（--repeat N，或 compare --interleave）。
report-compare-differs = B 与 A 有差异：{ $told }。
report-compare-labels-differ = B 与 A 在个别标签上有差异；全部请求合计未显示差异。
report-compare-told = { $metric } { $verdict }（{ $relative }）
report-compare-side = { $name }，{ $runs } 次运行
report-compare-design = 设计
report-compare-paired = 配对：两侧的运行交替进行
report-compare-unpaired = 非配对
report-compare-labels = 按标签
report-compare-metric = 指标
report-compare-a = A
report-compare-b = B
report-compare-difference = B − A
report-compare-relative = 相对差
report-compare-interval = B − A 的 95 % 置信区间
report-compare-metric-throughput = 吞吐量
report-compare-metric-mean = 平均值
report-compare-metric-p50 = p50
report-compare-metric-p90 = p90
report-compare-metric-p95 = p95
report-compare-metric-p99 = p99
report-compare-metric-error_rate = 错误率
report-compare-verdict-none = 未显示差异
report-compare-verdict-repeat = 未评判：请重复
report-compare-verdict-higher-better = 更高（更好）
report-compare-verdict-higher-worse = 更高（更差）
report-compare-verdict-lower-better = 更低（更好）
report-compare-verdict-lower-worse = 更低（更差）
report-compare-note = A 和 B 是整次运行的平均：可重复的单位是运行，而不是样本或秒。结论考虑了同时对比的指标个数；每个区间只针对一个指标。
report-compare-unmatched = 因并非每次运行都有而未对比的标签：{ $labels }。

# 被测系统。
report-target = 被测系统
report-target-none = 未监控被测系统：请用 --watch 运行。
report-target-facts = 已知信息
report-captures = 采样快照
report-target-thing = 对象
report-target-what = 指标
report-target-fact = 设置或信息
report-target-value = 值
report-target-mean = 平均
report-target-max = 最大
report-capture-number = 编号
report-capture-moment = 时机
report-capture-kind = 内容
report-capture-size = 大小
report-capture-took = 耗时
report-moment-start = 开始
report-moment-knee = 拐点
report-moment-steady = 稳定负载
report-moment-worst = 最差的一秒
report-moment-end = 结束
report-moment-request = 手动
report-entity = { $kind } { $name } @ { $host }
report-entity-host-only = { $kind } { $host }
report-entity-host = 主机
report-entity-process = 进程
report-entity-jvm = JVM
report-entity-web-server = Web 服务器
report-entity-pool = 连接池
report-entity-client = 客户端
report-entity-application = 应用
report-entity-proxy = 代理服务器
report-entity-database = 数据库
report-entity-cache = 缓存
report-entity-exporter = 导出器
report-entity-watcher = 监控自身
report-target-cpu = 主机 CPU
report-target-run-queue = 等待 CPU 的任务
report-target-memory = 主机内存
report-target-disk-busy = 磁盘繁忙度
report-target-network = 网络
report-target-tcp = TCP 连接
report-target-tcp-trouble = TCP 异常
report-target-process-cpu = 进程 CPU（100 % 为一个核）
report-target-process-memory = 进程内存
report-target-switches = 上下文切换
report-target-heap = 堆
report-target-gc = 垃圾回收停顿
report-target-threads = 线程
report-target-workers = 工作线程
report-target-processes = 进程
report-target-queues = 等待服务器的请求
report-target-sessions-open = 会话
report-target-connections = 连接
report-target-pool = 连接池的连接
report-target-pool-wait = 等待与使用连接
report-target-requests = 请求
report-target-queries = 查询
report-target-transactions = 事务
report-target-database-waits = 连接按等待事件
report-target-commands = 命令
report-target-clients = 客户端
report-target-accept-queues = 等待队列 (accept queue)
report-target-executor-queues = 等待线程的任务
report-target-row-locks = 等待行锁的线程
report-target-main-thread = 执行命令的线程的 CPU（100 % 为满）
report-target-running = 运行中
report-target-blocked = 等待磁盘
report-target-available = 可用
report-target-swap = 已换出
report-target-retransmits = 重传报文段
report-target-overflows = 等待队列溢出
report-target-memory-used = 已用
report-target-after-gc = 回收后
report-target-gc-share = 时间占比
report-target-busy = 忙
report-target-current = 现有
report-target-limit = 上限
report-target-open = 已打开
report-target-keep-alive = 长连接
report-target-sessions = 会话
report-target-pending = 等待中
report-target-longest-wait = 最长等待
report-target-longest-use = 最长使用
report-target-requests-line = 请求
report-target-queries-line = 查询
report-target-commits = 提交
report-target-rollbacks = 回滚
report-target-commands-line = 命令

## 负载

load-users = 用户数 { $figure }
load-ramp-up = 加压 { $figure } s
load-hold = 保持 { $figure } s
load-iterations = 每个用户的迭代数 { $figure }
load-iterations-total = 总迭代数 { $figure }
load-max-in-flight = 最多同时执行 { $figure } 个用户
load-rate = 到达率 { $rate }，持续 { $seconds } s

## 属性的取值

report-mode-idle = 空闲
report-mode-interrupt = 硬中断
report-mode-softirq = 软中断
report-mode-iowait = 等待 I/O
report-mode-nice = 低优先级
report-mode-steal = 被抢占 (steal)
report-mode-system = 内核态
report-mode-user = 用户态
report-mode-receive = 接收
report-mode-transmit = 发送
report-mode-read = 读
report-mode-write = 写
report-mode-voluntary = 主动
report-mode-involuntary = 被动
report-mode-established = 已建立 (ESTABLISHED)
report-mode-listen = 监听 (LISTEN)
report-mode-time-wait = TIME_WAIT
report-mode-close-wait = CLOSE_WAIT
report-mode-syn-sent = SYN_SENT
report-mode-syn-received = SYN_RECEIVED
report-mode-fin-wait-1 = FIN_WAIT_1
report-mode-fin-wait-2 = FIN_WAIT_2
report-mode-last-ack = LAST_ACK
report-mode-closing = CLOSING
report-mode-closed = 已关闭
report-mode-new = 新建
report-mode-runnable = 可运行
report-mode-blocked = 阻塞
report-mode-waiting = 等待
report-mode-timed-waiting = 限时等待
report-mode-terminated = 已终止

report-probe = 结果之后{ $how ->
    [lowered] 降低
   *[raised] 提高
}了负载；结果不含这些秒数：
report-probe-level = 负载 × { $load }：每秒 { $throughput } 个请求，平均 { $response } ms
report-load-changed = 运行中改变过负载；仅看测试计划无法得知实际的负载：
report-load-users = 从第 { $at } 秒起，场景 { $scenario }：{ $value } 个用户
report-load-rate = 从第 { $at } 秒起，场景 { $scenario }：每秒 { $value } 次到达
report-load-rate-times = 从第 { $at } 秒起，场景 { $scenario }：到达率乘以 { $value }
report-load-longer = 在第 { $at } 秒，场景 { $scenario }：延长 { $value } 秒
paper-summary = 概要
