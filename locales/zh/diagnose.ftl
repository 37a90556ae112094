## 诊断的结论。

diagnosis-found = 瓶颈：{ $title }
diagnosis-healthy = 已到极限，属于正常：{ $title }
diagnosis-nothing = 没有瓶颈：被测系统的资源和各种池都没有用满。
diagnosis-insufficient = 监控的内容不足，无法判断瓶颈。
diagnosis-missing-all = 没有监控被测系统。在被测主机上请加 `--watch auto --watch-allow-capture`；在其他主机上请在被测主机启动代理（`plimsoll agent`）。
diagnosis-missing-stacks = 没有负载下的线程转储：请加 `--watch-allow-capture`，才能指出锁、连接池和代码。
diagnosis-missing-database = 只看到了进程 { $name }：请用 `--watch mysql=…` 并给出用户，才能看到它的语句。

## 发现：标题、含义、验证实验。

finding-generator-cpu = 压力机自身的CPU用尽
finding-generator-cpu-means = 压力机的线程不能及时收发：测得的时间有一部分是压力机自己的等待。这次运行不能得出其他结论。
finding-generator-cpu-experiment = 给压力机更多CPU或更多主机后重测；吞吐量上升就说明压力机是瓶颈。
finding-generator-ports = 压力机的本地端口用尽
finding-generator-ports-means = 每个短连接关闭后端口还要占用60秒（TIME_WAIT）。端口用完后，连接在压力机上就失败了，根本没有到达被测系统。
finding-generator-ports-experiment = 使用长连接或扩大端口范围后重测；这些失败应当消失。
finding-generator-late = 请求发出得太晚
finding-generator-late-means = 请求明显晚于计划时间发出，而压力机的CPU并没有用尽。
finding-generator-late-experiment = 在空闲的压力机上重测，比较发送延迟。
finding-generator-descriptors = 压力机的文件描述符用尽
finding-generator-descriptors-means = 每个连接都需要一个描述符，没有就无法建立连接。
finding-generator-descriptors-experiment = 提高打开文件数上限（`ulimit -n`）后重测。
finding-generator-memory = 压力机的内存用尽
finding-generator-memory-means = 压力机达到了内存上限，数据不可信。
finding-generator-memory-experiment = 增加内存或减少用户数后重测。
finding-generator-starved = 压力机的CPU被其他进程占用
finding-generator-starved-means = 压力机的线程已就绪，却要等待被其他进程占用的CPU。
finding-generator-starved-experiment = 结束该进程或更换压力机后重测。

finding-cold-start = 未预热就测量：吞吐量仍上升了{ $percent } %
finding-cold-start-means = 负载不变，{ $object } 却随着JIT编译越来越快：平均值不能代表稳定状态。
finding-cold-start-experiment = 延长预热时间后重测；测量时段的开头和结尾应当一致。

finding-cpu = CPU瓶颈：{ $object } 用了{ $limit }个CPU中的{ $used }个
finding-cpu-means = 处理器几乎一直在为请求工作。增加线程或加大连接池只会让队列换个地方；减少每个请求的计算量或增加CPU才能提高上限。
finding-cpu-experiment = 增加CPU后重测，吞吐量应按比例上升；或分析证据中指出的代码。
finding-database-cpu = 数据库的CPU用尽：{ $object } 用了{ $limit }个CPU中的{ $used }个
finding-database-cpu-means = 数据库几乎一直在计算，前面的应用只能等待。
finding-database-cpu-experiment = 给数据库更多CPU，或去掉最贵的语句，然后重测。
finding-proxy-cpu = 代理的CPU用尽：{ $object } 用了{ $limit }个CPU中的{ $used }个
finding-proxy-cpu-means = 代理自身几乎一直在计算，后面的系统还有余量。
finding-proxy-cpu-experiment = 绕过代理直接压测后端：如果能承受更多，瓶颈就是代理。
finding-cache-cpu = 缓存的CPU用尽：{ $object } 用了{ $limit }个CPU中的{ $used }个
finding-cache-cpu-means = 缓存用单线程执行命令，这个线程几乎一直在忙。
finding-cache-cpu-experiment = 减少每个请求的命令数或换成更便宜的命令，然后重测。

