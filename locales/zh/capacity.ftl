# plimsoll capacity 与 plimsoll size

capacity-no-goal = 没有给出性能目标：请说明必须满足什么，例如 --goal "p95 < 300 ms" --goal "errors < 0.1 %"。
capacity-bad-goal = 性能目标“{ $goal }”不限制负载：加大负载不会使它不满足。请给出响应时间或错误率的上限，例如 p95 < 300 ms 或 errors < 0.1 %。
capacity-in-order = 测试计划中的场景依次运行，负载不是一个数。请把每个场景放到单独的测试计划中搜索。
capacity-mixed = 测试计划中有的场景按用户数、有的按到达率，负载不是一个数。请把两类分别放到单独的测试计划中搜索。
capacity-no-load = 测试计划没有可缩放的负载：没有一个场景设置了用户数或到达率。
capacity-two-units = --from 与 --to 必须同为用户数（50）或同为到达率（50/s）。
capacity-from-above-to = --from 大于 --to。
capacity-interrupted = 已中断：没有结果。已完成的运行予以保留。
capacity-interrupted-missed = 在 { $count } 次测量后中断。目前没有负载能满足性能目标：在{ $load }时就已经不满足。
capacity-interrupted-between = 在 { $count } 次测量后中断。目前容量在 { $low } 与 { $high } 之间。
capacity-interrupted-met = 在 { $count } 次测量后中断。目前在{ $load }时满足性能目标，尚未出现不满足的负载。
capacity-unreachable = 无法连接被测系统。
capacity-warm-up = 预热 { $seconds } 秒。
capacity-measuring = 第 { $number } 次测量（最多 { $most } 次）：{ $load }，{ $phase }
capacity-phase-bracket = 确定范围
capacity-phase-narrow = 缩小范围
capacity-phase-repeat = 重复测量
capacity-worst = 最接近限值的性能目标
capacity-outcome = 结果
capacity-met = 满足
capacity-missed = 不满足
capacity-stopped-early = 提前停止
capacity-fell-behind = 跟不上
capacity-unclear = 可能跟不上
capacity-unsteady = 未稳定
capacity-limited = 瓶颈在压力机
capacity-found = 直到 { $load } 都满足性能目标（95 % 置信区间 { $low } 到 { $high }，宽 { $apart } %；共测量 { $count } 次）。
capacity-not-as-asked = 区间宽于要求的 { $asked } %：在极限附近数据波动过大，无法区分各负载。请延长每个负载的保持时间（--step-seconds）或增加两端的测量次数（--repeats）。
capacity-met-at-largest = 在尝试过的最大负载（{ $load }）下仍满足性能目标：容量在其之上。请加大 --to。
capacity-missed-at-smallest = 没有负载能满足性能目标：在{ $load }时就已经不满足。
capacity-wide = 大约到{ $load }时仍满足性能目标，但 { $count } 次测量已用完：容量在 { $low } 与 { $high } 之间。可用 --max-measurements 增加次数。
capacity-no-limit-seen = 在{ $load }时满足性能目标，尚未出现不满足的负载。可用 --max-measurements 增加测量次数。
capacity-beyond = 刚超过容量，在{ $load }时不满足“{ $goal }”：{ $observed }（运行 { $run }）。
capacity-beyond-behind = 刚超过容量，在{ $load }时被测系统跟不上：在途请求不断增加，尽管“{ $goal }”在测量时间内仍然满足（运行 { $run }）。
capacity-beyond-unclear = 刚超过容量，在{ $load }时无法判断被测系统是否跟得上：在途请求有所增加，但这么短的时间内也可能出于偶然。请把每级负载保持得更久（--step-seconds；运行 { $run }）。
capacity-generator = 此时瓶颈在压力机：这是压力机的容量，不是被测系统的容量。请给压力机更多 CPU，或不要与被测系统共用主机。
capacity-diagnosis = 此时的瓶颈：
event-out-of-reach = 性能目标“{ $name }”已不可能满足：提前结束本次测量，以免影响被测系统。
event-silent = 已有 { $seconds } 秒没有任何响应：结束本次测量。

size-nothing-known = 没有可用来计算的数据。请给出 --visits-per-day、--tps、--users 或 --cores；再加 --response-time 还可计算线程与连接池。例如：plimsoll size --visits-per-day 1000000 --response-time 200ms --think-time 3s --cores 4
size-response-zero = --response-time 必须大于 0。
size-users-need-response = 由用户数计算吞吐量需要响应时间：请给出 --response-time，例如 --response-time 200ms。
size-tps-of-visits =
    目标吞吐量：至少每秒 { $tps } 个请求。
      （{ $share } % × { $visits } 次访问）/（{ $day } % × 86,400 秒）
      经验法则（一天中 { $usual-share } % 的访问集中在 { $usual-day } % 的时间里）。一次访问包含几个请求请自行计入；真实流量日志更可靠。
size-users =
    并发用户数：{ $users }。
      N = X · (R + Z) = { $tps }/秒 ×（{ $response } 秒 + { $think } 秒）
      利特尔定律（1961），含思考时间：这是定理。
size-tps-of-users =
    { $users } 个用户的吞吐量：每秒 { $tps } 个请求。
      X = N / (R + Z) = { $users } /（{ $response } 秒 + { $think } 秒）
      利特尔定律（1961），含思考时间：这是定理。
size-threads =
    工作线程：从 { $threads } 个开始；平均 { $busy } 个处于忙碌{ $cores ->
        [0] 。
       *[other] ，已上调为 { $cores } 核的整数倍。
    }
      X · R = { $tps }/秒 × { $response } 秒，即 TPS /（1000 ms / RT）
      利特尔定律（1961）。这是平均值：突发流量需要更多。请通过压测确认。
size-short-response = 平均响应时间在 { $limit } ms 以下时，线程很少成为瓶颈（经验法则）。
size-pool =
    数据库连接：从 { $pool } 个开始。
      工作线程数的 { $share } %
      经验法则；请通过压测调整。
size-needs-response = 加上 --response-time，还可计算用户数、线程与连接池。
size-host =
    { $cores } 核主机的 Web 线程：约 { $threads } 个；线程栈最多占 { $memory } MiB。
      { $each } × 核数；每个线程的栈 { $stack } MiB
      经验法则（1 核 2 GB：200；4 核 8 GB：800；8 核 16 GB：1,600），适用于大部分时间在等待的线程。
size-memory-short = 线程栈（{ $stacks } MiB）将占用主机内存（{ $memory } MiB）的一半以上：请减少线程数。
size-ramp =
    加压到 { $users } 个用户的时间：谨慎 { $careful } 秒（每秒 1 至 2 个），平缓 { $gentle } 秒（每秒 3 至 6 个），快速 { $fast } 秒（每秒 13 至 20 个）。
      用户数 / 每秒新增用户数
      经验法则。请从谨慎开始。
size-measure = 以上数字只是起点。服务的实际能力只有测量才知道：plimsoll capacity。
