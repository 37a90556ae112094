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
problem-too-slow = 发送过慢
problem-too-many = 连接过多
server-too-slow = 请求内容发送过慢。请求体最多可用 { $seconds } 秒，此外每1 KiB再加1秒。
server-no-place-of-one = 您的地址已有 { $most } 个连接，不再接受新连接。请关闭一些后重试。
server-no-place = 当前已有 { $most } 个连接，不再接受新连接。请几秒后重试。

server-internal = 服务器处理该请求时出错。请报告此问题，并附上 `plimsoll serve` 终端里的输出。
server-refused = { $reason }
server-detail = { $detail }
server-plan-rejected = 测试计划有 { $count } 处错误，没有开始运行。
server-foreign-host = 本服务器不叫“{ $host }”，请使用以下地址之一：{ $hosts }
server-header-twice = 请求中的 { $name } 请求头出现了多次。
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
server-note-too-long = 备注过长或含有不可见字符：最多 { $most } 字节。
server-bad-tags = 标签不能为空，也不能含不可见字符：最多 { $most } 个，每个最多 { $bytes } 字节。
server-cannot-keep = 写入失败：{ $reason }。请检查运行文件夹是否已满或只读。
server-run-waits = { $run } 尚未开始，前面还有其他运行。
server-run-elsewhere = { $run } 由另一个进程启动，只有该进程能结束或改动它。请在启动它的终端里操作。
server-run-over = { $run } 已经结束。
server-run-lost = 服务器结束时 { $run } 还在排队，没有开始。请重新发起。
server-run-taken-back = { $run } 在开始之前被撤回了。
server-folder-taken = 另一个服务器正在使用 { $path }：{ $by }。请先结束它，或用 --out 指定其他文件夹。
server-cannot-listen = 无法监听 { $address }：{ $reason }。请用 --listen 指定其他端口，0表示自动选择空闲端口。
server-sides = 请在“a”和“b”中各给出1到 { $most } 次运行，用逗号分隔。
server-run-is-there = 已经有名为 { $run } 的运行，没有移动任何内容。
server-run-goes-on = { $run } 正在进行，请先结束它。
server-not-in-trash = { $run } 不在回收站里，GET /api/v1/trash 可列出其中的运行。
server-no-capture = 运行 { $run } 没有编号为 { $number } 的快照。GET /api/v1/runs/RUN/evidence/captures 列出全部快照。
server-no-view = 快照 { $number } 的类型是“{ $kind }”，不能按“{ $view }”查看，可以按以下方式查看：{ $known }
server-no-flame = 快照 { $number } 没有“{ $of }”的火焰图，只有：{ $known }
server-capture-unreadable = 快照 { $number } 无法读取：{ $reason }。
server-bundle-lost = 文件没有传完：{ $reason }。请重新发送。
server-bundle-broken = 这不是 /export 导出的运行，或者文件不完整、已损坏：{ $reason }。请从原处重新导出。
server-bundle-foreign = “{ $name }”不属于任何运行，没有导入任何内容。请发送 GET /api/v1/runs/RUN/export 导出的文件。
server-bundle-no-run = 这个文件里没有运行。请发送 GET /api/v1/runs/RUN/export 导出的文件。
server-bundle-newer = 文件格式版本为 { $form }，本版本最高支持 { $known }。请使用更新版本的 Plimsoll。
server-bundle-too-long = 文件内容超出一次运行的上限（{ $most } 字节），或解压后远大于文件本身，没有导入任何内容。
server-bundle-damaged = 文件中的运行无法读取：{ $reason }。没有导入任何内容。
server-import-type = 导入的运行须以 application/gzip 发送，而不是 { $type }。
server-import-busy = 已有 { $most } 次导入正在进行，请等其中一个完成后再试。
server-no-kind = 没有“{ $kind }”类型的快照，可用的类型：{ $known }

problem-login = 请先登录
problem-right = 没有权限
problem-csrf = 页面已过期
problem-too-often = 尝试次数过多
problem-not-allowed = 此处不允许

