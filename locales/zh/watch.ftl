# 监控目标：来源、采集器、抓取、代理。
watch-unknown-source = 没有可监控的来源“{ $source }”。可用来源：{ $known }。
watch-unknown-option = 来源“{ $source }”没有设置项“{ $option }”。可用设置项：{ $known }。
watch-file-unreadable = 无法读取 { $path }：{ $reason }。
watch-too-slow = { $seconds } 秒内没有应答。
watch-captures-full = 已略去此次抓取：本次运行的抓取已达 { $megabytes } MiB。
event-watch-not-opened = 未监控 { $source }：{ $reason }
event-watch-source-fails = 无法监控 { $source }：{ $reason }
event-watch-source-back = 已恢复监控 { $source }。
event-watch-note = { $entity }：{ $text }
captures-none = 运行 { $run } 没有编号为 { $number } 的抓取。现有：{ $known }。
watch-auto-needs-target = “auto”需要本机上的目标（主机:端口）。
watch-auto-failed = 无法查找目标周围的进程：{ $reason }
