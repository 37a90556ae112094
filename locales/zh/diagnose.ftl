## 诊断的结论。

diagnosis-found = 瓶颈：{ $title }
diagnosis-healthy = 已到容量上限，属于正常：{ $title }
diagnosis-pauses = 没有资源耗尽；时间花在：{ $title }
diagnosis-nothing = 没有瓶颈：被测系统的资源和各种池都没有耗尽。
diagnosis-nothing-beside = 这些请求没有瓶颈：下面所列的耗尽之处不在它们的路径上，或几乎不占它们的时间。
diagnosis-insufficient = 监控的内容太少，无法判断瓶颈。
diagnosis-missing-all = 没有监控被测系统。压力机与被测系统在同一主机时，请加 `--watch auto --watch-allow-capture`；否则请在被测系统的主机上启动Agent（`plimsoll agent`）。
diagnosis-missing-stacks = 没有加压期间的线程转储：请加 `--watch-allow-capture`，才能指出锁、连接池和代码。
diagnosis-missing-plateau = 负载从{ $from }增加到{ $to }，吞吐量停在{ $rate }/s，而被监控的资源都未耗尽。瓶颈在没有监控的地方：非JVM进程里的锁或池、后面的系统，或者中间某处的限制。请一并监控，或逐跳单独加压（`plimsoll hops`）。
diagnosis-missing-profile = { $name } 的CPU已饱和，而线程转储太少，看不出CPU时间用在哪里。请剖析它：在测试计划 `watch` 的 `jvm` 下写 `jfr: start` 或 `profiler: …`。
diagnosis-missing-inside = 平均有{ $in_flight }个在途请求，每个耗时{ $ms } ms，而监控的内容说明不了它们在等什么：{ $count ->
        [0] 没有看到处理请求的进程
       *[other] 看不到 { $names } 的内部（没有线程转储，也没有锁或池的数据）
    }，又没有更轻的负载，无从得知单个请求本身需要多久。请用多级负载（`stages` 或 `plimsoll capacity`）：吞吐量不变而响应时间上升，就是内部有东西耗尽。JVM请允许线程转储（`--watch-allow-capture`）；其他运行时请用它自己的剖析工具。
diagnosis-missing-waits = 请求有{ $percent } % 的时间在 { $object } 中等待没有看到的东西，因此无法说明没有瓶颈。请用多级负载（`stages` 或 `plimsoll capacity`）：吞吐量不变而响应时间上升，就是那里有东西耗尽；否则就是停顿。
diagnosis-missing-source = 从第{ $from } s{ $until ->
        [open] 起
       *[other] 到第{ $until } s
    }没能查看 { $source }：{ $reason }
diagnosis-missing-database = 只监控了 { $name } 的进程{ $source ->
    [other] ，因此看不到它的语句
   *[known] ：请用 `--watch { $source }=…` 并给出用户，才能看到它的语句
}。

## 响应时间的账目

account-title = 响应时间用在哪里
account-sum = 平均{ $ms } ms，每秒{ $rate }个请求：在途请求{ $in_flight }个。响应时间的{ $percent }%有据可查。
account-head-part = 部分
account-head-ms = ms
account-head-share = 占比
account-head-basis = 依据
account-generator = 压力机
account-network = 网络与建立连接
account-network-between = { $process }与{ $peer }之间的网络传输
account-accept-queue = { $process }：在等待队列中等待接受
account-running = { $process }：运行
account-cpu-wait = { $process }：等待CPU
account-disk = { $process }：磁盘
account-garbage-collection = { $process }：垃圾回收
account-waiting-inside = { $process }：在进程内等待
account-waiting-inside-state = { $process }：在进程内等待（{ $state ->
        [sleep] 休眠
        [lock] 等锁
        [lock_file] 等文件锁
        [pool] 等连接池的连接
        [write] 向慢的接收方发送
        [pipe] 在管道上
        [child] 等它启动的程序
        [log] 等预写日志
       *[other] 等别的东西
    }）
account-waiting-for = { $process }：等待{ $peer }
account-waiting-for-unknown = { $process }：等待另一个系统
account-waiting-for-nobody = 等待{ $peer }
account-unaccounted = 未能说明（{ $process }）
account-unaccounted-nowhere = 未能说明
account-basis-wire = 数据包
account-basis-sockets = 套接字
account-basis-threads = 线程
account-basis-series = 指标序列
account-basis-load = 负载
account-slowest-title = 最慢的请求把时间用在哪里
account-slowest-sum = 查看数据包期间最慢的{ $percent }%：{ $requests }个请求，每个至少{ $from } ms，在被测系统内平均{ $ms } ms。旁边是全部请求的同一部分。
account-slowest-inside = { $process }：在进程内
account-slowest-waiting-for = { $process }：等待{ $peer }
account-slowest-undecided = { $process }：在调用中，不知属于哪个请求
account-head-slowest = 最慢的请求，ms
account-head-all = 全部请求，ms
account-full-hop = { $process }对{ $peer }的调用在{ $percent }%的时间里同时有{ $number }个，从不更多，而前面有{ $waiting }个请求在等待。
account-full-threads = { $number ->
        [1] { $process }唯一的名为{ $peer }的线程被占用，而另有{ $waiting }个请求在等待它。
       *[other] { $process }的{ $number }个名为{ $peer }的线程全部被占用，而另有{ $waiting }个请求在等待线程。
    }
account-full-children = { $number ->
        [1] { $process }唯一的工作进程被占用，而另有{ $waiting }个请求在等待它。
       *[other] { $process }的{ $number }个工作进程全部被占用，而另有{ $waiting }个请求在等待。
    }
account-together-apart = 在途请求为{ $many }个时，响应时间为{ $many_ms } ms；为{ $few }个时为{ $few_ms } ms：请求之间没有互相等待。
account-at-once = { $requests }个请求一再在{ $ms } ms之内一起完成，而平均在途请求为{ $in_flight }个：它们几乎都在同时处理，没有互相等待。
account-together-wait = 在途请求为{ $many }个时，响应时间为{ $many_ms } ms；为{ $few }个时为{ $few_ms } ms：请求越多，每个请求耗时越长。
account-full-inside = { $process }内同时只有约{ $number }个请求在工作，而{ $waiting }个请求在等其中之一结束：吞吐量不再上升，而单独一个请求快得多。
account-full-event-loop = { $process }的{ $number }个事件循环（{ $peer }）在{ $percent }%的时间里忙碌、被阻塞或就绪而没有CPU，而有{ $waiting }个请求在等待。
account-full-cpu = { $process }把它能用的{ $number }个CPU用到了{ $percent }%，而有{ $waiting }个请求在等待。

diagnosis-missing-account = 响应时间{ $of } ms中有{ $ms } ms未能说明{ $process ->
        [none] {""}
       *[other] （主要在{ $process }）
    }，因此无法证明没有瓶颈。{ $look ->
        [packets] 没有看到数据包：让被测主机上的监控有此权限（root或CAP_NET_RAW），并带`--watch-allow-capture`运行。
        [threads] 没有看到其线程在做什么：让该主机上的监控有此权限（root，或同一用户加CAP_SYS_PTRACE），并带`--watch-allow-capture`运行。
        [load] 请求在该进程内，而它的线程既不运行，也不等待其他进程。请用多档负载运行（`stages`或`plimsoll capacity`）：如果吞吐量不变而响应时间上升，说明它只让固定数量的请求同时工作；否则就是它自己在停顿。
       *[process] 在网络上分不清它的各个请求：绕过加密直接加压，或单独对每一跳加压（`plimsoll hops`）。
    }
diagnosis-missing-elsewhere = 响应时间{ $of } ms中有{ $ms } ms花在没有监控的系统中{ $any ->
        [no] {""}
       *[yes] ：{ $peers }
    }，因此无法证明那里没有瓶颈。请监控它们（`--watch`，或在其主机上运行agent），或单独对每一跳加压（`plimsoll hops`）。
diagnosis-missing-cause = 已知响应时间花在哪里，但不知道花在什么上：请求在各进程内等待{ $of } ms中的{ $ms } ms，主要在{ $process }。{ $look ->
        [threads] 没有看到其线程在做什么：让该主机上的监控有此权限（root，或同一用户加CAP_SYS_PTRACE），并带`--watch-allow-capture`运行。
       *[load] 其间它的线程既不运行，也不等待其他进程：要么它自己在停顿，要么它只让固定数量的请求同时工作。请用多档负载运行（`stages`或`plimsoll capacity`）：如果吞吐量不变而响应时间上升，就是后者。
    }

## 诊断结果：标题、含义、验证实验。

code-unseen = 未看到的代码
finding-in-process = { $title }（在 { $process } 中）
finding-generator-cpu = 压力机自身的CPU饱和
finding-generator-cpu-means = 压力机的线程不能及时收发：测得的时间有一部分是压力机自身的延迟。这次运行不能得出其他结论。
finding-generator-cpu-experiment = 给压力机更多CPU，或增加压力机后重测；吞吐量上升就说明瓶颈在压力机。
finding-generator-ports = 压力机的本地端口耗尽
finding-generator-ports-means = 每个短连接关闭后，本地端口还要占用60秒（TIME_WAIT）。端口耗尽后，连接在压力机上就失败了，根本没有到达被测系统。
finding-generator-ports-experiment = 使用长连接或扩大端口范围后重测；这些失败应当消失。
finding-generator-late = 压力机发送请求偏晚，或接收响应偏晚
finding-generator-late-means = 响应时间有相当一部分是压力机自身的延迟，而压力机的CPU还有余量。
finding-generator-late-experiment = 在空闲的压力机上重测，对比发送延迟。
finding-generator-descriptors = 压力机的文件描述符耗尽
finding-generator-descriptors-means = 每个连接都需要一个描述符，没有就无法建立连接。
finding-generator-descriptors-experiment = 提高打开文件数上限（`ulimit -n`）后重测。
finding-generator-memory = 压力机的内存耗尽
finding-generator-memory-means = 压力机达到了内存上限，数据不可信。
finding-generator-memory-experiment = 增加内存或减少用户数后重测。
finding-generator-starved = 压力机没有得到所需的CPU
finding-generator-starved-means = 压力机的线程已就绪，却要等待CPU：CPU被其他进程占用，或被自身的配额限制。
finding-generator-starved-experiment = 结束该进程、提高配额或更换压力机后重测。
finding-generator-stopped = 压力机曾被暂停
finding-generator-stopped-means = 它的线程既没有运行也没有等待CPU：进程被暂停、主机被挂起，或CPU被分给了其他虚拟机。其间到达的响应接收偏晚。
finding-generator-stopped-experiment = 重新运行；如果再次出现，检查虚拟机的steal时间，以及主机上是什么暂停了进程。
finding-generator-near-limit = 压力机已接近自身的上限：达到校准值的 { $percent } %
finding-generator-near-limit-means = 用同样多的加压线程，本机对几乎没有开销的页面也多不了多少（plimsoll calibrate）。如果加大负载后吞吐量不再上升，原因可能在压力机而不在被测系统。
finding-generator-near-limit-experiment = 用两台压力机或更多CPU对同一被测系统加压：如果吞吐量上升，瓶颈就在压力机。

finding-cold-start = 预热未完成就开始测量：吞吐量仍上升了{ $percent } %
finding-cold-start-means = 负载不变，{ $object } 却随着JIT编译越来越快：平均值不能代表稳定状态。
finding-cold-start-experiment = 延长预热时间后重测；测量时段的开头和结尾应当一致。

finding-warm-up = 运行开头的{ $seconds } s较慢：需要预热
finding-warm-up-means = 负载不变，响应先慢后稳，平均响应时间有{ $percent } %来自开头：缓存在填充、连接在建立、代码在加载或编译。平均值不能代表稳定状态。
finding-warm-up-experiment = 按建议的预热时间重测；测量时段的开头和结尾应当一致。

finding-cpu = { $by ->
        [quota] CPU配额限制了 { $object }：它最多只能用{ $limit }个CPU，而主机上还有空闲的CPU
       *[work] CPU瓶颈：{ $object } 用了{ $limit }个CPU中的{ $used }个
    }
finding-cpu-means = { $by ->
        [quota] 它所在的控制组（容器、systemd服务）每个周期内的CPU时间已用完；在下一个周期开始之前，它的所有请求都停着。
       *[work] CPU几乎一直在处理请求。增加线程或加大池只会让队列换个地方；减少每个请求的计算量或增加CPU才能提高上限。
    }
finding-cpu-experiment = 增加CPU后重测，吞吐量应按比例上升；或剖析证据中指出的代码。
finding-cpu-taken = 同一主机上的其他进程占用了CPU：{ $object } 只得到{ $used }个CPU，还需要更多
finding-cpu-taken-means = 主机的CPU已饱和，但不是被这个进程用掉的：它的线程已就绪，却有{ $percent } % 的响应时间在等CPU。
finding-cpu-taken-experiment = 停掉或移走主机上的其他程序后重测：吞吐量应当立即上升。
finding-host-cpu = 主机 { $host } 的CPU饱和
finding-host-cpu-means = 没有哪个进程到了自己的上限；它们合起来用完了主机的CPU。
finding-host-cpu-experiment = 把用得多的进程移到另一台主机（先移压力机）后重测：吞吐量应当上升。
finding-single-thread = { $how ->
        [turns] { $object } 只能用1个CPU：它的线程轮流执行
       *[threads] { $object } 只能用{ $cpus }个CPU：干活的线程只有{ $cpus }个
    }
finding-single-thread-means = 进程可以用{ $limit }个CPU，但是{ $how ->
        [turns] 解释器同一时刻只执行一个线程，而它几乎一直在忙
       *[threads] 一个线程同一时刻只能用一个CPU，而处理请求的线程几乎一直在忙
    }。用户再多也只是等得更久，其余的CPU闲着。
finding-single-thread-experiment = 再启动一个同样的进程，由两个分担负载：吞吐量应当接近翻倍。
finding-database-cpu = 数据库的CPU饱和：{ $object } 用了{ $limit }个CPU中的{ $used }个
finding-database-cpu-means = 数据库几乎一直在计算，前面的应用只能等待。
finding-database-cpu-experiment = 给数据库更多CPU，或去掉开销最大的语句，然后重测。
finding-proxy-cpu = 代理服务器的CPU饱和：{ $object } 用了{ $limit }个CPU中的{ $used }个
finding-proxy-cpu-means = 代理服务器自身几乎一直在计算：后面的系统得到的，不会多于它所转发的。
finding-proxy-cpu-experiment = 绕过代理服务器直接对后端加压：如果能承受更多，瓶颈就是代理服务器。
finding-cache-cpu = 缓存的CPU饱和：{ $object } 用了{ $limit }个CPU中的{ $used }个
finding-cache-cpu-means = 缓存用单线程执行命令，这个线程几乎一直在忙。
finding-cache-cpu-experiment = 减少每个请求的命令数或换成开销更小的命令，然后重测。

finding-hot-code = { $by ->
        [samples] { $percent } % 的CPU时间花在 { $library } 中
       *[dumps] { $percent } % 的工作线程在 { $library } 中计算
    }
finding-hot-code-means = CPU已饱和，大部分花在一个库上，由 { $own } 调用。重复做的工作，或者慢的库，可以省下来。
finding-hot-code-experiment = 在一个请求内保存结果，或换用更快的库，然后重测。