finding-hot-code = { $percent } % 的工作线程在 { $library } 中计算
finding-hot-code-means = CPU已用尽，而且大部分花在一个库上，由 { $own } 调用。重复做的工作，或者慢的库，可以省下来。
finding-hot-code-experiment = 在一个请求内保存结果，或换用更快的库，然后重测。

finding-lock = 锁让请求只能逐个通过：{ $object }
finding-lock-means = 同时有{ $waiting }个线程在等待进入 { $waits_in }。无论用户数和线程数多少，吞吐量都等于1除以持锁时间。
finding-lock-experiment = 把用户数加倍：吞吐量不变、响应时间加倍，就证实了锁。再把慢的部分移出锁外重测。
finding-deadlock = 线程互相等待，永远不会结束：{ $object }
finding-deadlock-means = 每个线程都持有另一个线程想要的锁。这些线程和它们的请求都不会结束。
finding-deadlock-experiment = 在所有地方按同一顺序加锁，然后重测。

finding-log-level = 日志级别占用了{ $percent } % 的响应时间：{ $object } 在写调试日志
finding-log-level-means = 每个请求都写许多DEBUG或TRACE日志，格式化和写入比业务本身更耗时。
finding-log-level-experiment = 在运行中把级别改为INFO（Spring Boot：/actuator/loggers），然后重测。
finding-log-appender = 日志占用了{ $percent } % 的响应时间：线程在 { $object } 的appender前排队
finding-log-appender-means = appender一次只让一个线程写。CPU和磁盘都有余量，线程却在等待。
finding-log-appender-experiment = 在运行中把级别改为ERROR，或改为异步写，然后重测。

finding-connection-pool = 连接池 { $object } 相对于连接的占用时间太小
finding-connection-pool-means = 请求有{ $percent } % 的时间在等待连接，而数据库还有余量。
finding-connection-pool-experiment = 加大连接池（或更早归还连接）后重测：不应再有等待，吞吐量应当上升。
finding-outgoing-pool = { $object } 到被调用服务的连接太少
finding-outgoing-pool-means = 线程有{ $percent } % 的时间在等待HTTP客户端的空闲连接，而不是在等对方服务。
finding-outgoing-pool-experiment = 提高客户端每个路由的连接数，然后重测。

finding-worker-threads = { $object } 的{ $limit }个工作线程全忙，还有请求在排队
finding-worker-threads-means = 请求有{ $percent } % 的时间在等待空闲线程。线程自己等待的东西还有余量，增加线程就能处理更多请求。
finding-worker-threads-experiment = 增加线程数后重测：吞吐量应当上升，排队应当消失。
finding-max-connections = { $object } 接受的{ $limit }个连接全被长连接的客户端占用
finding-max-connections-means = 长连接空闲时也占名额。超出上限的客户端能连上（内核应答），却得不到服务：表现为读超时，而工作线程是空闲的。
finding-max-connections-experiment = 提高上限后重测：不应再有超时。
finding-accept-queue = 端口 { $object } 的等待队列溢出
finding-accept-queue-means = 连接的客户端多于服务器能接受的：线程、连接和前面的队列都满了。其余的被内核丢弃，表现为连接超时或等待重试。
finding-accept-queue-experiment = 增加线程和队列长度后重测：溢出和连接超时应当消失。

finding-slow-dependency = 请求在等待另一个系统：{ $object }
finding-slow-dependency-means = 请求有{ $percent } % 的时间在 { $code } 中等待它的响应。
finding-slow-dependency-experiment = 单独压测那个系统；把它的响应缓存几秒，或用桩替换，然后重测。
finding-own-wait = 代码自己在等待：{ $object }
finding-own-wait-means = 请求有{ $percent } % 的时间是代码自己的停顿。没有资源用满：用户越多吞吐量越高。
finding-own-wait-experiment = 把用户数加倍：响应时间不变，吞吐量应当加倍。