server-login-needed = 请登录（POST /api/v1/session），或出示令牌：“Authorization: Bearer …”。
server-login-failed = 用户名或密码不正确。
server-too-often = 登录失败次数过多，请在 { $seconds } 秒后再试。
server-no-right = 此操作需要“{ $role ->
    [look] 查看
    [run] 查看与运行
   *[other] 管理
 }”权限，当前权限为“{ $own ->
    [look] 查看
    [run] 查看与运行
   *[other] 管理
 }”，可由管理员授予。
server-no-csrf = 请求缺少有效的X-CSRF-Token，可从GET /api/v1/session取得；请刷新页面。
server-no-login = 此处无需登录：服务器监听回环地址，且没有使用--login。
server-needs-session = 密码只能由以密码登录的本人修改，令牌不能修改。
server-token-needs-session = 令牌须由用户以密码登录后创建和撤回；令牌只能撤回它自己。
server-not-first = 已经有用户了，请登录，或联系管理员。
server-bad-password = 密码须为{ $least }到{ $most }个字符。
server-bad-user = “{ $user }”不能用作用户名：须为1到64个字母、数字、点、连字符、下划线或@。
server-user-there = 用户“{ $user }”已存在。
server-no-user = 没有用户“{ $user }”。
server-last-administrator = 这是最后一个管理员，请先指定另一个管理员。
server-no-token = 没有令牌“{ $token }”。
server-bad-token = 令牌名称须为1到100个可见字符，有效期1到{ $most }天。
server-too-many = 数量已达上限：{ $most }。
server-bad-setting = “{ $name }”不能为“{ $value }”。
server-bad-host = “{ $host }”不是可以允许的主机。请写成shop.test、*.shop.test、10.0.0.0/8或[::1]，可加:端口，不加则为所有端口；*表示任意主机。
server-certificate = 无法使用本服务器的证书（{ $path }）：{ $reason }。请用--tls-cert和--tls-key指定PEM格式的证书和密钥。
server-plan-outputs = 测试计划里写了输出。在此服务器上，由谁接收运行数据只由服务器设置决定，请从测试计划中去掉“outputs”。
server-plan-watch = 测试计划要监控“{ $source }”。在此服务器上，测试计划只能监控“auto”、“host”以及服务器设置“monitor”中列出的来源。
server-over-limit = “{ $name }”为{ $asked }，超过本服务器允许的{ $most }，可由管理员修改。
server-queue-full = 排队的运行已达上限：{ $most }，请等其中一个开始后再试。
server-bad-file = 无法保存文件“{ $name }”：文件名须相对于测试计划，不含“..”，不重复，内容为base64。
server-files-too-long = 测试计划的文件总共超过{ $limit_mib } MiB，请把大的数据文件放到服务器启动时所在的文件夹。

serve-fingerprint = 证书指纹：{ $fingerprint }
serve-first-code = 还没有用户。请在浏览器中用此代码创建第一个用户（管理员）：{ $code }
serve-loads-nothing = 目前不允许压测任何主机。请用--allow-host或在设置中允许。
serve-user-added = 已添加用户{ $user }，角色：{ $role }。
serve-user-changed = 已修改用户{ $user }。
serve-user-removed = 已删除用户{ $user }及其令牌。
serve-password = { $user }的密码：
serve-no-users = 还没有用户。
serve-user-how = 无法识别“{ $what }”。可用的写法：plimsoll serve user list；plimsoll serve user add NAME [--role look|run|administer]；… user role NAME --role ROLE；… user password NAME；… user remove NAME

problem-waits = 正在排队
problem-not-made = 没有执行
server-bad-columns = “columns”须为{ $least }到{ $most }。
remote-bad-address = “{ $address }”不是工作台地址。请写成--server https://HOST:PORT，或http://127.0.0.1:PORT。
remote-needs-tls = { $address }会以明文访问，本机以外的工作台不接受。请写成https://…
remote-bad-token = { $variable }的内容不是令牌。
remote-certificate = 无法使用{ $variable }指定的证书：{ $reason }。请给出PEM文件，或服务器启动时显示的指纹（sha256:…）。
remote-lost = 无法连接工作台{ $server }：{ $reason }。请检查地址以及服务器是否在运行；若证书由服务器自行生成，请把指纹放入PLIMSOLL_SERVER_CERTIFICATE。
remote-refused = 工作台拒绝了请求（HTTP { $status }）：{ $reason }
remote-only-run = --server只能与“run”一起使用。
remote-option = { $option }不能发送给工作台。请去掉它，或在本机运行。
remote-file-elsewhere = { $what }读取{ $path }，该文件在测试计划的文件夹之外，因此不会发送。请把文件放到测试计划旁边。
remote-waits = 工作台正在执行其他运行，本次运行以{ $run }排队。按Ctrl-C可撤回。
remote-gone = 与运行{ $run }的连接反复中断，该运行仍在那里继续。