finding-known-work = { $what ->
        [scan] { $object } 在逐行读取整张表：占其CPU时间的{ $share } %
        [sort] { $object } 在排序：占其CPU时间的{ $share } %
        [planning] { $object } 在为语句生成执行计划：占其CPU时间的{ $share } %
        [json-parse] { $object } 在解析JSON：占其CPU时间的{ $share } %
        [json-write] { $object } 在生成JSON：占其CPU时间的{ $share } %
        [pattern] { $object } 在匹配正则表达式：占其CPU时间的{ $share } %
        [json] { $object } 在读写JSON：占其CPU时间的{ $share } %
        [xml] { $object } 在读写XML：占其CPU时间的{ $share } %
        [compression] { $object } 在压缩：占其CPU时间的{ $share } %
        [cryptography] { $object } 在加解密或计算哈希：占其CPU时间的{ $share } %
        [images] { $object } 在处理图片：占其CPU时间的{ $share } %
        [compiling] { $object }在编译代码：占其CPU时间的{ $share }%
        [copying] { $object } 在内部进程之间复制数据：占其CPU时间的{ $share } %
       *[collection] { $object } 在做垃圾回收：占其CPU时间的{ $share } %
    }
finding-known-work-means = 采样时它的线程在{ $function }中，做的就是这件事。{ $what ->
        [scan] 语句的条件没有可用的索引，每个请求都要检查每一行；表越大越慢。
        [sort] 语句要求的顺序没有索引，每个请求都要重新排序。
        [planning] 小语句每次执行都重新生成执行计划：要么数量很多，要么没有预编译。
        [json-parse] 如果内容很少变化，每个请求却都在重新解析。
        [json-write] 如果内容很少变化，每个请求却都在重新生成。
        [pattern] 反复回溯的表达式对某些文本要慢得多。
        [json] 如果内容很少变化，每个请求却都在重新读写同样的内容。
        [xml] 如果内容很少变化，每个请求却都在重新读写同样的内容。
        [compression] 每个响应都重新压缩；压缩级别越高，CPU时间大幅增加，体积却只小几个百分点。
        [cryptography] 握手、密码哈希、签名本来就要耗CPU；每个请求都重做而又没有必要的部分就是浪费。
        [images] 每个请求都重新生成尺寸和格式。
        [compiling] 程序只需编译一次即可反复使用；这里的语句、脚本或模板却在每个请求里重新编译。
        [copying] 在Erlang和Elixir中，消息、被调用进程的状态和ETS中的行都会整份复制，哪怕只用其中一点。
       *[collection] 请求创建了很多对象，或者堆里留给存活对象的空间太少。
    }
finding-known-work-experiment = { $what ->
        [scan] 用登录信息监测数据库（`--watch`），看是哪条语句；查看其执行计划（EXPLAIN），建索引后重测。
        [sort] 用登录信息监测数据库（`--watch`），看是哪条语句；为该顺序建索引后重测。
        [planning] 语句只预编译一次（或用更少的语句取同样的数据）后重测。
        [compiling] 关掉它，或保留编译结果（见建议），再测：每个请求的CPU时间应下降。
       *[other] 在允许的地方保留结果，或减小数据量后重测：每个请求的CPU时间应当下降。
    }

finding-lock = 锁让请求只能逐个通过：{ $object }
finding-lock-means = 同时有{ $waiting }个线程在等待进入 { $waits_in }。无论用户数和线程数多少，吞吐量都等于1除以持锁时间。
finding-lock-experiment = 把用户数加倍：吞吐量不变、响应时间加倍，就证实了锁。再把慢的部分移到锁外重测。
finding-deadlock = 死锁：线程互相等待，永远不会结束：{ $object }
finding-deadlock-means = 每个线程都持有另一个线程想要的锁。这些线程和它们的请求都不会结束。
finding-deadlock-experiment = 在所有地方按同一顺序加锁，然后重测。

finding-errors-with-event = 错误与{ $event }同时出现：{ $percent } % 的错误落在相同的秒内
finding-errors-with-event-means = 失败的请求并非均匀分布：多数落在该事件发生的那几秒，很难用巧合解释。
finding-errors-with-event-experiment = 有意让它再发生一次，或避免它发生，然后重测：错误必须随之出现和消失。

finding-log-level = 日志级别占用了{ $percent } % 的响应时间：{ $object } 在写调试日志
finding-log-level-means = 每个请求都写许多DEBUG或TRACE日志，格式化和写入比业务本身更耗时。
finding-log-level-experiment = 在运行期间把级别改为INFO（Spring Boot：/actuator/loggers），然后重测。
finding-log-appender = 日志占用了{ $percent } % 的响应时间：{ $how ->
        [waits] 线程在 { $object } 的appender前排队
       *[computes] 线程在写 { $object } 的日志
    }
finding-log-appender-means = { $how ->
        [waits] appender一次只让一个线程写，其余线程在等待。
       *[computes] 拼装并写出日志行，占用了处理请求的线程的CPU。
    }
finding-log-appender-experiment = 在运行期间把级别改为ERROR，或改为异步写，然后重测。

finding-connection-pool = 连接池 { $object } 相对于连接的占用时间太小
finding-connection-pool-means = 请求有{ $percent } % 的时间在等待连接{ $room ->
        [seen] ，而数据库还有余量
        [none] ，而数据库也很忙
       *[unknown] {""}
    }。
finding-connection-pool-experiment = 加大连接池（或更早归还连接）后重测：不应再有等待，吞吐量应当上升。
finding-outgoing-pool = { $object } 到被调用服务的连接太少
finding-outgoing-pool-means = 线程有{ $percent } % 的时间在等待HTTP客户端的空闲连接，而不是在等对方服务。
finding-outgoing-pool-experiment = 提高客户端每个路由的连接数，然后重测。

finding-new-connections = { $made } % 的请求新建了连接
finding-new-connections-means = 解析域名、建立连接和TLS握手占请求时间的{ $percent } %，还消耗服务器的CPU和端口。要么服务器在响应之后关闭了连接，要么测试计划让用户每次重新开始。
finding-new-connections-experiment = 两端都使用长连接后重测。
finding-rate-limit = 请求被限流：{ $object }
finding-rate-limit-means = { $held } % 的请求超过了允许的速率。测到的是这个限制，不是服务的容量。
finding-rate-limit-experiment = 测试时放宽或取消限流，或者像真实用户那样用多个地址或键来加压，然后重测。
finding-failed-requests = { $failed } % 的请求失败，状态码{ $object }
finding-failed-requests-means = 失败的响应往往比成功的响应开销小：把所有请求算在一起的吞吐量和响应时间说明不了服务的能力。
finding-failed-requests-experiment = 手工发一个这样的请求（plimsoll once、curl -i），查看服务的日志；成功之后再重测。
finding-semaphore = 信号量每次只放行{ $inside }个请求：{ $object }
finding-semaphore-means = 同时有{ $waiting }个线程在等许可。无论用户数和线程数多少，吞吐量都等于许可数除以持有许可的时间。
finding-semaphore-experiment = 把许可数加倍后重测：如果持有许可时做的事情还有余量，吞吐量应当翻倍。只把用户数加倍，则只有响应时间翻倍。
finding-full-queue = 请求在等一个已满的队列：{ $object }
finding-full-queue-means = 同时有{ $waiting }个线程在等着往一个已满的队列里放东西。用户再多，吞吐量也只是队列被取走的速度。
finding-full-queue-experiment = 加快从队列取走的速度（更多线程来取，或批量取）后重测：吞吐量应当上升。只把队列加长，不过是晚一点满。
finding-object-pool = 池已耗尽：{ $object }
finding-object-pool-means = 同时有{ $waiting }个线程在等着从空队列里取对象，另有{ $inside }个线程正在使用取到的对象。吞吐量等于池中对象数除以每个对象被占用的时间。
finding-object-pool-experiment = 把池的大小加倍后重测：如果用这些对象做的事情还有余量，吞吐量应当翻倍。只把用户数加倍，则只有响应时间翻倍。
finding-task-threads = 线程池{ $object }的{ $limit }个线程全忙，请求在等自己的任务
finding-task-threads-means = 请求把工作交给一个线程池并等待结果。池里的线程比等待的请求少，响应时间有{ $percent } % 花在任务排队上。
finding-task-threads-experiment = 增加这个池的线程数后重测：吞吐量应当上升，等待应当消失。
finding-worker-threads = { $object } 的{ $limit }个工作线程全忙，还有请求在排队
finding-worker-threads-means = 请求有{ $percent } % 的时间在等待空闲线程。{ $room ->
    [none] 线程被占满，是因为它们在等后面的东西，或在等CPU：应先解决那里。
   *[some] 线程所做的事情还有余量：它们在等别的东西，或者CPU还空闲。增加线程就能处理更多请求。
}
finding-worker-threads-experiment = { $room ->
    [none] 先解决线程所等待的问题再测：应当有线程空闲。
   *[some] 增加线程数后重测：吞吐量应当上升，排队应当消失。
}
finding-max-connections = { $object } 接受的{ $limit }个连接全被长连接的客户端占用
finding-max-connections-means = 长连接空闲时也占名额。超出上限的客户端能连上（内核完成握手），却得不到处理：表现为读取超时，而工作线程是空闲的。
finding-max-connections-experiment = 提高上限后重测：不应再有超时。
finding-accept-queue = { $how ->
        [host] 主机{ $host }上的一个等待队列溢出
       *[port] 端口 { $object } 的等待队列 (accept queue) 溢出
    }
finding-accept-queue-means = 客户端连接的速度超过服务器接受的速度：线程、连接和前面的队列都满了。其余的被内核丢弃，表现为连接超时或等待重试。
finding-accept-queue-experiment = 增加线程和队列长度后重测：溢出和连接超时应当消失。

finding-slow-dependency = 请求在等待另一个系统：{ $object }
finding-slow-dependency-means = 请求有{ $percent } % 的时间在 { $code } 中等待它的响应。
finding-slow-dependency-experiment = 单独对那个系统加压；或把它的响应缓存几秒，或用桩替换，然后重测。
finding-own-wait = 代码自己在等待：{ $object }
finding-own-wait-means = { $how ->
        [pause] 请求有{ $percent } % 的时间是代码自己的停顿。没有资源耗尽：用户越多吞吐量越高。
       *[wait] 请求有{ $percent } % 的时间是代码在等其他线程或进程做的事。再用更大的负载测一次，就知道用户更多时吞吐量是否更高。
    }
finding-own-wait-experiment = 把用户数加倍：响应时间不变，吞吐量应当加倍。
finding-new-threads = 每个请求新建{ $each }个线程：{ $object }
finding-new-threads-means = 新建一个线程要为栈分配内存、进入内核，并排队更新JVM的线程列表；线程池可以重复使用线程。
finding-new-threads-experiment = 把同样的任务放到线程池里重测：每个请求的CPU应当下降。
finding-concurrency-limit = { $place ->
        [hop] { $process }同时只有{ $number }个对{ $peer }的调用，{ $waiting }个请求在等待
        [threads] { $number ->
            [1] { $process }唯一的线程被占用，{ $waiting }个请求在等待它
           *[other] { $process }的{ $number }个线程全部被占用，{ $waiting }个请求在等待线程
        }
        [children] { $number ->
            [1] { $process }唯一的工作进程被占用，{ $waiting }个请求在等待它
           *[other] { $process }的{ $number }个工作进程全部被占用，{ $waiting }个请求在等待
        }
       *[inside] { $process }同时只让约{ $number }个请求工作，{ $waiting }个在等待
    }
finding-concurrency-limit-means = 无论来多少请求，同时处理的只有这么多，其余的在前面等待。它可能是连接池、线程池、工作进程数、信号量或限流器：不管叫什么，数量始终不变。
finding-concurrency-limit-experiment = { $held-up ->
        [lock-file] 去掉这个锁或缩短持锁时间，用同样的负载重测：吞吐量应当明显上升。
        [disk] 把这些文件放到更快的磁盘或内存（tmpfs）里，用同样的负载重测：吞吐量应当明显上升。
       *[none] 把数量加倍，用同样的负载重测：吞吐量明显上升，就是这个限制；否则瓶颈在它后面。
    }
finding-event-loop-blocked = { $how ->
        [asleep] { $object }在睡眠，而请求在等它
        [blocked] 一个阻塞调用挡住了{ $object }的事件循环
        [wanting] { $object }的事件循环一直就绪，大部分时间在等CPU
       *[running] { $object }的事件循环一直在运行
    }（{ $busy }%）
finding-event-loop-blocked-means = 一个线程一次只服务一个请求：它{ $how ->
        [asleep] 自行睡眠（在两次找活之间或在处理当中）
        [blocked] 停在等待的调用里{ $call ->
            [other] {""}
           *[named] （{ $call }）
        }
        [wanting] 等CPU
       *[running] 计算
    }的时候，它服务的其他一切都在等，CPU再空闲也没有用。
finding-event-loop-blocked-experiment = { $how ->
        [asleep] 缩短这段停顿，用同样的负载重测：响应时间应随之下降。或者
        [blocked] 用不阻塞的等待代替该调用，用同样的负载重测：其他请求应不再等待。或者
        [wanting] 给它专用的CPU后重测。或者
       *[running] {""}
    }用两倍的进程运行，然后重测：吞吐量应接近翻倍。
finding-retries = { $how ->
        [again] { $process }在{ $server }每次失败后都重试：一个请求要调用{ $each }次
       *[otherwise] { $process }对{ $server }的调用有{ $percent }%失败，并以其他方式补救
    }
finding-retries-means = 一次失败的调用要花掉它本身的时间和下一次之前的停顿，而每次重试都会加重已经失败的系统的负载。这些都不会显示为{ $process }的错误。
finding-retries-experiment = 让{ $server }成功（或用会成功的桩代替它再测一次）：每个请求的调用次数和响应时间应当下降。
finding-some-requests-slow = { $how ->
        [label] 部分请求很慢：{ $of }的请求
        [replica] 几个服务器中有一个很慢：{ $of }
        [peer] 部分请求很慢：它们在等待{ $of }
        [quota] 部分请求很慢：处理它们时CPU配额让{ $of }停住
       *[process] 部分请求很慢：它们停留在{ $of }
    }
finding-some-requests-slow-means = 少数请求比其他请求慢得多，合计约占全部响应时间的{ $percent }%。针对所有请求的改进，它们几乎感觉不到。
finding-some-requests-slow-experiment = 把慢的请求单独作为一种请求来测：如果一个用户时也一样慢，就是它做的事情本身慢；否则就是只有它使用的某个资源耗尽了。
finding-stood-still = { $object }停顿了 { $seconds } 秒{ $times ->
        [one] {""}
       *[other] （共 { $times } 次）
    }
finding-stood-still-means = 整秒整秒没有任何响应，而请求在等待；约{ $percent }%的响应时间就这样过去。平均值和百分位看不出来：停顿前后请求和平时一样快。
finding-stood-still-experiment = 再测一次，并在停顿时对被测系统采集，同时查看那时还有什么在运行：间隔固定的停顿来自被测系统自身（垃圾回收、检查点、日志轮转）；固定在某个时刻的停顿来自它所在的主机。
finding-blocked-io = { $how ->
        [sync] 请求要等磁盘保存好{ $object }写的内容
       *[file] 请求在{ $object }中等待磁盘
    }
finding-blocked-io-means = 响应时间的{ $percent }%里，线程因磁盘而停住。增加线程只会在磁盘前排队；减少读取或同步的次数、每次处理更多数据，或换更快的磁盘，才会变快。
finding-blocked-io-experiment = 把文件放到更快的磁盘或内存（tmpfs）上再测：如果响应时间下降同样的比例，瓶颈就是磁盘。
finding-connection-limit = { $object }不再接受连接：已达到它的上限{ $limit ->
        [unknown] {""}
       *[other] { $limit }
    }
