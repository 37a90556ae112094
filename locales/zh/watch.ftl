# 监控被测系统：数据源、采集器、采样快照、Agent。
watch-unknown-source = 没有数据源“{ $source }”。可用的数据源：{ $known }。
watch-unknown-option = 数据源“{ $source }”没有设置项“{ $option }”。可用的设置项：{ $known }。
watch-file-unreadable = 无法读取文件 { $path }（{ $reason }）。
watch-too-slow = { $seconds } 秒内没有响应。
watch-captures-full = 已略去此次采样快照：本次运行的采样快照已达 { $megabytes } MiB。
event-watch-not-opened = 未监控 { $source }：{ $reason }
event-watch-source-fails = 无法监控 { $source }：{ $reason }
event-watch-source-back = 已恢复监控 { $source }。
event-watch-gap = 第 { $from } 秒至第 { $to } 秒没有监控被测系统：运行没有主控节点。
event-watch-secret-gone = 不再监控 { $source }：其地址含有密码，密码不会保存。请用 --watch 指明所有要监控的数据源。
event-watch-note = { $entity }：{ $text }
captures-none = 运行 { $run } 没有编号为 { $number } 的采样快照。现有：{ $known }。
captures-not-running = 运行 { $run } 未在进行；只能对正在进行的运行采集快照。
captures-asked-already = 此刻另有请求要运行 { $run } 采集快照：请稍后再试。
captures-unheard = 运行 { $run } 不接受请求：没有监控被测系统（--watch），或已停滞。
captures-run-ended = 运行 { $run } 在采集快照之前已结束。
captures-nothing-taken = 运行 { $run } 没有可采集的此类快照：未被监控，或会干扰被测系统而需要 --watch-allow-capture（Agent 还需 --allow capture）。
captures-taken = { $number }：{ $entity } 的 { $kind }，{ $bytes } 字节，用时 { $ms } 毫秒
event-captures-asked = 按请求采集快照（{ $kind }）：已采集 { $count } 个。
watch-auto-needs-target = “auto”需要本机上的被测系统（主机:端口）。
watch-auto-failed = 无法查找被测系统周围的进程：{ $reason }

watch-stacks-refused = 未对 { $name } 做 CPU 采样：{ $reason }。需要 root、CAP_PERFMON 权能，或 kernel.perf_event_paranoid 不大于 0，且处理器为 x86-64。线程在哪里等待照常可见。
watch-stacks-unreadable = 无法读取 { $name } 的代码，因此不能按函数说明其CPU时间：需要 root 或该进程用户的权限。线程在哪里等待照常可见。
watch-stacks-version = { $name } 的栈只显示解释器自身的函数：不认识 { $found }。已知的有 { $known }。
watch-stacks-no-map = { $name } 在运行时编译代码，但没有说明函数名：它自己的函数将显示为“[unnamed code]”。Node.js 用 --perf-basic-prof 启动即可给出函数名（写入 /tmp/perf-PID.map），或在允许采样快照时用 --inspect 启动。