server-no-measurement = 没有名为“{ $id }”的测量，GET /api/v1/measurements可列出全部。
server-measurement-cut = 服务器在其完成之前结束了。已做的运行都在，请重新开始。
server-measurement-withdrawn = 它在开始之前被撤回了。
server-say-most = 本服务器限制运行的负载，请用“to”说明搜索的上限。
server-bad-last = “last_s”须为10到{ $most }秒。

server-tune-not-allowed = 本服务器不允许开始调优，因为调优会执行命令。请用--allow tune启动服务器。
server-no-study = 没有名为“{ $name }”的调优，GET /api/v1/studies可列出全部。
server-study-cut = 服务器在调优完成之前结束了，此前的试验都在。如还有需要恢复的内容，“needs_restore”会说明：请用POST /api/v1/studies/名称/restore，或plimsoll tune --restore。
server-study-goes-on = 调优“{ $name }”正在进行，请先停止。
server-study-of-command-line = 调优“{ $name }”由命令行的plimsoll tune进行，不属于本服务器。请在命令行按Ctrl-C结束，所有改动都会恢复原样。
server-study-killed = 调优“{ $name }”的进程在完成之前被强制终止，此前的试验都在。如还有需要恢复的内容，“needs_restore”会说明：请用POST /api/v1/studies/名称/restore，或plimsoll tune --restore。
server-study-over = 调优“{ $name }”已经结束。
server-no-finding = 本次运行没有第{ $number }条发现，共{ $count }条，从1开始计数。
server-finding-no-setting = 这条发现没有建议任何设置：需要修改的在别处，例如代码或SQL语句，因此没有可以调优的内容。
server-finding-unnamed = 这条发现建议的设置（{ $settings }）不在按名称识别的调优参数之列，因此无法生成调优方案。请自行编写调优参数：给出文件和键，或启动参数（docs/tune.md）。
server-study-made = 由一条发现生成。调优会自行启动被测系统：请先停止正在运行的实例，并逐行检查。
server-study-no-command = 本次运行中没有看到被测系统的启动命令，请补充：start: 命令
server-study-commands = 监控到多个进程，请选择被测系统的那一个：
server-study-masked = 此命令中的密文已被屏蔽，请重新填写，或改为从环境变量读取。
server-study-no-ready = 何时算启动完成？请补充：ready: 主机:端口

server-bad-cron = “{ $cron }”不是有效的时间：{ $reason }。请依次写分、时、日、月、星期，例如30 2 * * *。
server-cron-long = 超过 { $most } 个字符
server-cron-fields = 有 { $count } 个字段，应为5个
server-cron-field = { $field ->
    [minute] 分钟（0–59）
    [hour] 小时（0–23）
    [day] 日（1–31）
    [month] 月（1–12，或 JAN–DEC）
   *[weekday] 星期（0–7，或 SUN–SAT）
 }不能是“{ $value }”
server-cron-never = 不存在这样的日期
server-cron-unreadable = 各字段无法组合
server-bad-zone = “{ $zone }”不是本机的时区，请写例如Asia/Shanghai或UTC。
server-bad-name = 名称为空、超过200个字符，或含有控制字符。
server-no-schedule = 没有名为“{ $name }”的定时运行，GET /api/v1/schedules可列出全部。
server-schedule-no-right = 没有开始运行：创建此定时运行的用户“{ $user }”已无权开始运行。请由有权限的人重新创建。