finding-connection-limit-means = 还想建立连接的一方会被拒绝或等待。增大客户端的连接池没有用：上限在另一侧。
finding-connection-limit-experiment = 提高上限，或让客户端保留更少的连接，再测一次：不应再有拒绝。
finding-logged-errors = { $object }的日志指明了错误：{ $class ->
        [upstream_timed_out] 它后面的服务没有及时响应
        [upstream_refused] 它后面的服务拒绝连接
        [upstream_closed_early] 它后面的服务在响应之前关闭了连接
        [connection_reset] 它后面的服务重置了连接
        [no_route] 没有到它后面的服务的路由
        [resource_unavailable] 它后面的套接字不再接受连接
        [upstream_header_too_big] 响应头放不进它的缓冲区
        [body_too_large] 请求体超过它允许的大小
        [host_not_resolved] 它后面的服务的名称无法解析
        [disk_full] 设备上没有剩余空间
        [permission_denied] 没有权限
        [worker_died] 一个工作进程异常退出
        [out_of_memory] 内存不足
        [tls_handshake] TLS握手失败
        [file_not_found] 文件不存在
        [too_many_open_files] 没有可用的文件描述符
       *[other] { $name }
    }
finding-logged-errors-means = 失败的请求中有{ $percent }%对应这样一行日志。它指明的内容比客户端得到的状态码更接近原因。
finding-logged-errors-experiment = 修复日志指明的问题再测：日志行和失败应当一起消失。
finding-created-each-time = { $object }为每个请求重新创建{ $what }
finding-created-each-time-means = 响应时间的{ $percent }%用于创建本可以只创建一次并保留的东西。客户端、连接池、映射器和编译好的模式都应当共用。
finding-created-each-time-experiment = 在加压之前创建一次并复用，再测：创建它的时间应当消失。
finding-blocked-place = { $how ->
        [disk] 线程在等锁，而持有者在等待磁盘：{ $object }
        [call] 线程在等锁，而持有者在等待另一个系统：{ $object }
        [pause] 线程在等锁，而持有者在停顿：{ $object }
       *[other] 线程在同一处互相等待：{ $object }
    }
finding-blocked-place-means = 平均有{ $threads }个线程在那里等待（占请求的{ $percent }%），而{ $holders }个已经通过。不论有多少线程，同时只能通过这么多。
finding-blocked-place-experiment = 让已通过的线程更快，或允许更多线程通过，再测：吞吐量应按比例上升。
finding-calls-in-series = { $object }对每个请求依次调用{ $count }个系统：{ $names }
finding-calls-in-series-means = 一个请求{ $percent }%的时间是这些调用之和。那里没有什么耗尽：每个调用该多久就多久，请求依次等待所有调用。
finding-calls-in-series-experiment = 同时发出这些调用，或去掉其中一个，用同样的负载再测：响应时间应降到最长的那个调用，或减少被去掉的那个调用的时间。
finding-cache-loads = { $object }前面的缓存几乎总是没有所要的内容
finding-cache-loads-means = 正在工作的线程中有{ $percent }%在加载缓存或等待加载：几乎每个请求都未命中，都要付出加载的代价。
finding-cache-loads-experiment = 预热缓存、增大缓存或延长条目的有效期，再测：如果加载消失，原因就是未命中。
finding-polled-lock = { $process }的请求反复尝试获取{ $object }里{ $keys ->
    [one] 同一个键
   *[several] 一些键
}，而它正被别的请求占用
finding-polled-lock-means = 只有无人占用时才能写入的键被当作锁：平均每个请求有{ $count }次尝试落空，暂停后再试。响应时间的{ $percent }%就这样过去。两次尝试之间锁可能已经空闲，却没有人去取。
finding-polled-lock-experiment = 把两次尝试之间的暂停减半，或让一个键锁住的范围更小，再测：吞吐量应明显上升。
finding-held-row-locks = 事务在等待{ $object }的行，其中一个事务一直锁着它们{ $how ->
        [call] ，而它正在调用{ $peer }
        [client] ，而{ $process }在做别的事
       *[database] {""}
    }
finding-held-row-locks-means = 平均有{ $waiting }个写操作（占响应时间的{ $percent }%）在{ $server }里等待前面的事务结束。其间{ $server }几乎什么都不做：更多连接只会让队伍更长。
finding-held-row-locks-experiment = 在事务开始之前调用，或写完立即提交，再测：行被锁的时间缩短多少，吞吐量就应提高多少。
finding-queue-workers = { $how ->
        [relays] { $process }的请求在等待{ $object }，它的消息经{ $server }送达
       *[takes] 请求在队列中等待{ $object }，它同时只处理{ $takers }个
    }
finding-queue-workers-means = { $how ->
        [relays] 平均有{ $waiting }个请求（占响应时间的{ $percent }%）要等{ $object }做完自己的部分并经{ $server }告知。{ $process }只是在等，{ $server }只是转发。
       *[takes] 平均有{ $waiting }个请求（占响应时间的{ $percent }%）留在{ $server }的队列里，直到{ $object }取走。其间{ $server }自己不为它们做任何事，{ $process }只是在等结果。
    }
finding-queue-workers-experiment = 再运行一个{ $object }（或把其中取任务的数量加倍），用同样的负载再测：只要它们用到的资源承受得住，吞吐量应按比例上升。
finding-rate-limit-delay = { $object }以均匀的速度每秒放行{ $rate }个请求，其间几乎什么都不做：限速
finding-rate-limit-delay-means = 请求在按时钟等待轮到自己（同时{ $waiting }个，占响应时间的{ $percent }%），而不是等待谁在工作：后面的系统是空闲的。更多线程、CPU或连接都没有用。
finding-rate-limit-delay-experiment = 把限制加倍，用同样的负载再测：吞吐量应当加倍，否则会指出别的原因。用户减半时，速率不变，每个请求的等待减半。
finding-connection-leak = 连接池{ $object }的连接没有归还
finding-connection-leak-means = 有{ $used }个连接被借出，却没有任何在工作的线程可能持有它们：它们被取走后再也没有释放。增大连接池只能多撑一会儿。
finding-connection-leak-experiment = 在每条出口（包括抛出异常时）都释放连接，再测：负载结束后，使用中的连接数应当下降。
finding-waits-elsewhere = 响应时间的{ $percent }%用在{ $peer }里，而没有人监控它
finding-waits-elsewhere-means = { $process ->
        [none] 请求
       *[other] { $process }里的请求
    }在等待{ $peer }。它为什么慢取决于它自己，也只有在那里才看得到。
finding-waits-elsewhere-experiment = 监控它的主机（在那里运行Agent：`plimsoll agent`），或单独对它加压（`plimsoll hops`）：一个用户时同样慢，说明它本来就慢；否则是它里面有什么耗尽了。
finding-name-lookups = { $how ->
        [lost] { $process }每个请求都解析域名，而且部分查询没有响应：{ $server }
        [searched] { $process }每个请求都解析域名，其中很多域名不存在：{ $server }
        [shared] { $process }反复解析同样的域名，请求都在等：在{ $server }每秒查询{ $rate }次，每次{ $ms } ms
       *[slow] { $process }每个请求都解析域名：在{ $server }查询{ $each }次，每次{ $ms } ms
    }
finding-name-lookups-means = 请求在调用别人之前先要等域名服务器，占响应时间的{ $percent }%。域名几乎不变；缓存解析结果或使用长连接，就不必再查。
finding-name-lookups-experiment = 用地址代替域名（或写入/etc/hosts）后重测：响应时间应减少解析所用的时间。
finding-many-calls = { $process }的每个请求对{ $server }发出{ $count }{ $kind ->
        [sql] 条语句
        [redis] 条命令
        [http] 次HTTP调用
       *[other] 次调用
    }
finding-many-calls-means = 每次都很快，但每次都要一次往返和两端的CPU：合起来占响应时间的{ $percent }%。{ $process }和{ $server }用掉的CPU主要花在这里。
finding-many-calls-experiment = 用一次调用取出同样的内容（JOIN、一组键、批量）后重测：每个请求的调用次数和两端的CPU应下降，吞吐量应上升。
finding-call-connections = { $process }每个请求都新建{ $often ->
        [each] 一个
       *[other] { $each }个
    }到{ $server }的连接{ $how ->
        [tls] ，并做一次完整的TLS握手
        [resumed] ，并做一次TLS握手
       *[tcp] {""}
    }
finding-call-connections-means = { $often ->
        [each] 每个请求都要付一次建立连接的代价
       *[other] 建立连接的代价每个请求要付{ $each }次
    }：往返时间，{ $server }若为每个连接启动一个进程（PostgreSQL）还有该进程，使用密码时还有两端计算散列，使用TLS时还有两端的CPU，大部分在持有私钥的一端。它最多能解释响应时间的{ $percent }%。
finding-call-connections-experiment = 到{ $server }使用长连接后重测：每秒新建的连接数应接近零，{ $server }的CPU和响应时间也随之下降。
finding-cpu-stolen = 虚拟化层把{ $object }的CPU给了别的虚拟机：占它所需CPU时间的{ $stolen } %
finding-cpu-stolen-means = 这是一台虚拟机。机内有任务就绪时，却得不到CPU（steal）：物理CPU被其他虚拟机共享，或者这台实例的CPU积分已用完。改被测系统的任何设置都无济于事，而且各时段不同：这里测得的结果换个时间就不成立。
finding-cpu-stolen-experiment = 换到独享CPU的实例上，或换个时段重测：没有steal时，响应时间最多能降低这么多，或吞吐量最多能提高这么多。
finding-cpu-shared = { $object }需要CPU，而别的进程占着它：{ $first }（共有{ $number }个进程分享它的CPU）
finding-cpu-shared-means = 它的线程已就绪，却有{ $share }%的时间得不到CPU：它可以使用{ $cpus }个CPU，而别的进程也在上面运行。看起来像代码慢，其实是在等待。
finding-cpu-shared-experiment = 把别的进程移到其他CPU上（或停掉）后重测：响应时间应立即下降。
finding-many-commits = { $process }的每个请求在{ $object }上提交{ $count }次
finding-many-commits-means = 每次提交都要等它那部分预写日志写到磁盘：后端进程为此等待的时间占响应时间的{ $percent }%。
finding-many-commits-experiment = 把一个请求的语句放进一个事务后重测：每个请求的提交应降到一次，等待日志的时间也随之下降。
finding-child-processes = 请求启动的外部程序占用{ $used }个CPU：{ $object }
finding-child-processes-means = 服务器为请求启动另一个程序并等它结束。这些程序以及启动它们占用了CPU；线程再多，也只是同时启动得更多。
finding-child-processes-experiment = 把这个程序换成一个立即结束的程序后重测：吞吐量上升就得到证实。
finding-idle-replicas = { $object }的{ $all }个服务器中有{ $idle }个没有收到任何请求，而另外的已到上限
finding-idle-replicas-means = 代理把所有请求都发给了其余的服务器。同样的工作分摊到全部{ $all }个，响应时间最多可减少{ $percent }%。
finding-idle-replicas-experiment = 改为轮询后重测：每个服务器都应分到自己的一份。
finding-requests-without-response = { $unanswered } % 的请求没有得到响应：{ $object }
finding-requests-without-response-means = 连接未被接受，或接受后没有任何响应；监控到的内容都没有耗尽，无法说明原因。
finding-requests-without-response-experiment = 加压期间和结束后各手工发一个请求：都没有响应，说明服务器已经卡死，它的日志会说明从何时开始。
finding-split-responses = 每个响应分两段到达，相隔{ $ms } ms
finding-split-responses-means = 响应时间有{ $percent } % 不是在做事：服务器要等第一段被确认才发送其余部分（Nagle算法），而客户端按TCP的规定延迟确认。真实的客户端也要等这么久。
finding-split-responses-experiment = 把响应头和响应体一次写出，或不延迟地发送（TCP_NODELAY）后重测：接收时间应当接近0。
finding-network-delay = { $what ->
    [lost] { $client }与{ $server }之间丢包重传：平均每个请求{ $ms } ms
   *[late] { $client }与{ $server }之间的网络往返时间为{ $ms } ms
  }
finding-network-delay-means = 响应时间的{ $percent } %耗在两个进程之间的网络上：这段时间里两边都没有在处理该请求。改任何一方的参数都不能缩短它。
finding-network-delay-experiment = { $what ->
    [lost] 消除丢包，或在服务端所在的机器上直接请求它，再测一次：响应时间应当减少这段时间。
   *[late] 把两者部署在一起，或在服务端所在的机器上直接请求它，再测一次：响应时间应当减少这段时间。
  }
finding-held-pieces = { $sender } { $what ->
        [requests] 把发给{ $receiver }的请求
       *[responses] 把发给{ $receiver }的响应
    }分成几段发送，各段相隔{ $ms } ms
finding-held-pieces-means = 响应时间（含排队等待）有{ $percent } % 不是在做事：发送方要等前一段被确认才发下一段（Nagle算法），而对方在等剩下的部分，推迟了确认。两个进程这时都闲着。
finding-held-pieces-experiment = 把每条消息一次写出，或不延迟地发送（TCP_NODELAY）后重测：响应时间应当减少这段等待。

finding-full-scan = 有语句反复全表扫描 { $object }
finding-full-scan-means = 每次执行要检查{ $examined }行，没有能满足条件的索引。请求有{ $percent } % 的时间花在这里。
finding-full-scan-experiment = 查看执行计划（EXPLAIN）；建索引或改写条件后重测：检查的行数应下降，吞吐量应上升。
finding-many-queries = 每个请求对 { $object } 执行{ $count }次同样的语句
finding-many-queries-means = 每条都不慢，但每条都要一次往返和两端的处理：占请求时间的{ $percent } %。
finding-many-queries-experiment = 用一条语句取出这些行（IN、JOIN、批量）后重测：每个请求的语句数应下降，吞吐量应上升。
finding-row-locks = 事务在等 { $object } 中被别人锁住的行
finding-row-locks-means = 请求有{ $percent } % 的时间在等行锁。更多用户或连接也只会在那里等待。
finding-row-locks-experiment = 更早提交，或把写入分散到更多行，然后重测：行锁等待应下降。
finding-table-locks = 语句在等整张表 { $object }
finding-table-locks-means = 一条修改或锁定该表的语句在等还在使用它的事务，之后的语句都排在它后面：占请求时间的{ $percent } %。
finding-table-locks-experiment = 结束那个事务或修改（KILL其连接）后重测：等待应当立即消失。
finding-slow-statement = 对 { $object } 的一条语句要{ $ms } ms
finding-slow-statement-means = 请求有{ $percent } % 的时间花在它上面，而数据库的CPU还有余量。
finding-slow-statement-experiment = 用EXPLAIN ANALYZE单独执行这条语句；修改它或缓存结果，然后重测。
finding-slow-database = 请求在等数据库：{ $object }
finding-slow-database-means = 请求有{ $percent } % 的时间在等它的响应。为什么慢，没有监控到。
finding-slow-database-experiment = 同时监控数据库并给出用户（`--watch mysql=…` 或 `--watch postgresql=…`），然后重测；或用桩代替它作对比。

