# 工作台的文字：它报告的问题，以及 `plimsoll serve`。

serve-begins = 工作台地址：{ $url }，按Ctrl-C结束。
serve-cut-short = 上一个服务进程被强行结束，以下运行中途终止，已结束的每一秒数据都在：{ $runs }

problem-not-found = 未找到
problem-bad-request = 请求有误
problem-conflict = 当前无法执行
problem-internal = 服务器内部错误
problem-plan = 测试计划有错误
problem-store = 运行文件夹读写失败
problem-run-unreadable = 无法读取该运行
problem-host = 主机名不对
problem-origin = 其他站点不得修改
problem-method = 此处不支持该方法
problem-too-long = 内容过长
problem-media-type = 媒体类型不对

server-internal = 服务器处理该请求时出错。请报告此问题，并附上 `plimsoll serve` 终端里的输出。
server-refused = { $reason }
server-plan-rejected = 测试计划有 { $count } 处错误，没有开始运行。
server-foreign-host = 本服务器不叫“{ $host }”，请使用以下地址之一：{ $hosts }
server-foreign-origin = { $origin } 的页面不能修改这里的内容，请用工作台自己的地址打开。
server-no-ui = 此程序构建时没有包含页面。请先执行 make web（需要Node.js 20或更新版本），再重新构建plimsoll。API不受影响：
server-no-path = { $path } 处没有内容。API位于 /api/v1 之下，说明见 /api/v1/openapi.json。
server-no-run = 没有名为“{ $run }”的运行，GET /api/v1/runs 可列出全部运行。
server-no-label = 该运行没有标签“{ $label }”，GET /api/v1/runs/RUN/labels 可列出全部标签。
server-bad-second = “{ $name }”为 { $value }；它是从运行开始算起的秒数，不小于0。
server-empty-stretch = 从 { $from } s 到 { $to } s 的区间为空：to_s 必须大于 from_s。
server-bad-limit = “limit”须为1到 { $most }。
server-bad-points = 点数须为1到 { $most }。
server-bad-event-id = “{ $id }”不是本服务器的事件编号；不带Last-Event-ID即可从头接收。
server-bad-value = “{ $name }”为“{ $value }”，应写成“{ $example }”这样。
server-bad-extension = “by_s”须大于0，最多604800秒（一周）。
server-users-or-rate = 请给出“users”（数字）或“rate”（如“50/s”），二者只能选一个。
server-plan-or-url = 请给出“plan”（测试计划文本）或“url”，二者只能选一个。
server-no-url = “{ $url }”不是URL，URL以 http:// 或 https:// 开头。
server-note-too-long = 备注过长：最多 { $most } 字节。
server-bad-tags = 标签不能为空：最多 { $most } 个，每个最多 { $bytes } 字节。
server-cannot-keep = 写入失败：{ $reason }。请检查运行文件夹是否已满或只读。
server-run-waits = { $run } 尚未开始，前面还有其他运行。
server-run-elsewhere = { $run } 由另一个进程启动，只有该进程能结束或改动它。请在启动它的终端里操作。
server-run-over = { $run } 已经结束。
server-folder-taken = 另一个服务器正在使用 { $path }：{ $by }。请先结束它，或用 --out 指定其他文件夹。
server-only-loopback = { $address } 可以从其他主机访问，而本服务器还没有登录用户。请监听 127.0.0.1 或 [::1]；从别处访问请用SSH隧道。
server-cannot-listen = 无法监听 { $address }：{ $reason }。请用 --listen 指定其他端口，0表示自动选择空闲端口。