## 证据。

exhibit-no-local-port = { $count }个请求失败，因为压力机没有空闲的本地端口（EADDRNOTAVAIL）。
exhibit-generator-cpu = { $percent } % 的秒数里有压力线程的CPU使用超过{ $limit }，最高{ $worst }。
exhibit-generator-lateness = { $percent } % 的秒数里发送延迟的p99超过{ $limit } ms，最高{ $worst } ms。
exhibit-generator-receive_lag = { $percent } % 的秒数里平均晚于{ $limit } ms才发现响应，最高{ $worst } ms。
exhibit-generator-ports = { $percent } % 的秒数里没有空闲的本地端口。
exhibit-generator-fds = { $percent } % 的秒数里没有空闲的文件描述符。
exhibit-generator-memory = { $percent } % 的秒数里用了内存上限的{ $worst }。
exhibit-generator-starved = { $percent } % 的秒数里压力线程等待CPU的时间超过{ $limit }；主要被 { $competitor } 占用。
exhibit-rising = 负载不变时的吞吐量：前三分之一{ $early }/s，后三分之一{ $late }/s。
exhibit-compiling = 前三分之一的CPU有{ $percent } % 用于JIT编译。
exhibit-cpu-used = 用了{ $limit }个CPU中的{ $used }个（{ $percent } %）。
exhibit-throttled = 有{ $percent } % 的周期被配额暂停。
exhibit-cpu-waits = 它的线程每秒等待CPU { $seconds } s。
exhibit-demand = 服务需求 D = U / X = 每个请求{ $ms } ms CPU：根据利用率定律，最多能处理{ $bound }/s。
exhibit-hot = { $percent } % 的工作线程在 { $name } 中。
exhibit-library = { $percent } % 的工作线程在 { $name } 中计算，由 { $own } 调用。
exhibit-lock-waiters = 同时有{ $count }个线程（占工作线程的{ $percent } %）在 { $code } 中等待 { $lock }。
exhibit-lock-owner = 持锁的线程在 { $code } 中。
exhibit-deadlock = 互相等待：{ $threads }。
exhibit-logging = { $percent } % 的工作线程在日志框架中，{ $waiting } % 在等它的锁；由 { $code } 调用。
exhibit-log-events = 每个请求的日志条数：DEBUG和TRACE { $debug }，其他{ $others }。
exhibit-pool = { $limit }个连接中有{ $used }个被借出，{ $pending }个请求在等待：占在途请求的{ $percent } %。
exhibit-pool-times = 连接平均借出{ $use } ms，等待{ $wait } ms才得到。
exhibit-pool-waiters = 同时有{ $count }个线程（占工作线程的{ $percent } %）在 { $code } 中等待连接。
exhibit-held-over-call = 拿到连接的线程大多在等别的东西：{ $code }。
exhibit-full-below = { $name } 的CPU已用尽：前面再多也只会在那里等待。
exhibit-workers = 平均{ $limit }个线程中有{ $busy }个在忙，在途请求{ $in_flight }个：请求有{ $percent } % 的时间在等线程。
exhibit-workers-wait = 但{ $percent } % 的线程自己在等锁或连接：更多线程也会在那里等待。
exhibit-connections = { $limit }个连接中打开了{ $open }个，其中{ $kept }个处于两次请求之间。
exhibit-overflows = { $count }个连接遇到等待队列已满。
exhibit-listen-queue = 端口{ $port }的队列里有{ $length }个连接，上限{ $limit }。
exhibit-dependency = { $percent } % 的工作线程在 { $code } 中等待响应。
exhibit-call-time = 调用 { $address } 平均用{ $ms } ms。
exhibit-own-wait = { $percent } % 的工作线程在 { $code } 中停顿。