finding-many-round-trips = 每个请求调用{ $count }次{ $object }
finding-many-round-trips-means = 每次都不慢，但每次都要等一个到缓存的往返：占请求时间的{ $percent } %。
finding-many-round-trips-experiment = 一次取出所有键后重测：每个请求的调用数应下降，吞吐量应上升。
finding-slow-command = 命令{ $object }占住缓存：每次{ $ms } ms
finding-slow-command-means = 缓存逐条执行命令：它执行时其他命令都要等待。
finding-slow-command-experiment = 换一个命令，或减小它处理的数据，然后重测。
finding-cache-misses = { $object } 的查找大多落空
finding-cache-misses-means = 未命中要付出一次往返，然后还要访问本想省掉的数据源。
finding-cache-misses-experiment = 先预热缓存，或延长键的有效期，再对比未命中率。
finding-cache-refuses = { $object } 不接受{ $process }写入的内容：{ $why ->
        [too_large] 条目太大
        [out_of_memory] 内存已满
        [read_only] 不接受写入
       *[other] 返回错误
    }
finding-cache-refuses-means = 每个请求被拒绝的条目数：{ $count }。缓存里没有的内容查找落空、重新生成、再次被拒绝：缓存多花一次往返，却什么也没省下。响应时间中最多有{ $percent }%花在它本该省下的工作上。
finding-cache-refuses-experiment = 让这样一个条目能写进去（拆分、压缩，或提高上限）后重测：查找必须命中。
finding-cache-loses = { $process }写入{ $object }的内容，再次查找时已经没有了
finding-cache-loses-means = 每个请求这样丢失的条目数：{ $count }。刚写入的内容很快又查找落空、重新生成：缓存多花两次往返，却什么也没省下。响应时间中最多有{ $percent }%花在它本该省下的工作上。
finding-cache-loses-experiment = 手工用相同的过期时间写入这样一个条目，一秒后查找：应当还在。然后重测：查找必须命中。
finding-cache-evictions = { $object } 内存已满，正在淘汰键
finding-cache-evictions-means = 被淘汰的键之后会未命中。
finding-cache-evictions-experiment = 加大内存后对比未命中率。

finding-network-full = 网络链路 { $object } 已满
finding-network-full-means = 流量达到链路容量的{ $percent } %：响应大小乘以每秒响应数等于链路速率。
finding-network-full-experiment = 减小响应（压缩）后重测：吞吐量应按相同倍数上升。
finding-packet-loss = { $object } 上的TCP在重传
finding-packet-loss-means = 数据包丢失或迟到；每次丢失都使请求等待定时器或重传。
finding-packet-loss-experiment = 减小负载后重测：如果重传消失，说明链路或队列过载。
finding-upstream-short-connections = { $object } 为每个请求新建到上游的连接
finding-upstream-short-connections-means = 每个连接都消耗两端的CPU，并留下60秒的TIME_WAIT；本地端口耗尽后请求失败。约可解释{ $percent } %。
finding-upstream-short-connections-experiment = 到上游使用长连接后重测：每秒新建的连接数应接近零。
finding-close-wait = { $object } 不关闭客户端已结束的连接：{ $count }个处于CLOSE_WAIT
finding-close-wait-means = 每个连接永远占用一个文件描述符。用完之后不能再接受连接。
finding-close-wait-experiment = 读取结束时关闭socket，然后重测，看CLOSE_WAIT是否保持在零附近。

finding-proxy-settings = { $object } 的设置消耗了它相当一部分CPU
finding-proxy-settings-means = 代理服务器的CPU已饱和，按经验这些设置约占其中的{ $percent } %。
finding-proxy-settings-experiment = 每次只改一项设置，然后重测。
finding-proxy-connections = { $object } 已没有连接可供更多客户端使用
finding-proxy-connections-means = 一个经代理转发的请求占用worker进程的两个连接。超出上限的客户端被断开。
finding-proxy-connections-experiment = 提高上限后重测：错误日志里不应再有这条消息。

finding-session-leak = { $percent_left } % 的请求留下一个会话：现有{ $count }个
finding-session-leak-means = 会话要到超时才消失，堆被它们占满：{ $object }。GC越来越久，却回收不了什么。
finding-session-leak-experiment = 这类请求不创建会话（或一分钟后过期），再测更长时间：会话数和GC后的堆应保持平稳。
finding-heap-full = 堆已满：{ $object }
finding-heap-full-means = { $how ->
        [exhausted] 每次GC之后仍是满的：需要内存的线程得不到内存，因OutOfMemoryError而结束，请求没有响应。
       *[pauses] 每次GC之后仍是满的，因此{ $paused } % 的时间花在停顿上。
    }
finding-heap-full-experiment = 把堆加倍后重测：如果又满了，就是泄漏，请对比类直方图；如果保持平稳，就是堆太小。
finding-gc-pauses = { $object } 有{ $paused } % 的时间因GC而停顿
finding-gc-pauses-means = { $left ->
        [little] GC之后堆只占用很少：不是泄漏，而是内存分配得太快。
        [much] GC之后堆仍占用很多，因此GC频繁而且代价高。
       *[unknown] 内存分配得太快，GC来不及低成本地回收。
    }
finding-gc-pauses-experiment = 把堆加倍或换一个收集器后重测，对比停顿所占的比例。
finding-explicit-gc = 程序自己要求GC：{ $object }
finding-explicit-gc-means = 堆里还有空间，却有{ $paused } % 的时间因为代码调用System.gc()而全部停顿。
finding-explicit-gc-experiment = 用-XX:+DisableExplicitGC启动JVM，或去掉这个调用后重测：停顿应当消失。
finding-swapping = { $object } 正在交换内存
finding-swapping-means = 内存已耗尽；请求等待时页面在磁盘上换入换出。
finding-swapping-experiment = 减小进程内存或增加主机内存后重测：不应再有交换。
finding-oom-kill = 内核因内存不足结束了进程：{ $object }
finding-oom-kill-means = 其中的请求失败了，直到它重新启动之前的请求也失败了。
finding-oom-kill-experiment = 提高内存上限或减小堆，然后重测。
finding-memory-throttled = { $object }的控制组达到{ $setting }，被内核限速
finding-memory-throttled-means = 在那里申请内存要先回收内存：有{ $percent } % 的时间，组里有任务因内存而停顿。
finding-memory-throttled-experiment = 把{ $setting }提高一半后重测：因内存而停顿的时间应当消失。
finding-conntrack-full = { $object }的防火墙无法再跟踪更多连接
finding-conntrack-full-means = 新连接的数据包被悄悄丢弃；客户端1秒后重发，然后2秒、4秒。
finding-conntrack-full-experiment = 提高上限后重测：被丢弃的数据包和缓慢或失败的连接应当消失。
finding-tasks-limit = { $object }不能再创建进程和线程
finding-tasks-limit-means = 它的控制组已达到允许的数量；需要新进程或线程的操作会失败。
finding-tasks-limit-experiment = 提高上限后重测：不应再有被拒绝的创建。
finding-listen-queue = 端口{ $object }上一直有连接等待{ $process }接受
finding-listen-queue-means = { $percent } % 的在途请求停在内核的队列里：{ $process }同时处理的请求已达到它的上限，接受新连接的速度跟不上到达的速度。
finding-listen-queue-experiment = 给{ $process }更多工作进程或线程，或把用户数减半：队列应当变空。
finding-connections-sent-again = 连接的第一个数据包丢失后重发：{ $object }
finding-connections-sent-again-means = 每次重发会让请求多花1秒甚至更久，平均每个请求{ $ms } ms，而且没有任何错误。
finding-connections-sent-again-experiment = 使用长连接，或加长队列，然后重测：不应再有重发。

finding-growing-file = 每个请求都读取一个随请求不断增长的文件：{ $object }
finding-growing-file-means = 读取它占请求时间的{ $percent } %，并且逐秒增加。
finding-growing-file-experiment = 运行期间把文件移走：吞吐量应立即回到最初的水平。
finding-disk-busy = 磁盘 { $object } 几乎一直在忙
finding-disk-busy-means = 请求有{ $percent } % 的时间在等文件。
finding-disk-busy-experiment = 把日志或数据移到另一块磁盘，或减少写入，然后重测。
finding-disk-full = 文件系统 { $object } 已满
finding-disk-full-means = 写入即将失败，或者已经失败。
finding-disk-full-experiment = 腾出空间后重测。

finding-descriptors-left-open = { $object }为请求打开文件描述符而不关闭
finding-descriptors-left-open-means = 每个请求留下{ $each }个未关闭的描述符，负载不变时仍在增加。到达上限后，什么都打不开，也不能再接受连接；提高上限只是晚一点到达。
finding-descriptors-left-open-experiment = 在打开的地方关闭它们，再测一次：负载不变时数目应保持不变。
finding-file-descriptors = { $object } 的文件描述符已耗尽
finding-file-descriptors-means = 每个连接和文件都需要一个；打不开的就会失败。
finding-file-descriptors-experiment = 提高上限后重测；如果又用完，说明有东西打开后没有关闭。

finding-hop-latency = 增加时间最多的一跳：{ $object }，{ $ms } ms
finding-hop-latency-means = { $alone ->
        [1] 单独加压时它就增加了运行时响应时间的{ $percent } %：即使无人排队，时间也花在那里。
       *[0] 响应时间的{ $percent } % 在这里增加，而不在它之前或之后，并且它的CPU已饱和。
    }
finding-hop-latency-experiment = { $alone ->
        [1] 单独加压这一跳，同时监控它（线程转储、剖析、其数据库的语句）：应能看到这{ $ms } ms花在哪里。
       *[0] 从最后一跳到第一跳逐个单独加压（plimsoll hops）：响应时间的台阶或吞吐量的下降应出现在这一跳。
    }

## 证据。

exhibit-no-local-port = { $count }个请求失败，因为压力机没有空闲的本地端口（EADDRNOTAVAIL）。
exhibit-generator-cpu = { $percent } % 的秒数里有加压线程的CPU使用超过{ $limit }，最高{ $worst }。
exhibit-generator-ceiling = 实际发送 { $rate } 请求/秒；按 { $date } 的校准，这些加压线程最多能发送 { $most }（每个请求消耗 { $micros } µs 的CPU）。
exhibit-generator-lateness = { $percent } % 的秒数里发送延迟的p99超过{ $limit } ms，最高{ $worst } ms。
exhibit-generator-receive_lag = { $percent } % 的秒数里接收响应平均晚于{ $limit } ms，最高{ $worst } ms。
exhibit-generator-ports = { $percent } % 的秒数里没有空闲的本地端口。
exhibit-generator-fds = { $percent } % 的秒数里没有空闲的文件描述符。
exhibit-generator-memory = { $percent } % 的秒数里用了内存上限的{ $worst }。
exhibit-generator-starved = { $percent } % 的秒数里加压线程等待CPU的时间超过{ $limit }{ $competitor ->
        [none] {""}
       *[other] ；主要被 { $competitor } 占用
    }。
exhibit-generator-stopped = { $percent } % 的秒数里进程被暂停超过{ $limit } ms，最长{ $worst } ms。
exhibit-generator-touched = 响应时间的{ $figure }：实测值{ $measured } ms，修正值（不含压力机自身的延迟）{ $corrected } ms。
exhibit-rising = 负载不变时的吞吐量：前三分之一{ $early }/s，后三分之一{ $late }/s。
exhibit-beginning = 最初{ $seconds } s平均响应时间为{ $early } ms，之后为{ $late } ms；平均值因此偏长{ $percent } %。
exhibit-beginning-compiles = 当时{ $process }的CPU有{ $percent } %用于JIT编译。
exhibit-beginning-fills = { $how ->
        [misses] 当时{ $name }每秒有{ $early }次未命中，之后{ $late }次：缓存正在填充。
       *[reads] 当时{ $name }从磁盘读取{ $early } MB/s，之后{ $late } MB/s：读过的内容留在了内存里。
    }
exhibit-nobody-fails = 这段时间没有请求失败，因此{ $name }没有造成影响。
exhibit-threads-of-others = 那里平均有{ $threads }个线程在工作，而负载只有{ $requests }个在途请求：它们在为别的来源服务。
exhibit-compiling = 前三分之一的CPU有{ $percent } % 用于JIT编译。
exhibit-cpu-used = 用了{ $limit }个CPU中的{ $used }个（{ $percent } %）。
exhibit-throttled = 有{ $percent } % 的周期被配额暂停。
exhibit-quota-stops = 配额在{ $percent } %的周期里让它停住最多{ $ms } ms：约{ $requests } %的请求会遇到。
exhibit-cpu-waits = 平均同时有{ $seconds }个线程在等待CPU。
exhibit-demand = 服务需求 D = U / X = 每个请求{ $ms } ms CPU：根据利用率定律，最多能处理{ $bound }/s。
exhibit-hot = { $by ->
        [samples] 请求的CPU时间有 { $percent } % 花在 { $name } 中。
       *[dumps] { $percent } % 的工作线程在 { $name } 中。
    }
exhibit-library = { $by ->
        [samples] 请求的CPU时间有 { $percent } % 花在 { $name } 中，由 { $own } 调用。
       *[dumps] { $percent } % 的工作线程在 { $name } 中计算，由 { $own } 调用。
    }
exhibit-lock-waiters = 平均有{ $count }个线程（占工作线程的{ $percent } %）在 { $code } 中等待 { $lock }。
exhibit-lock-owner = 持锁的线程在 { $code } 中。
exhibit-deadlock = 互相等待：{ $threads }。
exhibit-logging = { $percent } % 的工作线程在日志框架中，{ $waiting } % 在等它的锁；由 { $code } 调用。
exhibit-logging-computes = 正在计算的线程有 { $percent } % 在日志框架中，而 { $name } 的CPU已饱和；由 { $code } 调用。
exhibit-log-events = 每个请求的日志条数：DEBUG和TRACE { $debug }，其他{ $others }。
exhibit-pool = { $limit }个连接中有{ $used }个被借出，{ $pending }个请求在等待：占在途请求的{ $percent } %。
exhibit-pool-times = 连接平均借出{ $use } ms，等待{ $wait } ms才得到。
exhibit-pool-waiters = 平均有{ $count }个线程（占工作线程的{ $percent } %）在 { $code } 中等待连接。
exhibit-held-over-call = 拿到连接的线程大多在等别的东西：{ $code }。
exhibit-full-below = { $name } 的CPU已饱和：前面再多也只会在那里等待。
exhibit-workers = 平均{ $limit }个线程中有{ $busy }个在忙，在途请求{ $in_flight }个：请求有{ $percent } % 的时间在等线程。
exhibit-limited-below = { $name } 上的进程也在监控之中，它自己已到上限：见关于它的诊断结果。
exhibit-workers-wait = 但{ $percent } % 的线程自己在等锁、连接或任务：更多线程也会在那里等待。
exhibit-cpu-taken = 主机的CPU用了{ $percent } %：被监控的进程用了{ $watched }个，其他进程用了{ $others }个。
exhibit-new-connections = { $made } % 的请求建立了连接；平均到每个请求：解析域名{ $dns } ms，建立连接{ $connect } ms，TLS { $tls } ms。
exhibit-cpu-of = { $name } 用了{ $used }个CPU。
exhibit-cpu-of-unwatched = 没有被监控的 { $name } 用了它可用CPU中的{ $used }个。
exhibit-limiting = nginx的错误日志里有{ $count }个请求被限制。
exhibit-limit-zones = 设置为：{ $zones }。
exhibit-responses = { $percent } % 的请求得到状态码为{ $code }的响应。
exhibit-semaphore-waiters = 平均有{ $count }个线程（占工作线程的{ $percent } %）在 { $code } 中等许可。
exhibit-semaphore-inside = 平均有{ $count }个线程持有许可，在 { $code } 中。
exhibit-full-queue = 平均有{ $count }个线程（占工作线程的{ $percent } %）在 { $code } 中等队列的空位。
exhibit-queue-emptier = 可能是从队列取东西的线程：{ $thread }，在 { $code } 中。
exhibit-object-pool = 平均有{ $count }个线程（占工作线程的{ $percent } %）在 { $code } 中等着从队列里取对象。
exhibit-object-pool-inside = 平均有{ $count }个线程已取到，在 { $code } 中。
exhibit-without-response = { $percent } % 的请求以 { $kind } 结束。
exhibit-not-reached = { $name } 有{ $busy }个线程在处理请求，而在途请求有{ $in_flight }个：其余的没有到达任何线程。
exhibit-split-responses = 响应的其余部分在首字节之后{ $ms } ms才到，占{ $percent } % 的时间；每秒有{ $rate }个延迟的确认。
exhibit-network-delay = 在两端看到的数据包：从{ $client }到{ $server }平均{ $there } ms，返回平均{ $back } ms，一半请求的往返不超过{ $median } ms；平均每个请求重传{ $again }个包。占响应时间的{ $percent } %。
exhibit-network-longer = 两台主机都有抓包：同样的调用，{ $client } 看到的耗时比 { $server } 看到的平均多{ $ms } ms，一半调用多出不超过{ $median } ms；平均每个请求重传{ $again }个包。占响应时间的{ $percent } %。
exhibit-held-pieces = { $sender } 每秒有{ $rate }段数据要等{ $receiver }确认前一段才发出，每次{ $ms } ms（每秒{ $calls }次调用）：占响应时间的{ $percent } %。
exhibit-explicit-gc = 平均有{ $count }个线程在 { $code } 中要求GC。
exhibit-new-threads = 每秒新建{ $rate }个线程，每个请求{ $each }个。
exhibit-starts-threads = { $percent } % 的工作线程正在新建线程。
exhibit-child-processes = 它启动并已结束的程序用了{ $used }个CPU，进程自己用了{ $own }个，可用{ $limit }个。
exhibit-child-started = 一个启动外部程序或等它结束的线程，在 { $code } 中。
exhibit-single-thread = { $how ->
        [turns] 所有线程一共用{ $used }个CPU，没有一个线程占满一个CPU；进程可以用{ $limit }个。
       *[threads] { $cpus ->
            [one] 线程 { $thread } 能用1个CPU，用了{ $used }；进程可以用{ $limit }个。
           *[other] { $cpus }个线程（如 { $thread }）一共用{ $used }个CPU；进程可以用{ $limit }个。
        }
    }
