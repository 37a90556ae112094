# plimsoll calibrate

calibrate-no-url = “{ $url }”不是 URL：校准要对一个内容不变的页面加压，请给出以 http:// 或 https:// 开头的地址；不给则使用内置页面。
calibrate-no-page = 无法提供内置页面：{ $reason }。请改用另一个内容不变的页面的 URL。
calibrate-unreachable = 无法连接该页面。
calibrate-page-fails = { $percent } % 的请求失败：会失败的页面说明不了压力机的能力。请给出对每个请求都有响应的页面；不给则使用内置页面。
calibrate-nothing-measured = 没有测到任何数据：没有请求完成，或系统不提供线程的 CPU 时间。请用 --step-seconds 延长每一级的时间。
calibrate-interrupted = 已中断：没有保存任何结果。
calibrate-measuring = { $users } 个用户
calibrate-generator-cpus = 压力机 CPU
calibrate-page-cpus = 页面 CPU
calibrate-ceiling = 本压力机用 { $threads } 个加压线程、{ $users } 个用户达到 { $measured } 请求/秒。每个请求消耗 { $micros } µs 的 CPU：即每核 { $core } 请求/秒；若可用的 { $cpus } 个 CPU 上没有其他程序，合计 { $all } 请求/秒。
calibrate-limit-generator = 加压线程的 CPU 已饱和：这就是压力机自身的上限。
calibrate-limit-shared-cpus = 加压线程在等待被其他程序（包括页面服务器）占用的 CPU：测得的吞吐量由双方共享整台机器得出；压力机单独的能力按每个请求的 CPU 时间推算。
calibrate-limit-page = 瓶颈在页面而不在压力机：压力机至少能达到这个吞吐量；实际能力按每个请求的 CPU 时间推算。
calibrate-limit-not-reached = 用户数达到尝试的最大值时吞吐量仍在上升：压力机至少能达到这个吞吐量。可用 --users 尝试更多用户。
calibrate-page-share = 提供内置页面占每个请求 CPU 时间的 { $percent } %。被测系统在另一台机器上时没有这部分开销。
calibrate-waited = 加压线程有 { $percent } % 的时间已就绪却没有 CPU：有其他程序在运行（CPU 很少时也包括页面服务器）。请在空闲的机器上重测。
calibrate-kept = 已保存到 { $path }：本机上的运行将与之对比。