## 建议。

advice-generator-cpu = 给压力机更多CPU，或用多台主机加压。
advice-generator-ports = 使用长连接，扩大net.ipv4.ip_local_port_range，放慢加压，或使用多个源地址。
advice-generator-late = 看看压力机上还运行着什么；把压力机绑定到独占的CPU。
advice-generator-descriptors = 提高压力机的打开文件数上限。
advice-generator-memory = 给压力机更多内存，或减少它的用户数。
advice-generator-starved = 给压力机独占的CPU。
advice-warm-up = 去掉吞吐量稳定之前的时间。
advice-cpu = 减少每个请求的计算量（见证据中的代码），或增加CPU、主机。增加线程没有用。
advice-cpu-quota = 进程受配额限制：提高配额，或减少每个请求的计算量。增加线程没有用。
advice-hot-code = 这项工作每个请求只做一次（或更久地保存结果），或换用更快的库。
advice-hot-code-slow = 这个库以慢著称；{ $faster } 做同样的工作只需几分之一的时间。或者每个请求只做一次。
advice-lock = 缩短持锁时间，拆分锁，或不用锁。
advice-lock-held-over-call = 持锁期间在调用另一个系统（{ $code }）：把调用移到锁外。
advice-lock-held-over-wait = 持锁期间有停顿（{ $code }）：把停顿移到锁外。
advice-lock-held-over-pool = 持锁期间在等连接（{ $code }）：先取连接再加锁。
advice-deadlock = 在所有地方按同一顺序加锁，或只用一把锁。
advice-log-level = 生产环境不需要DEBUG和TRACE日志：格式化耗CPU，写入要抢锁。
advice-log-appender = 少写日志，或在文件前加异步appender，让线程不再互相等待。
advice-connection-held = 在调用另一个系统（{ $code }）之前归还连接，或在事务之前调用。
advice-connection-pool = 这个负载需要{ $wanted }个连接；数据库也要允许这么多。先加倍，看数据库是否变忙。
advice-outgoing-pool = 这个负载大约需要{ $wanted }个连接。Apache HttpClient：setMaxConnPerRoute和setMaxConnTotal（5.x默认5和25，4.x默认2和20）。
advice-worker-threads = 这个负载有{ $in_flight }个在途请求，同样多的线程才能同时处理。每个线程大约占1 MB栈。
advice-max-connections = 长连接的代价很小，上限要大于客户端数。
advice-accept-queue = 队列容纳突发连接，稍后再接受；内核的net.core.somaxconn是它的上限。
advice-accept-queue-threads = 只加长队列会让客户端由失败变为等待：如果也满了，请同时提高server.tomcat.threads.max和server.tomcat.max-connections。
advice-slow-dependency = 减少调用：把 { $code } 的响应缓存几秒，并行调用，或让那个系统变快。
advice-own-wait = 如果停顿是有意的，就没有问题；否则查明代码在等什么。

## 显示方式。

diagnosis-title = 瓶颈诊断
diagnosis-explains = 影响
diagnosis-share = 约占{ $of }的{ $percent } %；把握{ $confidence } %
diagnosis-of-response-time = 响应时间
diagnosis-of-throughput = 损失的吞吐量
diagnosis-of-errors = 失败请求
diagnosis-of-measurement = 测量本身
diagnosis-layer = 类型
diagnosis-layer-measurement = 测量本身的问题
diagnosis-layer-cause = 原因
diagnosis-layer-resource = 资源用尽
diagnosis-layer-hint = 附注，不是瓶颈
diagnosis-experiment = 验证方法：{ $text }
diagnosis-capture = 抓取{ $number }
diagnosis-unknown = 未知
diagnosis-source = 规则来源：{ $source }
diagnose-evidence-saved = 已写出证据：{ $path }
diagnose-evidence-damaged = { $path } 不是可读的证据：{ $reason }。请用 `plimsoll diagnose RUN --save-evidence FILE` 生成。