exhibit-tasks = 同时有{ $waiting }个线程（占工作线程的{ $percent } %）在 { $code } 中等任务；{ $pool } 的{ $threads }个线程全都在执行任务。
exhibit-tasks-in-work = 任务在 { $code } 中。
exhibit-connections = { $limit }个连接中打开了{ $open }个，其中{ $kept }个处于两次请求之间。
exhibit-overflows = { $count }个连接遇到等待队列 (accept queue) 已满。
exhibit-listen-queue = 端口{ $port }的队列里有{ $length }个连接，上限{ $limit }。
exhibit-dependency = { $percent } % 的工作线程在 { $code } 中等待响应。
exhibit-call-time = 调用 { $address } 平均用{ $ms } ms。
exhibit-all-connections = { $process } 与 { $peer } 保持{ $number }个连接，正好与同时工作的一样多，也不再新建：这就是它的连接池。
exhibit-own-wait = { $percent } % 的工作线程在 { $code } 中停顿或等待。
exhibit-name-lookups = { $process } 平均有{ $threads }个线程在 { $call } 中等待域名服务器。
exhibit-own-pause = 响应时间{ $of } ms中有{ $ms } ms，请求停留在 { $process } 里，而它没有线程在为这些请求工作或等待其他进程。{ $apart }这不是排队，而是停顿（定时器、重试前的等待、轮询或限速）。
exhibit-own-sleep = 响应时间{ $of } ms中有{ $ms } ms，{ $process } 的线程在休眠，或在等定时器、管道或子进程。
exhibit-calls-each = 它的每个请求调用 { $server } { $each }次。
exhibit-statement = 每秒{ $rate }次，每次{ $ms } ms，同时{ $running }个在执行；{ $known ->
        [rows] 每次检查{ $examined }行，返回{ $sent }行；{ $no_index } % 未用索引。
       *[times] 每次返回{ $sent }行。
    }
exhibit-plan = 它的执行计划（EXPLAIN）。
exhibit-running = 采样时它正在执行。
exhibit-database-code = { $percent } % 的工作线程在调用数据库，大多在 { $code }。
exhibit-database-waits = { $percent } % 的工作线程在 { $code } 中等待数据库的响应。
exhibit-rows-scanned = 每秒扫描读取{ $rows }行，每次扫描{ $per_scan }行。
exhibit-queries-per-request = 每个请求{ $count }条语句。
exhibit-row-locks = 同时有{ $waiting }个事务在等行锁；每秒等待{ $waits }次，每次{ $ms } ms。
exhibit-table-locks = 同时有{ $waiting }个连接在等表锁。
exhibit-table-waits = 采样时它们正在等待。
exhibit-lock-waits = InnoDB状态中的一次等待。
exhibit-lock-titles = 按后端进程自己的标题，平均有{ $waiting }个后端在等锁（{ $all }）。
exhibit-lock-holder = 持有锁的语句（有{ $number }个在等它）：{ $text }
exhibit-commands-per-request = { $command }：每个请求{ $count }次，每秒{ $rate }次。
exhibit-cache-code = { $percent } % 的工作线程在调用缓存，大多在 { $code }。
exhibit-slow-command = { $command } 每次{ $ms } ms，执行所有命令的线程有{ $percent } % 的时间被它占用。
exhibit-cache-misses = { $percent } % 的查找落空：每秒{ $rate }次。
exhibit-polled-lock = { $process }每秒处理{ $requests }个请求，每秒尝试获取键{ $tries }次；其中{ $refused }次落空，{ $keys ->
    [one] 都是同一个键
   *[other] 涉及{ $keys }个键
}。
exhibit-polled-wait = 请求在{ $process }内部等待{ $ms }毫秒（共{ $of }毫秒），其间它没有线程在运行，也没有线程在等待别的系统：都在两次尝试之间。
exhibit-cache-refuses = { $process }每秒处理{ $requests }个请求；每秒有{ $missed }个键查找落空，写入成功{ $taken }个条目，被拒绝{ $refused }个。
exhibit-cache-loses = 每秒有{ $lost }个刚写入的键再次查找时已不存在，其中一半在{ $ms } ms之内；查找落空共{ $missed }个，命中{ $found }个。
exhibit-ended-backends = { $server }为连接启动、又随连接结束的进程使用了{ $used }个CPU：占已用CPU的{ $percent }%。
exhibit-cache-evictions = 每秒淘汰{ $rate }个键。
exhibit-link = { $limit } MB/s中用了{ $rate } MB/s（{ $percent } %）。
exhibit-link-limit = 上限来自链路或流量整形器本身。
exhibit-fuller-cpu = { $name } 的CPU更接近饱和：{ $percent } %。
exhibit-link-drops = { $overlimits }个包遇到上限，{ $dropped }个被丢弃。
exhibit-response-size = 一个响应有{ $bytes }字节：仅按大小，链路最多每秒{ $bound }个。
exhibit-retransmits = 每秒重传{ $rate }个段：{ $percent } %。
exhibit-upstream-opens = 每秒{ $rate }个请求，每个请求新建{ $opens }个连接。
exhibit-upstream-no-port = { $count }次到上游的连接失败：没有空闲的本地端口。
exhibit-time-wait = { $count }个socket处于TIME_WAIT。
exhibit-ports = 到同一上游占用了{ $limit }个本地端口中的{ $used }个（{ $percent } %）。
exhibit-close-wait = 处于CLOSE_WAIT的连接：开始{ $first }个，结束{ $last }个。
exhibit-descriptors = { $limit }个文件描述符中打开了{ $open }个。
exhibit-proxy-cpu = { $limit }个CPU中用了{ $used }个：每个请求{ $micros } µs。
exhibit-access-log = 每个请求都立即写入访问日志：{ $value }。
exhibit-workers-cpus = { $workers }个worker进程共用{ $cpus }个CPU。
exhibit-kept = 每个worker进程保持{ $kept }个连接，而同时需要{ $at_once }个。
exhibit-worker-connections = 错误日志出现{ $count }次：worker_connections are not enough。
exhibit-sessions = 增加了{ $grew }个会话（每个请求{ $per_request }个）{ $ended ->
        [none] ，没有结束的
        [few] ，结束的很少
       *[unknown] {""}
    }；现有{ $now }个。
exhibit-gc-pauses = { $percent } % 的时间在GC停顿；每分钟{ $full }次Full GC。
exhibit-after-gc = GC之后堆的老年代仍占用{ $percent } %。
exhibit-class-growth = { $class }：结束时比开始时多{ $objects }个对象，{ $megabytes } MB（不含其引用的对象）。
exhibit-class-holder = { $kind ->
        [arrays] 数组几乎没有增多，而是变大了：它们保存在不断增长的数组（列表、队列）中。
       *[nodes] { $holder }随之增加了同样多（{ $objects }个）：每个对象由其中一个持有。
    }
exhibit-falling = 最后四分之一时间处理的比最好时少{ $percent } %。
exhibit-swapping = 每秒交换{ $rate }页{ $known ->
        [yes] ；{ $percent } % 的时间有任务在等内存
       *[no] {""}
    }。
exhibit-oom-kill = { $count }个进程因内存不足被内核结束。
exhibit-read-grows = 一个请求在前三分之一时间读{ $early } kB，后三分之一读{ $late } kB。
exhibit-file-readers = { $percent } % 的工作线程在 { $code } 中读文件。
exhibit-disk = { $percent } % 的时间在忙；每秒{ $rate }次操作，每次{ $ms } ms（含等待）。
exhibit-memory-throttled = { $setting }为{ $limit } MB，控制组已用{ $used } MB，共触及{ $count }次。
exhibit-memory-stalled = 有{ $percent } % 的时间，组里有任务因内存而停顿。
exhibit-conntrack = 上限{ $limit }个连接中已跟踪{ $count }个；新连接的{ $lost }个数据包被丢弃。
exhibit-tasks-limit = { $count }次创建进程或线程被拒绝；该组最多允许{ $limit }个。
exhibit-listen-queue-stands = 端口{ $port }平均有{ $length }个连接在等待，占在途请求的{ $share } %；{ $percent } % 的秒数里有连接在等待。
exhibit-listen-drops = 端口{ $port }的队列丢弃了新连接的{ $count }个数据包。
exhibit-syns-again = 连接的第一个数据包重发了{ $count }次；负载建立连接共用了{ $seconds } s。
exhibit-no-inodes = { $mount } 有{ $used }个文件，还能再建{ $free }个。
exhibit-disk-full-written = { $name }往里面写数据。
exhibit-disk-full-paused = 响应时间的{ $percent }%是{ $name }中的停顿：写不进去就会等待并重试。
exhibit-disk-full = { $mount } 已用{ $percent } %，剩余{ $free } GB。
exhibit-hop = { $hop }：每个请求{ $total } ms，其中自身{ $own } ms（{ $percent } %）；每个请求调用{ $calls }次。
exhibit-hop-alone = { $hop }，由{ $users }个用户单独加压：每个请求{ $total } ms，其中自身{ $own } ms（± { $half }）。
exhibit-hop-fails = { $hop }，单独加压：大多失败，或其后一跳大多失败；无法得知它增加多少。
exhibit-hop-waits = 负载下 { $hop } 增加{ $loaded } ms，单独时为{ $alone } ms：它在负载下的时间有{ $percent } % 是排队。
exhibit-without-waiting = 在{ $ms } ms中，请求在它前面等待{ $waiting } ms；没有这段等待，响应时间最多降到{ $left } ms。
exhibit-full-before = 同样已满，是后面的限制造成的：{ $text }
exhibit-event-loop = 线程{ $thread }有{ $running }%的时间在运行，{ $runnable }%在等CPU，{ $blocked }%被阻塞（主要在{ $call }）：每个请求{ $ms } ms。
exhibit-lookups = { $process }每秒处理{ $requests }个请求，每秒向{ $server }发出{ $rate }次域名查询：每次{ $ms } ms，占响应时间的{ $percent }%。
exhibit-lookup = { $name }（{ $record }）：{ $count }次查询{ $outcome ->
        [none] ，没有响应
       *[other] ，{ $outcome }，平均{ $ms } ms
    }。
exhibit-known-work = 在{ $count }个CPU采样中，{ $percent } %位于{ $function }。
exhibit-many-calls-cpu = CPU已饱和，正在使用的{ $all }个CPU中{ $server }占{ $used }个：每次这样的调用{ $ms } ms。
exhibit-many-calls = { $process }每秒处理{ $requests }个请求，每秒向{ $server }发出{ $calls }{ $kind ->
        [sql] 条语句
        [redis] 条命令
       *[other] 次调用
    }；其中一半不超过{ $ms } ms。请求在{ $process }里的时间有{ $percent }%正在调用。
exhibit-call-connections = { $process }每秒处理{ $requests }个请求，每秒新建{ $opened }个到{ $server }的连接。
exhibit-opening = 从连接的第一个包到握手结束{ $how ->
        [tls] （包括TLS）
        [resumed] （包括TLS，恢复了之前的会话）
       *[tcp] {""}
    }平均{ $ms } ms。
exhibit-cpu-for-tls = { $process }的CPU时间有{ $percent }%花在TLS上。
exhibit-cpu-stolen = { $cpus }个CPU中平均用了{ $got }个，另有{ $stolen }个需要却没有得到（steal）。
exhibit-cpu-shared = { $process }的线程平均有{ $running }个在运行，{ $wanting }个在等CPU；它可以使用{ $cpus }个CPU。
exhibit-cpu-shared-by = { $name }也用了其中的{ $used }个CPU。
exhibit-host-idle = 这期间主机的CPU时间有{ $percent }%空闲。
exhibit-commits = { $process }每秒处理{ $requests }个请求，每秒{ $statements }条语句、{ $commits }次提交{ $how ->
        [titles] （按后端进程的标题：在事务之外写入的语句）
       *[counted] {""}
    }。
exhibit-idle-replicas = { $group }中{ $used }每秒处理{ $requests }个请求；{ $idle }一个也没有{ $setting ->
        [none] {""}
       *[other] （`{ $setting } { $value }`）
    }。
exhibit-log-flush = { $process }平均有{ $threads }个后端进程在等预写日志：{ $syncing }个在同步，其余在排队等它。
exhibit-held-up = 它们共{ $threads }个，平均有{ $waiting }个在等{ $what ->
        [lock-file] 文件锁
       *[disk] 磁盘
    }。
exhibit-threads-want-cpu = 它的{ $threads }个线程平均有{ $running }个在运行，{ $wanting }个在等CPU。
exhibit-waits-elsewhere = 每个请求{ $of } ms中有{ $ms } ms在等待{ $peer }（依据：{ $basis }）。
exhibit-not-on-the-way = { $name }里几乎不花响应时间，因此在这里它不是瓶颈。
exhibit-time-is-behind = 它后面的 { $name } 才是瓶颈：见关于它的诊断结果。
exhibit-users-think = 用户的思考时间远比等待时间长，{ $name } 再快也几乎不会提高吞吐量。

## 建议。