server-bad-webhook = “{ $name }”不能是“{ $value }”。Webhook的url须以https://或http://开头且不含用户名，至少有一个事件（begin、end、verdict、finding），语言为en或zh，引用的环境变量只能以PLIMSOLL_WEBHOOK_开头。
server-no-webhook = 没有名为“{ $name }”的Webhook，GET /api/v1/webhooks可列出全部。
server-webhook-no-address = 填入变量后，这不是可以发送Webhook的地址。
server-webhook-no-variable = 服务器的环境变量中没有设置{ $name }，请设置后重新启动服务器。
server-webhook-own-network = { $name }指向本机或内网，除非服务器以--allow-webhook启动，否则不会向其发送Webhook。
server-webhook-no-host = 无法解析主机名{ $name }：{ $reason }。
server-webhook-no-connection = 无法连接{ $name }：{ $reason }。
server-webhook-slow = { $seconds }秒内没有收到响应。
server-webhook-no-response = 没有收到响应：{ $reason }。
server-webhook-status = 接收方未接受消息：状态码{ $status }。
server-webhook-chat = 接收方未接受消息：{ $said }。
webhook-begin = Plimsoll：运行“{ $name }”已开始。被测系统：{ $target }；运行编号{ $run }。
webhook-end = Plimsoll：运行“{ $name }”已结束：{ $verdict }。吞吐量{ $throughput }/s，p95响应时间{ $p95 } ms，错误率{ $errors }%。被测系统：{ $target }；运行编号{ $run }。
webhook-verdict = Plimsoll：运行“{ $name }”未通过：{ $verdict }。吞吐量{ $throughput }/s，p95响应时间{ $p95 } ms，错误率{ $errors }%。被测系统：{ $target }；运行编号{ $run }。
webhook-finding = Plimsoll：运行“{ $name }”中被测系统的瓶颈：{ $finding }。吞吐量{ $throughput }/s，p95响应时间{ $p95 } ms。被测系统：{ $target }；运行编号{ $run }。
webhook-undertaking-begin = Plimsoll：{ $kind ->
        [repeat] 重复运行
        [capacity] 容量测量
        [hops] 逐跳测量
        [interleave] 交替对比
       *[study] 调优
    }“{ $name }”已开始（{ $run }）。
webhook-undertaking-end = Plimsoll：{ $kind ->
        [repeat] 重复运行
        [capacity] 容量测量
        [hops] 逐跳测量
        [interleave] 交替对比
       *[study] 调优
    }“{ $name }”（{ $run }）已结束：{ $state ->
        [finished] 已完成
        [stopped] 已停止
        [interrupted] 已中断
       *[failed] 失败
    }。
webhook-undertaking-verdict = Plimsoll：{ $kind ->
        [repeat] 重复运行
        [capacity] 容量测量
        [hops] 逐跳测量
        [interleave] 交替对比
       *[study] 调优
    }“{ $name }”（{ $run }）失败，没有结果。
webhook-test = Plimsoll：这是一条测试消息，收到它即可收到运行通知。

server-wrong-type = 请求内容必须是 JSON，并带“Content-Type: application/json”。
server-body-too-long = 请求内容超过允许的长度。
server-body-lost = 请求内容没有传完，请重新发送。
server-not-utf-8 = 请求内容不是 UTF-8。
server-unreadable-request = { $place ->
    [json] 请求中的 JSON 无法使用
    [query] 地址中“?”之后的内容无法使用
   *[path] 该地址无法使用
 }：{ $what }。
server-mistake-at = 第 { $line } 行第 { $column } 列：{ $what }
server-mistake-of = “{ $field }”：{ $what }
server-mistake-field = 没有字段“{ $name }”；可用的有：{ $known }
server-mistake-missing = 缺少“{ $name }”
server-mistake-twice = “{ $name }”出现了两次
server-mistake-value = 不能是“{ $value }”，可以是：{ $known }
server-mistake-end = 内容不完整
server-mistake-other = { $what }
server-mistake-kind = 不能是“{ $found }”，{ $wanted ->
    [text] 应为带引号的文本
    [boolean] 应为 true 或 false
    [list] 应为列表
    [object] 应为花括号内的对象
    [number] 应为数字
    [whole-number] 应为整数（不允许负数处须不小于0）
   *[other] 允许的写法见 /api/v1/openapi.json
 }
server-too-many-of = “{ $name }”有 { $count } 项，最多 { $most } 项。