advice-generator-cpu = 给压力机更多CPU，或用多台压力机加压。
advice-generator-near-limit = 在根据最大吞吐量下结论之前，先用多台压力机或更多CPU加压。
advice-generator-ports = 使用长连接，扩大net.ipv4.ip_local_port_range，放慢加压，或使用多个源地址。
advice-generator-late = 检查压力机上还运行着什么；把压力机绑定到独占的CPU。
advice-generator-descriptors = 提高压力机的打开文件数上限。
advice-generator-memory = 给压力机更多内存，或减少它的用户数。
advice-generator-starved = 给压力机独占的CPU。
advice-generator-stopped = 把压力机放在不会被暂停的地方运行，并重新运行。
advice-warm-up = 去掉吞吐量稳定之前的时间。
advice-cpu = 减少每个请求的计算量（见证据中的代码），或增加CPU、主机。增加线程没有用。
advice-cpu-quota = 进程受配额限制：提高配额，或减少每个请求的计算量。增加线程没有用。
advice-hot-code = 这项工作每个请求只做一次（或更久地保存结果），或换用更快的库。
advice-hot-code-packs = 降低压缩级别（zlib的1到4级只用9级的一小部分CPU，而响应几乎一样大），小的或已压缩的内容不再压缩，常用的内容缓存压缩后的结果；或交给代理（nginx：`gzip_comp_level`、`gzip_static`），或改用zstd。
advice-hot-code-slow = 这个库以慢著称；{ $faster } 做同样的工作只需几分之一的时间。或者每个请求只做一次。
advice-lock = 缩短持锁时间，拆分锁，或不用锁。
advice-lock-held-over-call = 持锁期间在调用另一个系统（{ $code }）：把调用移到锁外。
advice-lock-held-over-wait = 持锁期间有停顿（{ $code }）：把停顿移到锁外。
advice-lock-held-over-pool = 持锁期间在等连接（{ $code }）：先取连接再加锁。
advice-lock-shared = 所有服务器上同一时刻只有一个请求能拿到这把分布式锁（{ $code }）：缩小锁的键，缩短持锁时间，或改由存储一次完成（原子命令、带条件的UPDATE）。
advice-deadlock = 在所有地方按同一顺序加锁，或只用一把锁。
advice-log-level = 生产环境不需要DEBUG和TRACE日志：格式化耗CPU，写入要抢锁。
advice-log-appender = 少写日志，或在文件前加异步appender，让线程不再互相等待。
advice-log-asynchronous = 由另一个线程写日志（Logback：在写文件的appender前加AsyncAppender；Log4j 2：异步Logger，需要com.lmax:disruptor）。进程崩溃时，队列中尚未写出的日志会丢失；队列快满时也可能丢弃部分日志。
advice-connection-held = 在调用另一个系统（{ $code }）之前归还连接，或在事务之前调用。
advice-connection-pool = 这个负载需要{ $wanted }个连接；数据库也要允许这么多。先加倍，看数据库是否变忙。
advice-outgoing-pool = 这个负载大约需要{ $wanted }个连接。Apache HttpClient：setMaxConnPerRoute和setMaxConnTotal（5.x默认5和25，4.x默认2和20）。
advice-cpu-taken = 把主机上的其他程序移走（压力机如果也在上面，同样移走），或者限制它（控制组的CPU配额、nice）；用`top`或`pidstat 1`可查明是哪个程序。
advice-new-connections = 在服务器上启用长连接（nginx：keepalive_timeout、keepalive_requests；Tomcat：keep-alive-timeout、max-keep-alive-requests；不要`Connection: close`）；如果真实客户端也用长连接，测试计划也要这样；使用TLS时复用会话（ssl_session_cache）。
advice-rate-limit = 如果限流是有意的，就没有问题，这就是它放行的负载；否则提高到服务的实际容量。
advice-failed-requests = { $code ->
        [status401] 请求没有有效的凭证：先登录，或者换一个没有过期的令牌。
        [status403] 服务器禁止访问：权限、应用防火墙或来源检查。
        [status404] 路径不存在：检查测试计划里的路径和服务器的上下文路径。
        [status500] 服务自身出错：它的日志里有异常。
        [status502] 代理服务器没有从后端得到有效响应：后端宕机、重启或关闭了连接（代理服务器的错误日志会说明）。
        [status503] 服务或代理服务器报告过载，或者没有可用的后端：检查已满的池或队列、熔断器、代理服务器的限流。
        [status504] 代理服务器等不到后端的响应：后端太慢，超过了时间限制。
       *[other] 原因在服务的日志里。
    }
advice-semaphore = 如果许可保护的资源还有余量，就增加许可数（这个负载大约需要{ $wanted }个）；或者缩短持有许可的时间（{ $code }）。
advice-full-queue = 查明是谁从 { $code } 填充的队列里取东西，加快它，或给它更多线程。队列加长只对短时的突发有用；允许丢弃时，就不要等（offer）。
advice-object-pool = 如果池中对象所代表的资源还有余量，就多放一些（这个负载大约需要{ $wanted }个）；或者缩短每次占用的时间（{ $code }）。
advice-requests-without-response = { $kind ->
        [connection_refused] 这个端口没有进程在监听，或等待队列 (accept queue) 已满并拒绝连接（net.ipv4.tcp_abort_on_overflow）：检查进程是否还在，从何时起不在。
        [connect_timeout] 连接建立不起来：防火墙、等待队列 (accept queue) 已满，或主机不在。
        [read_timeout] 采集线程转储（--watch-allow-capture）并查看服务器的日志：有线程因错误而终止（OutOfMemoryError），分发线程被卡住，或另一个系统没有响应。
       *[other] 服务器或它前面的代理服务器关闭了连接：查看日志，并对照它们与客户端的超时和上限。
    }
advice-split-responses = 把响应头和响应体一次写出，或关掉这种等待：在服务器的socket上设置TCP_NODELAY（nginx：tcp_nodelay on；Java：Socket.setTcpNoDelay(true)）。
advice-network-late = 查明路上是什么让包变慢（各网卡的`tc -s qdisc`、隧道、服务网格的代理、跨可用区），让两者靠得更近，或者少走这条路：保持长连接，把多次调用合并为一次，缓存很少变化的内容。
advice-network-lost = 查明包在哪里被丢弃：各网卡的`tc -s qdisc`和`ip -s link`、防火墙的限速规则、跑满的链路、有问题的网线，然后消除原因。加大进程的缓冲区没有用。
advice-held-pieces = 在{ $sender }中，把消息的头和体一次写出（缓冲、writev），或在socket上设置TCP_NODELAY（Java：Socket.setTcpNoDelay(true)；C、Python：setsockopt；Node：socket.setNoDelay()；nginx：tcp_nodelay on）。Go默认已设置。
advice-new-threads = 把任务交给与服务器同寿命的线程池（ExecutorService，或设了上限的Spring TaskExecutor），或使用虚拟线程（JDK 21）。
advice-child-processes = 在服务器内部完成（用库代替外部程序），缓存结果，或交给少数常驻的工作进程（{ $code }）。
advice-slow-names = 每个请求都在 { $code } 中解析域名：缓存结果（java.security中的networkaddress.cache.ttl和networkaddress.cache.negative.ttl；主机上的缓存解析器），检查/etc/resolv.conf里的名字服务器和搜索域（Kubernetes的ndots: 5会让一个名字查询多次），并关掉反向解析（Tomcat：enableLookups）。
advice-single-thread = { $program ->
        [nginx] 每个CPU一个worker。
        [node] 每个CPU运行一个进程：cluster模块、PM2的cluster模式（instances: max），或者在代理服务器后面放多个实例；把计算移出事件循环（worker_threads）。
        [python] 每个CPU运行一个进程：gunicorn或uvicorn的--workers、uWSGI的processes，或者在代理服务器后面放多个实例。
        [ruby] 每个CPU运行一个进程：Puma的workers、Unicorn的worker_processes，或者在代理服务器后面放多个实例。
        [redis] 每个请求少发命令或换更便宜的命令（MGET、管道），从副本读，或者把键分散到多个实例（Redis Cluster）；传输大值时io-threads有帮助。
        [valkey] 每个请求少发命令或换更便宜的命令（MGET、管道），从副本读，或者把键分散到多个实例（集群模式）；传输大值时io-threads有帮助。
       *[other] 让多个线程或进程来做这项工作，每个CPU一个；或者减少每个请求的工作量。
    }
advice-task-threads = 这个负载同时需要{ $wanted }个任务。会等待的任务应当有自己的线程池：整个JVM共用的池只有CPU数那么大。
advice-worker-threads = 这个负载有{ $in_flight }个在途请求，同样多的线程才能同时处理。每个线程大约占1 MB栈。
advice-worker-threads-behind = 线程数保持不变，先解决它们所等待的问题。
advice-max-connections = 空闲的长连接开销很小，上限要大于客户端数。
advice-accept-queue-kernel = 队列已达到内核所允许的长度（net.core.somaxconn）：先提高它，再提高服务器自己的设置。
advice-accept-queue = 队列容纳突发的连接，稍后再接受；内核的net.core.somaxconn是它的上限。
advice-accept-queue-threads = 只加长队列会让客户端由失败变为等待：如果也满了，请同时提高server.tomcat.threads.max和server.tomcat.max-connections。
advice-slow-dependency = 减少调用：把 { $code } 的响应缓存几秒，并行调用，或让那个系统变快。
advice-own-wait = 如果停顿是有意的，就没有问题；否则查明代码在等什么。
advice-own-pause = 在 { $process } 里查找定时器、重试前的等待、轮询和限速：缩短它们，或改为等待事件本身。如果停顿是有意的，就没有问题。
advice-full-scan = 在条件的列上建索引，或改写条件使索引可用（列上不用函数，不用<>，不用前置通配符）。调用处：{ $code }。
advice-many-queries = 用一条语句取出所有行：IN、JOIN、批量，或ORM的fetch join、batch size。调用处：{ $code }。
advice-row-locks-insert = INSERT 等的是触发器或外键涉及的另一张表的行（计数、汇总、父行），或尚未提交的唯一值：查看该事务还写了什么。尽早提交，中间不做调用；汇总改为事后进行，或分散到多行，而不是集中在一行。
advice-row-locks = 事务要短，热点行最后更新，计数器分散到多行，UPDATE的条件都要有索引。
advice-table-locks = 找出长时间使用该表的事务（information_schema.INNODB_TRX按trx_started排序；performance_schema.metadata_locks）并结束它；改表放在空闲时段，把lock_wait_timeout设短，或用复制表的工具（gh-ost、pt-online-schema-change）；备份不要用FLUSH TABLES WITH READ LOCK。
advice-table-locks-postgresql = 找出持有锁的会话（pg_blocking_pids、pg_locks）并结束它；改表时设置较短的lock_timeout，建索引用CREATE INDEX CONCURRENTLY，不要让事务一直开着（idle_in_transaction_session_timeout）。
advice-slow-statement = 让这条语句更快（见执行计划），减少执行次数，或缓存结果。调用处：{ $code }。
advice-slow-database = 查明数据库在 { $code } 中做什么：慢语句、CPU、锁。
advice-many-round-trips = 在 { $code } 中一次取出请求需要的所有键（{ $proposed }）。
advice-slow-command = 换用处理数据更少的命令：用SCAN代替KEYS，只取大hash和list的一部分，值更小。调用处：{ $code }。
advice-cache-misses = 检查查的是什么：从不存在的键、太短的有效期、还没预热的缓存。
advice-polled-lock = { $keys ->
    [one] 所有请求都要同一个键：只锁住不能发生两次的部分（每个用户、订单或商品一个键），或让存储一步完成（INCR、脚本、带条件的UPDATE）。
   *[several] 只锁住不能发生两次的部分，或让存储一步完成（INCR、脚本、带条件的UPDATE）。
}缩短持锁时间，持锁期间不调用别的系统；等待锁释放的通知（Redisson的锁、BLPOP），而不是按固定间隔轮询。
advice-cache-loses = 检查写入时给出的过期时间{ $protocol ->
        [memcached] ：memcached把超过2,592,000秒（30天）的值当作日期，早已过去，条目立即过期（例如把毫秒当成了秒）
       *[other] ：毫秒与秒是否混淆（PX与EX，SETEX与PSETEX）
    }。否则是有程序删除了它（更新时清除过多），或内存太小而被淘汰（{ $protocol ->
        [memcached] `stats`里的evictions
       *[other] INFO里的evicted_keys、expired_keys
    }）。
advice-cache-refuses = { $why ->
        [too_large] 把条目拆小或压缩后再存；{ $protocol ->
            [memcached] `memcached -I 4m`（单个条目的上限，默认1 MiB）可以接受更大的条目
           *[other] `proto-max-bulk-len`限制单个值的大小
        }。让客户端把缓存返回的错误写进日志：大多数客户端会悄悄忽略它。
        [out_of_memory] { $protocol ->
            [memcached] 加大内存（`memcached -m`），并允许淘汰（不要用`-M`）
           *[other] 加大内存（`maxmemory`），并使用会淘汰的策略（`maxmemory-policy allkeys-lru`）
        }。
        [read_only] 写到主节点而不是副本；若是写盘失败，先解决它（`stop-writes-on-bgsave-error`）。
       *[other] 查看缓存返回的错误：大多数客户端会悄悄忽略它。
    }
advice-cache-evictions = 内存更大能保留更多键；不值得保留的用更短的有效期。
advice-compress = 文本压缩后只有五分之一到十分之一；压缩要用CPU，而CPU有余量。
advice-network-full = 少发送：更小的页面、更少的字段、缓存响应；或使用更快的链路，或再加一条。
advice-packet-loss = 查找溢出的队列、双工不匹配、途中过载的链路或主机。
advice-upstream-keepalive = 写在 `{ $block }` 块中：每个worker进程保持这么多空闲连接。只有在proxy_pass旁加上 `proxy_http_version 1.1;` 和 `proxy_set_header Connection "";` 才生效。
advice-close-wait = 客户端结束后无论如何都要关闭socket：流结束后、超时后、异常后（try-with-resources）。
advice-access-log = 每个请求一行就是一次写调用；关闭日志、抽样，或用 `buffer=64k flush=1s` 写。
advice-proxy-workers = 每个CPU一个worker进程；更多只会轮流执行。
advice-proxy-keepalive = 这个数是每个worker进程的：应大于一个worker进程到上游的在途请求数。
advice-worker-connections = 这个数包括每个worker进程两侧的连接；worker_rlimit_nofile要大于它。
advice-session-leak = 只为登录的用户创建会话：getSession(false)，接口的会话策略用STATELESS。
advice-session-timeout = 在此之前，较短的超时可限制数量：会话数 = 速率 × 超时。
advice-heap-full = 如果保持平稳，加内存有用；如果继续增长，查明谁在引用（堆转储的支配树）。
advice-gc-pauses = 堆更大，GC更少；每个请求少分配内存，GC也更少。
advice-explicit-gc = JVM将忽略这种调用；或者把调用从 { $code } 中去掉。如果堆外内存（直接缓冲区）要靠GC释放，-XX:+ExplicitGCInvokesConcurrent更温和。
advice-swapping = 减小堆和各种池，直到全部放进内存，或增加内存。
advice-oom-kill = 堆、栈、缓冲区和页缓存加起来不能超过上限。
advice-growing-file = 不要在 { $code } 中为每个请求读整个文件：在内存里建索引，并轮转文件。
advice-disk-busy = 少写（日志、刷盘），写得更大块，或换更快的磁盘。
advice-memory-throttled = 堆、栈、缓冲区和页缓存加起来必须放得下；或者让进程少用内存。
advice-conntrack-full = 提高它；或使用长连接，缩短 net.netfilter.nf_conntrack_tcp_timeout_time_wait，或让这些流量不被跟踪 (notrack)。
advice-tasks-limit = 线程也计算在内。运行时确实需要这么多时提高它，否则把线程池调小。
advice-listen-queue = 如果还有空闲的CPU，更多的工作进程或线程能更快地接受连接；否则看看现有的在等什么。加长队列没有帮助。
advice-connections-sent-again = 两端都使用长连接，加长监听队列 (backlog, net.core.somaxconn)，并更快地接受连接。
advice-disk-full = 轮转并删除日志；数据单独用一个文件系统。
advice-descriptors-left-open = 找到{ $kind ->
        [socket] 套接字（没有读完的响应、没有关闭的客户端）
        [file] 文件
        [pipe] 管道（子进程）
       *[other] 它们
    }在哪里打开，并在每条路径上（包括出错时）关闭；用 `lsof -p` 可以看到它们是什么。
advice-file-descriptors = 繁忙的服务器两侧每个连接都要一个，文件另算。
event-of-target-restart = { $name } 的重启
event-of-target-full-gc = { $name } 的Full GC
event-of-target-accept-queue = { $name } 上等待队列 (accept queue) 的溢出
event-of-target-no-port = { $name } 缺少本地端口
event-of-target-pool-timeout = { $name } 连接池的超时
exhibit-demand-steps = { $name }：每个请求在负载 { $from } 时需要 { $first } ms，在 { $to } 时需要 { $last } ms；由较轻的负载推算，它把吞吐量限制在 { $bound }/秒，实际最多达到 { $largest }/秒{ $predicts ->
    [1] ：这就是瓶颈。
   *[other] 。
}
exhibit-demand-grows = { $name }：每个请求对它的需求随负载增长，从负载 { $from } 时的 { $first } ms 到 { $to } 时的 { $last } ms（增加 { $growth } %）：存在争用。按较轻的负载应能达到 { $bound }/秒，实际达到 { $largest }/秒{ $predicts ->
    [1] ：这就是瓶颈。
   *[other] 。
}
exhibit-jfr-samples = 来自飞行记录器的 { $count } 个CPU采样，不依赖安全点。
exhibit-profile-samples = 由async-profiler的{ $count }个CPU采样得出。
exhibit-kernel-samples = 由内核采集的{ $count }个CPU采样得出；调用者取自线程转储。
exhibit-stack-samples = 由内核采集的{ $count }个CPU采样得出，含完整调用栈。
exhibit-retries = { $process }每秒处理{ $requests }个请求，每秒向{ $server }发出{ $calls }次调用，其中{ $failed }次（{ $percent }%）失败（HTTP 5xx、429、408）。
exhibit-given-up = 失败的调用中每秒有{ $number }个根本没有响应：{ $process } 放弃了它们（超时）。
exhibit-spread = 一半的请求最多{ $p50 } ms，5%的请求达到或超过{ $p95 } ms；平均为{ $mean } ms。
exhibit-slow-replica = { $process }对{ $server }（占这些调用的{ $percent }%）与对其他{ $others }个服务器的调用相同：那里{ $ms } ms，其他的{ $others_ms } ms。
exhibit-slow-label = { $share }%的请求属于{ $label }，平均{ $ms } ms；全部请求中有一半最多{ $p50 } ms。
exhibit-slow-part = { $part }：最慢的请求{ $ms } ms，全部请求平均{ $all_ms } ms。这占最慢的请求多花时间的{ $percent }%。
exhibit-stood-still = 从第 { $from } 秒到第 { $to } 秒没有任何响应，而平时每秒有{ $usual }个；平均有{ $waiting }个请求在等待。
exhibit-stood-still-cpu = 这段时间被监控的进程使用了{ $cpus }个CPU，整个区间平均{ $usual }个。{ $how ->
        [idle] 它们没有在计算：被暂停了，或在等待什么。
       *[busy] {""}
    }
exhibit-blocked-io = 每个请求的{ $of } ms中有{ $ms } ms（{ $percent }%）如此：平均有{ $syncs }个线程在同步文件，{ $waits }个在读写文件。下面是文件以及看到线程等待它的次数。
exhibit-calls-in-series = 一个请求在{ $process }中停留{ $stay } ms，其中{ $all } ms在调用：{ $called }。
exhibit-calls-at-once = 同时发出时，这些调用只用最长的那个的时间：{ $ms } ms最好可降到{ $left } ms。
exhibit-never-at-once = 任何时刻正在进行的这些调用都不多于请求：同一个请求的调用互不重叠。
exhibit-waits-in-queue = { $how ->
        [relays] { $process }平均有{ $waiting }个请求在等待；响应总是紧跟在{ $server }的一条消息之后发出，而这条消息又紧跟在{ $worker }发给{ $server }的消息之后。
       *[takes] { $process }平均有{ $waiting }个请求在{ $server }上等待，执行的是别的客户端放入值才会结束的命令；放入值的是{ $worker }。
    }
exhibit-queue-takers = { $worker }在{ $takers }个连接上取任务，其中平均{ $busy }个有任务：每秒{ $rate }个，每个{ $each } ms。
exhibit-rows-waited-for = { $process }同时有{ $waiting }个事务在等待对{ $table }的写操作，每个{ $wait } ms{ $known ->
    [yes] ；数据库在处理其中{ $worked }个
   *[no] ；没有人查看数据库内部，它们自身也可能就慢
}。
exhibit-rows-held = 事务从该写操作得到响应到结束用{ $each } ms，其中{ $outside } ms没有语句在执行：同时{ $held }个，每秒{ $rate }个。
exhibit-rate-even = 每秒{ $least }到{ $most }个响应，平均{ $rate }个：若是随机，差异会是它的{ $times }倍。
exhibit-rate-idle = 其间在{ $process }（CPU、磁盘、等待的线程）以及它调用的所有系统里，平均只有{ $busy }个请求在被处理：其余时间此处是空闲的。
exhibit-rate-alone = 前面没有别人的请求用了{ $ms } ms；每秒{ $rate }个这样的请求，同时只有{ $share }个。
exhibit-files-waited-for = 下面是该进程中有线程在等待磁盘的文件，以及看到的次数。
exhibit-blocked-io-at = 平均有{ $threads }个线程在{ $code }（通过{ $call }）中如此。
exhibit-connection-limit = 同时最多有{ $peak }个连接，允许{ $limit }个；拒绝了{ $refused }个。
exhibit-ports-kept = 已关闭的连接还占用端口一分钟：按这个速度会占用{ $limit }个本地端口中的{ $count }个（{ $percent }%）。
exhibit-descriptors-grow = 结束时打开的{ $kind ->
        [socket] 套接字
        [file] 文件
        [pipe] 管道
       *[other] 描述符
    }比开始时多{ $count }个：每个请求{ $each }个。
exhibit-descriptors-left = 按这个速度，{ $minutes }分钟后到达上限。
exhibit-own-login-refused = 从第{ $from } s{ $until ->
        [open] 起
       *[other] 到第{ $until } s
    }，监控自己的登录也被拒绝：{ $reason }
exhibit-logged-errors = 错误日志中有{ $count }行属于“{ $class }”：占失败请求的{ $percent }%。
exhibit-created = 正在工作的线程中有{ $percent }%在{ $what }中，由{ $code }调用。
exhibit-created-with = 每个请求新建{ $each }个{ $what ->
        [threads] 线程
       *[connections] 主机的连接
    }。
exhibit-cache-loads = 正在工作的线程中有{ $percent }%在{ $code }中为缓存加载，或等待加载。
exhibit-held-by-nobody = 有{ $used }个连接在使用中，却看不到任何用它工作的线程。
exhibit-loops-held = { $limit }个事件循环中有{ $busy }个在请求的代码里，大多在{ $code }。
exhibit-link-others = { $all } MB/s中请求只占{ $own } MB/s：其余属于别的流量，因此该链路并不限制这些请求。
exhibit-waits-at = 平均有{ $threads }个{ $who ->
        [goroutines] goroutine
       *[threads] 线程
    }在 { $code }（经由 { $call }）等待{ $state ->
        [futex] 另一个线程
        [read] 响应
        [write] 发送
        [connect] 建立连接
        [fsync] 磁盘
        [sleep] 时间过去
        [lock_file] 文件锁
       *[other] 内核
    }。
exhibit-is-past = 另有{ $threads }个已越过此处，在 { $code }{ $state ->
        [cpu] 计算
        [running] 计算
        [futex] 等待另一个线程
        [read] 等待响应
        [write] 等待发送
        [connect] 等待建立连接
        [fsync] 等待磁盘
        [sleep] 等待时间过去
        [lock_file] 等待文件锁
       *[other] 等待内核
    }：它们占着它。
exhibit-jfr-waits = 飞行记录器记录到 { $count } 次等待进入 { $class }：平均有 { $waiting } 个线程在等，占在途请求的 { $percent } %。
exhibit-profile-waits = async-profiler看到平均{ $waiting }个线程在等待 { $class }（占在途请求的{ $percent } %）。
exhibit-errors-with-event = { $percent } % 的错误落在{ $event }（{ $count } 次）的那几秒，而这些秒只占时间的 { $expected } %；两者相对平移检验，p = { $p }。
advice-event-restart = 查明它为何结束：自身日志、内核日志（内存不足）、守护程序。重启时由负载均衡器等待在途请求完成。
advice-event-full-gc = 全部停顿期间请求会超时：让Full GC更少（堆大小、长期占用的对象）或更短（更换收集器）。
advice-event-accept-queue = 更快地接受连接（线程、长连接），或允许更多连接等待（accept count、net.core.somaxconn）。
advice-event-no-port = 与后端保持长连接，或使用更多地址。
advice-event-pool-timeout = 查看这几秒里谁长时间占用连接；只有后端有余量时增加连接数才有用。
advice-hop-latency = 先看这一跳：给它更多CPU，或减少它在每个请求中的工作。
advice-hop-alone = 先看这一跳：一个请求在这里计算什么、等待谁。加大连接池或增加线程不会让单个请求变快。
advice-retries = 先查明{ $server }为什么失败（它的状态码和日志）并修复。在此之前限制重试：次数要少，间隔要随机且递增，只重试可以重复的操作，大部分调用失败时不再重试（熔断）。
advice-slow-replica = 把{ $server }从轮转中摘下，或查明它有什么不同：主机、邻居、数据、冷缓存。给对它的调用设超时，并让代理服务器选择请求最少的服务器。
advice-slow-label = 看看{ $label }做了哪些其他请求不做的事：它自己的语句、文件和调用。单独测它。
advice-slow-part = { $how ->
        [peer] 给对{ $of }的调用设一个远低于用户等待时间的超时，并查明那里哪些调用慢。
       *[process] 趁慢请求在{ $of }里时查看其内部：冷条目、锁、垃圾回收、使它停住的配额。
    }
advice-stood-still = 查明当时是什么让它停住：那一秒的自身日志和内核日志（journalctl -k）、被暂停或迁移的虚拟机或容器、信号（SIGSTOP）、调试器或剖析器、所有线程都在等待的锁或磁盘。
advice-blocked-io = { $how ->
        [sync] 减少同步次数：多个更改合并为一次提交或一次同步（组提交）；在可以承受丢失一秒数据的地方交给系统。更快的存储使每次同步更短。
       *[file] 把要读的内容放在内存里（增大数据库或系统的缓存）、少读，或把文件放到更快的磁盘上。
    }
advice-connection-limit = 每个连接都占用那里的内存：先让客户端少保留连接，或在中间放一个连接池；然后再提高上限。
advice-logged-errors = { $class ->
        [upstream_timed_out] 查明请求为什么停留在它后面的服务器里；延长超时只会掩盖问题。
        [upstream_refused] 检查后面的服务器是否在运行和监听，是否被重启或被杀死。
        [upstream_closed_early] 检查后面服务器的日志：它在结束请求或自己退出；或者它的长连接时间比代理服务器的短。
        [connection_reset] 检查后面服务器的日志，以及它的连接数和时间限制。
        [resource_unavailable] 让该套接字后面的服务器接受更多连接（backlog），或增加工作进程。
        [upstream_header_too_big] 增大proxy_buffer_size（或fastcgi_buffer_size），或减小响应头。
        [body_too_large] 如果确实要发送这么大的请求体，请增大client_max_body_size。
        [host_not_resolved] 检查解析器和名称。
        [disk_full] 在日志指明的文件系统上腾出空间。
        [permission_denied] 给代理服务器的用户日志指明的权限。
        [worker_died] 查明工作进程的死因：core文件、内存、模块。
        [out_of_memory] 给它更多内存，或减小缓冲区和共享区。
        [tls_handshake] 检查双方的证书和协议版本。
        [file_not_found] 检查日志指明的路径。
        [too_many_open_files] 增大worker_rlimit_nofile和LimitNOFILE。
       *[other] 阅读该行日志，修复它指明的问题。
    }
advice-created = 只创建一次{ $what }（字段、单例、bean）并共用；{ $code }只使用它。
advice-blocked-place = { $how ->
        [call] 已通过的线程在等待另一个系统（{ $code }）：在取锁之前调用，或使用更细的锁。
        [pause] 已通过的线程在停顿（{ $code }）：把停顿移到外面。
        [cpu] 已通过的线程在计算（{ $code }）：在取锁之前或之后计算，或使用更细的锁（每个键一个）。
        [disk] 已通过的线程在等待磁盘（{ $code }）：在外面写入或同步，或减少次数。
       *[other] 缩短持有时间（{ $code }），使用更细的锁（每个键一个），或在它保护的资源有余量时允许更多线程同时通过。
    }
advice-calls-in-series = 互不依赖的调用应同时发出（nginx加Lua用capture_multi，其他用future或线程），先处理最长的（{ $longest }）；很少变化的内容放入缓存，页面不需要的就去掉。
advice-queue-workers = { $how ->
        [relays] 请查看{ $worker }的时间花在哪里、同时处理几条消息：让它并行处理（任务、线程、prefetch大于1），运行更多实例，或缩短每条消息的处理。如果没有人需要等待任务的结果，就不必让请求等待。
       *[takes] 让{ $worker }取任务的数量多于{ $takers }个（它的并发数、线程或进程），或运行更多实例，并缩短每个任务：它自己等待的事情往往可以为几个任务一起做。如果没有人需要等待任务的结果，就不必让请求等待。
    }
advice-held-row-locks = { $how ->
        [call] 在事务开始之前或结束之后调用{ $peer }，使其间没有任何锁；最后再写，写完立即提交。
        [client] 把{ $process }在写操作与事务结束之间做的事移到事务之外；最后再写，写完立即提交。
       *[database] 减少事务中首次写该行之后的语句，最后再写该行，或把记在一行里的内容分散到多行。
    }
advice-rate-limit-delay = { $server ->
        [nginx] 提高limit_req_zone的rate=，或给limit_req加nodelay（超过burst=的立即拒绝，其余不等待直接放行）。
        [haproxy] 检查配置中的tarpit、set-bandwidth-limit和rate-limit sessions，提高相应的值。
       *[other] 在{ $process }及其库中查找令牌桶、限速器、节流或任务之间的停顿，大约每秒{ $rate }个（每个{ $gap } ms）；如果后面的系统能承受，就提高它。
    }
advice-cache-loads = 检查缓存的键（是否含有每个请求都不同的内容？）、大小和有效期；再看{ $code }的代价。让同样的请求共用一次加载。
advice-connection-leak = 查找取得连接后没有在每条出口都关闭的代码（try-with-resources、defer、finally），以及无人结束的事务。HikariCP的leakDetectionThreshold会指出位置。
advice-connection-pool-limit = 增大连接池没有用：{ $name }最多接受{ $limit }个连接，并且已全部占用。先提高该上限，或让其他客户端少保留连接。
advice-heap-leak = 查明谁持有{ $class ->
        [other] 不断增长的对象
       *[named] { $class }
    }{ $holder ->
        [other] {""}
       *[named] （随之增加的{ $holder }：只进不出的映射、列表或缓存）
    }：堆转储给出到根的路径；释放它，或给它设上限。更大的堆只是晚一点被占满。
advice-accept-queue-listen = 让服务器以更长的队列监听（listen(2)的backlog），并相应增大net.core.somaxconn。
advice-accept-queue-serve = 只加长队列只会让客户端由失败变为等待：让服务器更快地接受连接（更多工作进程，或在接受处少做事）。
advice-concurrency-limit = { $place ->
        [hop] 在{ $process }里找到只允许同时{ $number }个到{ $peer }的连接或调用的设置（连接池、信号量、限流器），在{ $peer }能承受的范围内加倍；或缩短每次调用。
        [threads] 给{ $process }多于{ $number }个线程（名为{ $peer }），或让线程少等待。
        [children] 在内存允许的范围内给{ $process }多于{ $number }个工作进程，或使用每个能同时服务多个请求的工作进程。
       *[inside] 在{ $process }里找出只让约{ $number }个请求同时工作的东西：信号量、限流器、池、锁；放宽它，或缩短占用时间。
    }
advice-pool-setting = { $runtime ->
        [python] 池的大小在创建客户端的地方设置：`pool_size` 和 `max_overflow`（SQLAlchemy）、`max_size`（psycopg_pool、asyncpg）、`max_connections`（redis-py）、`limits`（httpx）、aiohttp连接器的 `limit`。
        [node] 池的大小在创建客户端的地方设置：`max`（pg）、`connectionLimit`（mysql2）、`http.Agent` 的 `maxSockets`、`connections`（undici）。
        [php] 每个子进程有自己的连接：连接数等于子进程数（`pm.max_children`）。
        [ruby] 池的大小是 `database.yml` 里的 `pool`，或 `ConnectionPool` 的 `size`；每个进程各有一个池。
        [java] 池的大小在创建它的地方设置：`maximumPoolSize`（HikariCP）、`maxActive`（Druid）、`maxTotal`（DBCP、Jedis）、`setMaxConnPerRoute`（HttpClient）。
        [pgbouncer] 池的大小是pgbouncer.ini里的 `default_pool_size`，或该数据库的 `pool_size`。`pool_mode = session` 时，客户端只要连着就一直占用一个连接，不管它在做什么；`transaction` 让别人在事务之间使用它。
        [haproxy] 数量是server行或 `default-server` 的 `maxconn`。
        [envoy] 数量是集群熔断设置里的 `max_connections` 和 `max_requests`。
        [dotnet] 池的大小是连接字符串里的 `Max Pool Size`，或HTTP处理器的 `MaxConnectionsPerServer`。
       *[other] 池的大小在创建客户端的地方设置：Go里是 `SetMaxOpenConns`（database/sql）、`MaxConns`（pgxpool）、`PoolSize`（go-redis）、`MaxConnsPerHost`（http.Transport）；Rust里是 `max_connections`（sqlx）、`max_size`（deadpool、bb8）。
    }
advice-event-loop = { $how ->
        [asleep] 只要还有活就立刻接着取；没有活时等通知而不是等时间（BLPOP 之类的阻塞弹出、LISTEN/NOTIFY、条件变量）；一次多取一些，或运行多个实例。处理当中的停顿应移出请求。
        [blocked] 把阻塞调用移出事件循环：改为await异步调用，或交给线程池。增加进程（每个有自己的事件循环）只能按进程数改善。
        [wanting] 给它CPU：停掉或移走它可用CPU上的其他程序，或允许它使用更多CPU。
       *[running] 把计算移出事件循环交给工作线程或进程，降低其开销，或为每个CPU运行一个进程。
    }
advice-waits-elsewhere = { $process ->
        [none] 负载本身就向{ $peer }发送请求：也监控它（在它的主机上运行Agent，或用`--watch`），或分别单独对两者加压。
       *[other] 也监控{ $peer }（在它的主机上运行Agent，或用`--watch`），减少调用、并行调用，或在前面加缓存。
    }
advice-name-lookups = { $how ->
        [lost] 查明{ $server }为什么不响应（或是什么丢了它的包）；在此之前在/etc/resolv.conf里缩短等待（`options timeout:1 attempts:2`）。
        [searched] 域名以点结尾，或在/etc/resolv.conf里降低`ndots`、缩短`search`（Kubernetes：dnsConfig，ndots: 5会查询多个不存在的域名）。
       *[slow] 查明{ $server }为什么这么慢（本机的缓存解析器不到1 ms就有响应）。
    }到被调用的主机使用长连接，就不用解析；解析结果按TTL缓存（Java：networkaddress.cache.ttl；nginx：resolver … valid=；Node：带缓存的lookup；Go、Python、PHP自己不缓存，用nscd、systemd-resolved、dnsmasq）。
advice-known-work = { $what ->
        [scan] 为条件建索引，或改写条件使索引可用（开头不用通配符，列外不套函数，值与列的类型一致：用数字比较文本列会逐行转换）；只读取需要的行。
        [sort] 按该顺序建索引，或减少排序：只取需要的行和列。
        [planning] 语句预编译一次并保留（驱动的语句缓存），或用一条语句取代许多条。
        [json-parse] 在允许的范围内只解析一次并保留结果；或少解析一些内容。
        [json-write] 在允许的范围内保留生成的结果；或少生成一些：减少字段，分页。
        [pattern] 改写表达式使其不会回溯（占有或原子分组，不嵌套重复），或先做普通文本查找。
        [json] 只读一次并保留结果，或在允许时缓存序列化后的文本；或者少读少写。
        [xml] 只读一次并保留结果，或在允许时缓存序列化后的文本；或者少读少写。
        [compression] 降低压缩级别（gzip 1到4，Brotli 4）；很少变化的内容只压缩一次（预先压缩的文件，或把缓存放在压缩之后）；小的或已压缩的内容不再压缩。
        [cryptography] 复用连接以减少握手，恢复TLS会话；密码每个会话只验证一次，而不是每个请求一次；选择与负载相称的计算强度。
        [images] 尺寸和格式只生成一次并保留，或交给单独的服务。
        [compiling] PostgreSQL会编译估算代价高于jit_above_cost的语句：设jit = off，或提高该代价（EXPLAIN ANALYZE会显示JIT用时）。PHP：opcache.enable = 1，opcache.memory_consumption足够大，生产环境opcache.validate_timestamps = 0。其他模板、表达式和脚本：只编译一次并保留（Twig：cache；Smarty、Blade：可写的编译目录）。
        [copying] 只取需要的部分而不是整份；在原处查找（ets:lookup_element，很少变化的数据用persistent_term）；或发送可共享的大二进制（binary）而不是项（term）。
       *[collection] 减少每个请求创建的对象，或增大堆。
    }
advice-many-calls = { $kind ->
        [sql] 用一条语句取出所有行（JOIN、IN、批量），或让ORM一次加载相关对象（fetch join、batch size、预加载）。
        [redis] 把命令合在一起发送：管道（pipeline）、MGET和MSET、HMGET，或脚本。
        [http] 一次请求全部内容（批量接口、一组id），缓存很少变化的内容，互不依赖的调用并行发送。
       *[other] 一次请求全部内容，或缓存很少变化的内容。
    }
advice-call-connections = { $product ->
        [nginx] nginx：为{ $server }配置`upstream`块并加上`keepalive 32;`，再加`proxy_http_version 1.1;`和`proxy_set_header Connection "";`
        [haproxy] HAProxy：后端使用`http-reuse safe`（或`always`），不要`option httpclose`和`http-server-close`
        [apache] Apache：不要`disablereuse=On`和`proxy-nokeepalive`；worker使用`keepalive=On`
        [envoy] Envoy：不要`max_requests_per_connection: 1`；{ $server }支持时使用HTTP/2
        [php] PHP：使用持久连接（PDO::ATTR_PERSISTENT、pfsockopen、predis的`persistent`），或用本机上保持连接的代理
        [python] Python：整个进程共用一个requests.Session、httpx.Client或aiohttp.ClientSession，不要每个请求建一个；数据库使用连接池
        [node] Node：整个进程共用一个`keepAlive: true`的http.Agent（或undici的Pool）；数据库使用连接池
        [java] Java：整个进程共用一个带连接池的客户端（HttpClient、OkHttp；数据库用HikariCP），不要每个请求建一个
       *[other] 整个进程共用一个带连接池的客户端，不要每个请求建一个，并让它保留与同时使用数相同的空闲连接（Go默认只保留2个：database/sql的SetMaxIdleConns，http.Transport的MaxIdleConnsPerHost）
    }；{ $server }不能在每次响应之后关闭连接（`keepalive_timeout`、`keepalive_requests`）。{ $how ->
        [tls] 在此之前启用会话恢复（nginx：`proxy_ssl_session_reuse on`、`ssl_session_cache`），并使用ECDSA密钥：它的签名开销只有RSA的一小部分。
       *[other] {""}
    }
advice-cpu-stolen = 换用独享CPU的机器（独享型、非突发性能型实例，绑定vCPU，降低宿主机的超分比）。带CPU积分的实例，可在云监控里查看剩余积分。`vmstat 1`的`st`一列就是steal。
advice-cpu-shared = 给它们各自的CPU（`taskset`、`cpuset.cpus`、systemd的`CPUAffinity=`；Kubernetes：static CPU管理策略），允许它使用空闲的CPU，或让别的进程靠后：`SCHED_IDLE`（`chrt -i 0`）、`nice`、控制组的`cpu.weight`。
advice-idle-replicas = { $setting ->
        [ip_hash] `ip_hash`把同一地址后面的所有客户端都发到同一台服务器：改用`least_conn`，或对能区分用户的内容做哈希（`hash $cookie_session consistent`）。
        [hash] 参与哈希的内容在所有请求中都相同：对能区分用户的内容做哈希，或改用`least_conn`。
        [balance] `balance source`把同一地址后面的所有客户端都发到同一台服务器，`uri`和`hdr`则把文本相同的发到同一台：改用`balance leastconn`或`roundrobin`，或对能区分用户的内容做哈希。
       *[other] 检查权重、健康检查，以及一直保持、承载所有请求的连接。
    }
advice-many-commits = 把一个请求的语句放进一个事务（BEGIN … COMMIT；关闭自动提交），或用一条语句插入所有行。崩溃时可以丢失的数据不必等待：该事务使用`synchronous_commit = off`；很多事务同时提交时用`commit_delay`；日志放在更快的磁盘上。
advice-concurrency-held-up = 增加数量也只是一起等：先查明{ $what ->
        [lock-file] 谁持有这个文件锁、为什么持有这么久（`lslocks`可以查到）
       *[disk] 在读写什么、为什么这么慢
    }。
advice-concurrency-cpu = { $process }的线程全被占用是因为没有CPU：增加线程也只是一起等CPU。降低工作的开销（见证据中的代码），或增加CPU。

## 显示方式。

diagnosis-title = 瓶颈诊断
diagnosis-next = 查看证据、建议和验证实验：
diagnosis-demands = 每个请求对各资源的需求（D = U / X），按负载
diagnosis-explains = 影响
diagnosis-share = 约占{ $of }的{ $percent } %；置信度{ $confidence } %
diagnosis-of-response-time = 响应时间
diagnosis-of-throughput = 损失的吞吐量
diagnosis-of-errors = 失败请求
diagnosis-of-measurement = 测量本身
diagnosis-layer = 类型
diagnosis-layer-measurement = 测量本身的问题
diagnosis-layer-cause = 原因
diagnosis-layer-resource = 资源饱和
diagnosis-layer-hint = 附注，不是瓶颈
diagnosis-experiment = 验证方法：{ $text }
diagnosis-capture = 采样快照{ $number }
diagnosis-unknown = 未知
diagnosis-source = 规则来源：{ $source }
diagnose-evidence-saved = 已写出证据：{ $path }
diagnose-evidence-damaged = { $path } 不是可读的证据：{ $reason }。请用 `plimsoll diagnose RUN --save-evidence FILE` 生成。

## 规则来源

source-little = 利特尔定律
source-little-dumps = 对线程转储应用利特尔定律
source-little-stacks = 对等待线程的调用栈应用利特尔定律
source-cpu-samples = 内核的 CPU 采样（perf_event_open(2)）
source-own-functions = 程序自身的函数名
source-sampling-stacks = 调用栈采样
source-calls-on-wire = 按数据包统计的请求及其下游调用数
source-little-in-flight = 在途请求的Little定律
source-loop-states = 事件循环线程各状态的利用率定律
source-little-waiting = 利特尔定律：同时等待的个数 = 每秒的等待秒数
source-little-connections = 利特尔定律：忙碌的连接数 = 速率 × 时间
source-little-threads = 利特尔定律：忙碌的线程数 = 吞吐量 × 时间
source-little-jfr = jdk.JavaMonitorEnter，对其等待应用利特尔定律
source-little-profiler = async-profiler的锁剖析，对其等待应用利特尔定律
source-query-for-each-row = 每行一次查询（N+1）
source-trip-for-each-key = 每个键一次往返（N+1）
source-digests = performance_schema的语句摘要，SUM_NO_INDEX_USED
source-scans = Handler_read_rnd_next和Select_scan
source-phases = 客户端自身各阶段的时间
source-kinds = 客户端自身各类型的错误
source-use = USE方法，Gregg 2012
source-children = proc_pid_stat(5)中的cutime和cstime
source-one-thread = 命令逐条执行：一个线程的利用率
source-utilization = 利用率定律
source-utilization-paper = 利用率定律，Denning和Buzen 1978
source-hop-alone = 单独加压时一跳的时间减去下一跳的时间
source-hops = 各跳相互嵌套的时间
source-permutation = 时间平移的置换检验，Besag和Clifford 1989
source-responds = RFC 9110第15节：正常的服务器会响应
source-close-wait = RFC 9293第3.3.2节：CLOSE-WAIT等待本端关闭
source-delayed = RFC 1122第4.2.3.2节（延迟确认）
source-bytes-read = 每个请求读取的字节数随时间的变化
source-dispersion = 离散指数，Cox和Lewis，1966
source-rule-of-thumb = 经验法则
source-worker-connections = nginx，ngx_core_module：worker_connections包括两侧的连接
source-iostat = iostat(1)，%util和await
source-run-delay = /proc/PID/task/TID/schedstat中的run_delay
source-limit-modules = nginx，ngx_http_limit_req_module和ngx_http_limit_conn_module
source-nginx-modules = nginx，ngx_core_module和ngx_http_upstream_module
source-listen-overflows = SNMP计数器TcpExt ListenOverflows
source-retransmissions = SNMP计数器Tcp RetransSegs
source-status-codes = RFC 9110第15节
source-retransmission-timer = RFC 6298第2节（重传定时器）
source-persistence = RFC 9112第9.3节
source-too-many-requests = RFC 6585第4节
source-sampling = 采样：线程转储
source-sessions = 保留的会话数 = 速率 × 超时时间（利特尔定律）
source-safepoints = 为GC停在安全点的时间占比
source-explicit-gc = java.lang.System.gc，HotSpot的DisableExplicitGC
