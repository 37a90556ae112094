# 命令行帮助。`help-<命令>` 说明命令的用途，`help-<命令>-after` 显示在选项之后。
# `help-<命令>-<参数>` 是该命令专用的参数说明，没有时使用 `help-arg-<参数>`。

help-plimsoll = 对 Web 服务加压，如实测量，并报告其性能。
help-plimsoll-after =
    示例：
      plimsoll run http://127.0.0.1:8080/hello --users 50 --duration 30s
      plimsoll run plan.yaml --set host=10.0.0.5 --goal "p95 < 300ms" --report out.html
      plimsoll once plan.yaml
      plimsoll help run

    退出码：0 满足全部性能目标，1 有性能目标不满足，2 测试计划或参数有误，3 无法连接被测系统，
    4 瓶颈在压力机，5 被保护条件终止，6 没有请求成功，7 运行无法保存，130 被中断。
help-heading-arguments = 参数
help-heading-options = 选项
help-heading-begin = 加压
help-heading-results = 查看结果
help-heading-how-much = 能承受多少负载
help-heading-target = 监控被测系统
help-heading-hosts = 多台压力机
help-heading-program = 程序本身
help-man-title-name = 名称
help-man-title-synopsis = 用法
help-man-title-notes = 说明
help-man-title-see-also = 另见
help-usage = 用法
help-with-default = { $text }［默认：{ $default }］
help-with-values = { $text }［可选：{ $values }］
help-with-alias = { $text }［同：{ $alias }］

help-run = 对服务加压并报告其性能。
help-run-after = 每次运行保存在各自的目录中，之后可由此重新生成任何报告（plimsoll report、show、compare）。
help-check = 检查测试计划：列出所有错误及其行号，并显示负载、时长、性能目标和请求。
help-check-after = 退出码：0 测试计划有效，2 测试计划有误。
help-once = 一个用户，每个场景迭代一次，显示所有请求与响应；不保存任何内容。
help-once-after = 凭据、Cookie、密码和机密变量会被遮盖。退出码：0 所有请求成功，1 有请求失败，2 测试计划有误，3 无法连接被测系统，130 被中断。
help-report = 生成一次运行的报告。
help-show = 显示一次运行的聚合报告；多次运行则并排显示。
help-captures = 显示一次运行期间对被测系统的监控数据和采样快照。
help-list = 列出所有运行，最新的在最后。
help-serve = 启动工作台：在浏览器里实时查看和管理运行，并提供HTTP API。
help-serve-after =
    同一文件夹里由命令行启动的运行会自动出现。监听回环地址时无需登录；监听其他地址，或使用--login、--name时，
    须登录，用户有角色之分，且只能压测允许的主机。
    示例：
      plimsoll serve
      plimsoll serve --out /srv/runs --listen 127.0.0.1:9000 --open
      plimsoll serve --listen 0.0.0.0:8443 --allow-host '*.shop.test'
      plimsoll serve user add li --role run

    退出码：0 由你结束，2 参数有误或无法启动。
help-compare = 对比运行：B 与 A 是否不同，相差多少。
help-compare-after =
    示例：
      plimsoll compare last~1 -- last
      plimsoll compare a1 a2 a3 -- b1 b2 b3
      plimsoll compare --interleave old.yaml new.yaml --pairs 10

    每侧只有一次运行时只显示差值，不作判断：请重复运行。
    退出码：0 完成（两侧不同时也是 0），1 B 更差（--fail-if-worse），2 参数有误，3 无法连接被测系统，130 被中断。
    退出码：0 完成（两侧不同时也是 0），2 参数有误，3 无法连接被测系统，130 被中断。
help-tune = 改动被测系统的设置，回读，再测，凭检验保留有用的改动。
help-tune-after =
    示例：
      plimsoll tune study.yaml --dry-run
      plimsoll tune study.yaml
      plimsoll tune plan.yaml --start 'java -jar app.jar'
      plimsoll tune --knobs tomcat
      plimsoll tune --restore

    只改动调优方案写明的内容。除非给出 --keep-best，结束时一切恢复原样。
    退出码：0 有结果，1 未改动的被测系统无法测量，2 调优方案无效或某项操作未能完成，5 无法做出判断（试验次数或时间不够、没有可试的改动，或改动后都无法测量），130 被中断。
help-capacity = 自动搜索容量：满足性能目标的最大负载。
help-capacity-after =
    负载按几何级数增长，直到有性能目标不满足，然后缩小范围，最后对两端重复测量。每次测量都是一次普通的运行，
    按其稳定的时段评判，一旦性能目标已不可能满足就提前停止。--from 10 搜索用户数，--from 10/s 搜索到达率；
    默认按测试计划自身的方式。
    示例：
      plimsoll capacity plan.yaml --goal "p95 < 300ms" --goal "errors < 0.1%"
      plimsoll capacity http://127.0.0.1:8080/hello --goal "p95 < 50ms" --from 100/s --to 20000/s

    退出码：0 有结果，1 没有负载能满足性能目标，2 测试计划或参数有误，3 无法连接被测系统，
    4 瓶颈在压力机，130 被中断。
help-hops = 对调用链逐跳单独加压，说明每一跳给响应时间增加多少。
help-hops-after =
    由外到内写出请求经过的每一跳。不带路径的地址使用测试计划自身的请求；带路径的地址改用该请求。每一跳都由同样的
    少量用户轮流加压；自身增加的时间是它的时间减去下一跳的时间。测试计划在“hops”下写明调用链时，每次运行后自动测量。
    示例：
      plimsoll hops http://10.0.0.1/orders --hop nginx=http://10.0.0.1 --hop gateway=http://10.0.0.2:8080 --hop stock=http://10.0.0.3:8081/stock
      plimsoll hops plan.yaml --keep-in last

    退出码：0 各跳都有时间，1 有一跳大多失败，2 测试计划或参数有误，3 有一跳无法连接，130 被中断。
help-calibrate = 测量本压力机能产生的最大负载。
help-calibrate-after =
    对另一些 CPU 上的内置页面（或指定的内容不变的页面）逐级增加用户，直到吞吐量不再提高。结果保存在用户的
    状态目录（XDG_STATE_HOME）；本机同一版本的运行将与之对比，接近上限的运行会被标记。
    示例：
      plimsoll calibrate
      plimsoll calibrate http://10.0.0.2/constant.html --users 1000

    退出码：0 有结果，1 页面响应出错，2 参数有误，3 页面无法连接，130 被中断。
help-size = 计算预期的负载，以及所需的用户数、线程与连接池。
help-size-after =
    每个数字都附有公式与出处。请给出已知的数据：
      plimsoll size --visits-per-day 1000000
      plimsoll size --tps 200/s --response-time 150ms --think-time 3s
      plimsoll size --users 500 --response-time 200ms --think-time 5s --cores 4 --memory 8GB

    退出码：0 已算出，2 参数有误。
help-convert = 将 JMeter 测试计划或 curl 命令行转换为测试计划。
help-convert-after =
    对于 curl 命令行，看似机密的值（密码、令牌、Cookie）不写入测试计划，由环境变量提供。JMeter 测试计划原样转换，
    其中的机密值会保留并提示；init 会把它们也改为环境变量。
    已存在的文件不会被覆盖，除非加上 --force。
    示例：
      plimsoll convert plan.jmx -o plan.yaml
      plimsoll convert -o plan.yaml curl -H 'Accept: text/html' http://127.0.0.1:8080/
help-schema = 输出测试计划或某种输出的 JSON Schema。
help-watch = 不加压，实时监控被测系统。
help-watch-after =
    在终端上原地刷新画面，按 q 结束；否则每次输出一份画面。
    示例：
      plimsoll watch
      plimsoll watch --watch auto --target 127.0.0.1:8080
      plimsoll watch --watch agent=tls://web1:7077,fingerprint=sha256:…,token-file=agent.token

    退出码：0 手动结束或 --once 完成，2 参数有误，3 监控不到任何数据。
help-worker = 通过 NATS，为其他主机上的主控节点产生负载（plimsoll run --workers）。
help-worker-after =
    凡能在执行节点主题上发布消息者都可让它发送负载：请让 NATS 验证身份（docs/fleet.zh-CN.md）。
    未给出的选项取自 PLIMSOLL_NATS、PLIMSOLL_NATS_USER、PLIMSOLL_NATS_PASSWORD_FILE 等。
    按 Ctrl-C 交还份额并结束。
    示例：
      plimsoll worker --nats nats://10.0.0.1:4222 --name w1 --labels zone=a
help-workers = 列出执行节点：状态、CPU、版本、时钟、标签、健康。
help-agent = 让其他主机上的主控节点监控本机。
help-agent-after =
    Agent 只监控，只响应固定的查询；使用 --allow tune 时还会更改其文件写明的内容。在回环地址之外它使用 TLS（自己的证书，启动时打印指纹），
    并要求令牌，令牌取自文件或 PLIMSOLL_AGENT_TOKEN。
    示例：
      plimsoll agent
      plimsoll agent --listen 0.0.0.0:7077 --token-file agent.token
    不需要 root；以 root 运行时可以看到所有用户的进程。

help-arg-server = 执行运行的工作台，http://HOST:PORT或https://HOST:PORT。令牌放在PLIMSOLL_SERVER_TOKEN，证书（文件或指纹）放在PLIMSOLL_SERVER_CERTIFICATE。
help-arg-lang = 消息和报告的语言：en 或 zh；默认取自环境。
help-arg-help = 显示帮助。
help-arg-version = 显示版本。
help-arg-source = 测试计划文件（.yaml，或 JMeter 的 .jmx），或以 http:// 或 https:// 开头的 URL。
help-arg-set = 设置测试计划中的变量；可多次给出。
help-arg-allow-host = 除测试计划中写明的主机外，另外允许加压的主机。
help-arg-method = 请求方法（仅用于 URL）。
help-arg-headers = 请求头（仅用于 URL）；可多次给出。
help-arg-data = 请求体，或 @文件（仅用于 URL）。
help-arg-insecure = 不校验证书（仅用于 URL）。
help-arg-timeout = 请求超时时间，如 500ms、10s（仅用于 URL）。
help-arg-users = 封闭式负载的用户数：每个用户收到响应后才继续。
help-arg-rate = 开放式负载的到达率，如 100/s、600/min：不论响应是否返回都按此到达。
help-arg-ramp-up = 从零升到满载的时间。
help-arg-warm-up = 预热时间，不计入结果。
help-arg-duration = 加压总时长，如 30s、10m、1h30m。
help-arg-iterations = 每个用户的迭代次数。
help-arg-max-in-flight = 同时执行的用户数上限；超出时该次到达计为丢弃的迭代。
help-arg-threads = 加压线程数；默认每个可用 CPU 一个。
help-arg-pin = 将每个加压线程固定在一个 CPU 上。
help-arg-seed = 所有随机数的种子。
help-arg-time-all-receives = 对每个响应都取内核接收时间，而不是每 64 个取 1 个。
help-arg-goals = 性能目标，如 "p95 < 300ms"、"login:p99 < 1s"、"errors < 0.1%"；可多次给出。
help-arg-watch = 加压期间监控的对象，写法同测试计划：auto、host、process=8080、actuator=http://127.0.0.1:8081/actuator、mysql=mysql://db:3306,user=watch,password-env=PW；可多次给出。
help-arg-outputs = 运行期间把结果实时发送到此处，可多次指定：`influxdb=http://HOST:8086/write?db=NAME`、`prometheus=http://HOST:9090`、`otlp=http://HOST:4318`、`jsonl=FILE`。KEY=VALUE 可为 `tag.NAME=VALUE`；除文件外另有 `token-env=VARIABLE`、`user=NAME`、`password-env=VARIABLE`、`ca-file=FILE`。见 docs/outputs.zh-CN.md。
help-arg-watch-allow-capture = 允许会干扰被测系统的采样快照：attach 到 JVM、线程转储、类直方图（每次都会强制 Full GC）。
help-arg-probe = 在负载结束时先加压 10%，再加压 50%，各 5 秒（可用 --probe=10s 指定时间），以查看余量。这些秒数不计入结果。
help-arg-no-probe = 负载结束时不减压。被监控的负载若达到20秒，会再以一半的大小继续约5秒，以查看请求之间是否互相等待；这些秒数不计入结果。
help-arg-out = 存放运行的目录。
help-arg-quiet = 不显示进度和表格；退出码不为 0 时显示一行说明。
help-arg-jmeter-property = .jmx 测试计划的 JMeter 属性，同 JMeter 的 -J；可多次给出。
help-arg-jmeter-global = 同 -J；使用执行节点时对所有执行节点生效。也可以是一个属性文件。
help-arg-jmeter-system = Java 系统属性，供 JVM 伴随进程和读取它的函数使用。
help-arg-jmeter-system-file = 从文件读取 Java 系统属性，同 JMeter 的 -S；可多次给出。
help-arg-addprop = 从文件读取更多 JMeter 属性；可多次给出。
help-arg-plugins = 也在该目录的 jar 中查找 .jmx 测试计划的元件和函数，由 JVM 伴随进程运行；可多次给出。
help-arg-allow-unsupported = 即使 .jmx 测试计划中有不支持的元件也运行；这些元件会被略去并逐一列出。

help-run-repeat = 重复运行的次数。
help-run-summary-json = 将摘要写为 JSON。
help-run-jtl = 按 JMeter 的格式（CSV）写出每个样本。
help-run-report = 写出报告，格式由文件名决定（.html、.md、.json、.csv、.xml）；可多次给出。
help-check-operations = 显示测试计划编译成的操作。
help-check-quiet = 只说明测试计划是否有效。
help-once-body-bytes = 请求体和响应体最多显示的字节数；0 表示全部。
help-report-run = 运行：目录、名称的唯一前缀、last，或 last~N（之前第 N 次）。
help-report-format = 格式；默认由文件名决定，否则为 html。可选：{ $formats }。
help-report-errors = 输出全部错误：各类型、响应码和检查的数量与时间，以及附请求与响应的样本。
help-report-output = 输出文件；默认为运行目录中的 report.html（或该格式对应的扩展名）；- 表示标准输出。
help-show-run = 运行：目录、名称的唯一前缀、last，或 last~N（之前第 N 次）；NAME=RUN 以该名称显示。
help-show-over = 增加一列：响应时间超过该值的样本所占比例。
help-captures-run = 运行：目录、名称的唯一前缀、last，或 last~N（之前第 N 次）。
help-captures-number = 输出该编号的采样快照。
help-captures-output = 输出文件；默认为标准输出。
help-serve-listen = 本机的地址和端口；端口0表示自动选择空闲端口。
help-serve-open = 在浏览器中打开页面。
help-serve-what = 改为管理用户：user add、list、role、password或remove，加用户名。
help-serve-login = 必须登录，从本机访问也一样。
help-serve-names = 访问时使用的其他名称，例如在代理之后；此时必须登录。
help-serve-tls-cert = TLS证书，PEM格式。不指定时，监听非回环地址的服务器会自行生成证书。
help-serve-tls-key = 证书的密钥，PEM格式。
help-serve-allow-hosts = 允许压测的主机，管理员可在设置中另行指定：shop.test、*.shop.test、10.0.0.0/8，可加:端口，不加则为所有端口；*表示任意主机。
help-serve-allows = 除运行外还允许什么：tune（调优研究，会执行命令）、scripts、files、processes（用于发送来的测试计划，无论由谁发送；允许脚本或进程，就是允许做服务器的系统用户能做的一切）。
help-serve-allow-webhooks = 允许向其发送Webhook的内网主机，写法同--allow-host；不指定时只能发往公网。
help-serve-monitor = 在没有负载时监控这些来源（同plimsoll watch），保留最近几小时；可多次给出。
help-serve-role = 添加或修改的用户的角色：look、run或administer。
help-tune-study = 调优方案：YAML文件，见 docs/tune.zh-CN.md。
help-tune-start = 用该命令启动被测系统，不写调优方案直接调优：此时STUDY.yaml是测试计划或URL。只改动该命令的参数和环境变量。
help-tune-knobs = 列出方案可以按名称使用的调优参数：不写类别名时列出总表；写类别名或参数名时列出全部信息。
help-tune-json = 以JSON输出列表。
help-tune-objective = 要优化的指标，例如 minimise p99，代替方案中的。
help-tune-measure = 每次运行测量多长时间，代替方案中的。
help-tune-warm-up = 每次运行前最多等待多久达到稳态，代替方案中的。
help-tune-restore = 恢复被强行结束的调优留下的改动；不写方案或测试计划时恢复运行文件夹里所有的调优。
help-tune-dry-run = 检查调优方案和测试计划，打印将要执行的命令和改动，什么也不做。
help-tune-resume = 从调优停下的地方继续，已做过的试验不再重做。
help-tune-from = 从以前一次调优的试验（其 tune.json）开始：搜索会利用它们，最终结论不依赖它们。
help-tune-keep-best = 把保留的值留在文件、数据库和内核中；原文件的副本保存在运行目录的 .tune/名称/originals 中。启动参数和环境变量列在改动里。
help-tune-approve = 显示每处改动并等待同意。
help-tune-trials = 试验次数上限，代替方案中的。
help-tune-time = 时间上限，代替方案中的。
help-tune-seed = 搜索的随机数种子。
help-tune-output = 结果JSON的文件；默认为运行文件夹里的 tune.json。
help-tune-report = 把调优报告写到该文件，按扩展名为HTML、Markdown或XLSX（.html、.md、.xlsx）。可以写多次。
help-tune-show = 显示已有的结果（tune.json）；加 --report 则重新生成报告，语言和格式任选；不做试验。
help-tune-quiet = 不显示进度，也不在终端显示结果。
help-tune-watch-allow-capture = 允许会干扰被测系统的采样快照（线程转储、抓包、类直方图）：在不计入结果的单独运行中采样，用来看清瓶颈，从而决定尝试什么。
help-capacity-from = 第一个负载：用户数（50）或到达率（50/s）；默认 1 个用户或 10/s。
help-capacity-to = 允许尝试的最大负载；默认 10000 个用户或 100000/s。
help-capacity-step-seconds = 每次测量保持负载的秒数。
help-capacity-max-measurements = 最多测量次数。
help-capacity-precision = 结果的区间最宽为百分之几。
help-capacity-repeats = 区间两端各测量几次（在次数允许时）。
help-capacity-cool-down = 两次测量之间不加压的时间。
help-capacity-warm-up = 测量之前先以第一个负载加压这么久。
help-capacity-max-in-flight = 同时执行的用户数上限；超出时该次到达计为丢弃的迭代（仅用于 URL）。
help-capacity-output = 写入 JSON 结果的文件；默认为运行目录下的 capacity.json。
help-hops-hops = 一跳及其地址，由外到内；可多次给出；默认为测试计划中的各跳。
help-hops-users = 每个场景的用户数，各跳相同。
help-hops-rounds = 计入结果的轮数；每轮对每一跳加压一次。
help-hops-round-seconds = 每轮对一跳加压的秒数。
help-hops-keep-in = 把结果保存到该运行，供其诊断与报告使用；不写名称时为最近一次。
help-hops-json = 输出 JSON，供程序使用（plimsoll schema hops）。
help-hops-output = 写入 JSON 结果的文件。
help-calibrate-url = 代替内置页面的、内容不变的页面地址。
help-calibrate-users = 最多尝试的用户数。
help-calibrate-no-keep-alive = 每个请求都新建连接。
help-calibrate-threads = 加压线程数；默认每个可用 CPU 一个，使用内置页面时为一半。
help-calibrate-insecure = 不校验证书。
help-calibrate-step-seconds = 每一级用户数保持的秒数。
help-calibrate-json = 输出 JSON，供程序使用（plimsoll schema calibration）。
help-calibrate-output = 写入 JSON 结果的文件。
help-calibrate-no-save = 不保存：只显示结果。
help-size-visits-per-day = 一天的访问次数；由此得出目标吞吐量。
help-size-busy-visits = 一天的访问中集中在繁忙时段的百分比。
help-size-busy-day = 繁忙时段占一天的百分比。
help-size-tps = 已知的目标吞吐量，如 200/s。
help-size-users = 已知的并发用户数。
help-size-response-time = 平均响应时间，如 200ms。
help-size-think-time = 用户在请求之间的思考时间，如 3s。
help-size-cores = Web 服务器主机的核数。
help-size-memory = Web 服务器主机的内存，如 8GB。
help-size-json = 输出 JSON，供程序使用。
help-captures-take = 让正在进行的运行立即采集快照：某一类，或全部。
help-compare-a = A 侧的运行，作为基准。
help-compare-b = B 侧的运行，即被评判的一侧，写在 -- 之后。
help-compare-interleave = 交替运行两个测试计划（A、B、B、A……），并逐对对比。
help-compare-pairs = 运行的对数。
help-compare-paired = 两侧的运行是交替进行的：A 的第 n 次对应 B 的第 n 次。
help-compare-format = 格式。
help-convert-output = 输出文件；默认为标准输出。
help-convert-force = 文件已存在时覆盖。
help-convert-command = JMeter 测试计划（.jmx）；或 curl 命令行，可作为一个或多个参数；省略或写 - 则从标准输入读取命令行。
help-watch-watch = 监控的内容：host、auto、process=8080、actuator=http://127.0.0.1:8081/actuator、agent=127.0.0.1:7077 等；可多次给出；默认为本机。
help-watch-target = auto 要查找的服务的监听地址。
help-watch-interval = 两次画面之间的时间。
help-watch-once = 速率可得后只输出一份画面。
help-watch-json = 每次输出一行 JSON（plimsoll schema watch）。
help-agent-listen = 监听地址。
help-agent-allow = 采样快照的允许级别：observe 只监控；capture 还可以attach 到 JVM、转储线程、统计类（会强制一次 Full GC）；tune 还允许调优方案更改 --tune FILE 写明的内容，须经 TLS 和令牌。
help-agent-allow-remote-sources = 允许主控节点指定其他主机上的数据源。
help-agent-token-file = 主控节点必须出示的令牌所在文件；默认取环境变量 PLIMSOLL_AGENT_TOKEN。
help-agent-tls = 在回环地址上也使用 TLS。
help-agent-state = 证书及其密钥所在目录；默认为用户状态目录下的 plimsoll。
help-agent-tune = 写明 plimsoll tune 的调优方案可以在本机更改什么的文件；与 --allow tune 一起使用。
help-agent-watch = 主控节点未指定数据源时监控的内容，写法同 plimsoll watch；可多次给出。
help-schema-output = 要写入的文件；默认为标准输出。对于测试计划，还会给出编辑器查找它所用的一行。
help-schema-name = Schema 的名称。

help-diagnose = 指出运行的瓶颈：诊断结果及其证据、建议和验证实验。
help-diagnose-run = 运行：目录、名称的唯一前缀、last，或last~N（之前第N次）。可以是正在进行的运行。
help-diagnose-json = 输出JSON（schema/diagnosis.schema.json）。
help-diagnose-evidence = 用保存的证据代替运行。
help-diagnose-save-evidence = 把诊断所用的全部数据打包保存。
help-report-form = 报告种类：run（一次运行的全部）或acceptance（交付的报告：性能目标、环境、一次或多次运行的各级负载、瓶颈、结论；html、markdown或xlsx）。
help-report-title = 交付报告的标题；默认为测试计划的名称。
help-report-tester = 测试人员；可多次给出。
help-report-goal = 交付报告的性能目标，代替测试计划中的性能目标；可多次给出：'p95 < 300 ms'。

help-arg-nats = NATS 服务器，写作 nats://HOST:PORT 或 tls://HOST:PORT；集群可给出多个。默认取环境变量 PLIMSOLL_NATS。密码和令牌：PLIMSOLL_NATS_PASSWORD_FILE、PLIMSOLL_NATS_TOKEN_FILE。
help-arg-nats-prefix = 服务器上所有主题、日志和存储的前缀；默认 plimsoll。
help-arg-nats-user = 用户；密码来自 PLIMSOLL_NATS_PASSWORD_FILE 或 PLIMSOLL_NATS_PASSWORD。
help-arg-nats-nkey = nkey 种子文件。
help-arg-nats-credentials = nsc 生成的凭据文件。
help-arg-nats-ca = 代替系统证书所信任的证书（PEM）。
help-arg-nats-certificate = 本端证书（PEM）。
help-arg-nats-key = 本端证书的密钥（PEM）。
help-worker-name = 执行节点的名称：字母、数字、- 和 _；不得重名。默认为主机名。
help-worker-labels = 供运行选择执行节点的标签；多个用逗号分隔。
help-worker-allow = 除发送请求外，测试计划在此可做的事；多个用逗号分隔。
help-worker-folder = 运行时解包测试计划、存放内存放不下的报告的目录；默认为系统临时目录。
help-worker-jtl-dir = 把每次运行的样本逐条按 JMeter 的格式（CSV）写入该目录下单独的文件，运行结果会给出文件名。默认只统计样本。
help-workers-json = 以 JSON 输出（schema/workers.schema.json）。
help-run-workers = 把负载分给这么多个执行节点（plimsoll worker）：用户、速率、迭代和数据行精确划分。
help-run-workers-with = 只用带此标签的执行节点；多个用逗号分隔。
help-run-workers-within = 最多等待这么久，直到 NATS 可用且执行节点足够，例如 5m；不设时，若不具备则立即失败。
help-run-each = 每个执行节点运行整个测试计划，如同 JMeter 的远程服务器：负载成倍增加。
help-run-bundle = 执行节点还需要的、位于测试计划目录之下的文件；可多次给出。测试计划中写明的数据文件和请求体会自动发送。
help-run-clock-error = 时钟误差超过此值的执行节点会被拒绝。
help-run-lease = 没有主控节点时，执行节点在此时间后不再发起新的工作；4s 到 10m。
help-run-resume = 继续一次带 --workers、但主控节点已丢失的运行。无需写测试计划：运行中已有记录，也记录了监控的对象；可用 --watch 另行指定。

help-completions = 输出 shell 的命令行补全脚本。
help-completions-after =
    安装包会自动安装。手动安装：
      plimsoll completions bash > ~/.local/share/bash-completion/completions/plimsoll
      plimsoll completions zsh > ~/.zfunc/_plimsoll
      plimsoll completions fish > ~/.config/fish/completions/plimsoll.fish

    Zsh 需在 ~/.zshrc 的 compinit 之前写上 fpath+=~/.zfunc。
help-completions-shell = 使用的 shell。
help-man = 输出一个手册页，或写出全部手册页。
help-man-after =
    安装包会自动安装。手动安装：
      plimsoll man run | man -l -
      plimsoll man -o ~/.local/share/man/man1
help-man-output = 将全部手册页写入该目录。
help-help = 显示某个命令的帮助。
help-arg-topic = 命令名；默认为程序本身。
help-doctor = 检查本机允许什么、由此有何影响，以及用什么命令解决。
help-doctor-after =
    检查权限、端口、文件描述符、时钟、CPU、内存、磁盘、网络、证书、JMeter 测试计划所用的 Java，以及指定的 NATS。
    不作任何修改：权限是实际尝试的，上限从内核读取。
    退出码：0 可以运行（部分项目可能受限），1 运行会失败或数据有误。
help-doctor-json = 供程序使用的 JSON（plimsoll schema doctor）。
help-init = 由 URL、curl 命令行或 JMeter 测试计划生成带注释的测试计划。
help-init-after =
    不带参数时在终端上提问，否则读取标准输入。curl 命令行可以是 Bash 的写法，也可以是浏览器复制的形式，
    包括 Windows（cmd）的形式，也可以一次粘贴多条（“以 cURL 格式复制所有内容”）：每条成为一个步骤。不会执行任何
    命令，curl 以外的命令会被拒绝。看似机密的值（密码、令牌、Cookie；.jmx 中的也一样）不写入测试计划，由环境变量
    提供。判断依据是名称、位置和形式：分享测试计划之前请通读一遍。
    已存在的文件不会被覆盖，除非加上 --force。
    示例：
      plimsoll init http://127.0.0.1:8080/hello
      plimsoll init -o cart.yaml curl -X POST -H 'Accept: text/html' -d sku=7 http://127.0.0.1:8080/cart
      plimsoll init plan.jmx

    然后使用 plimsoll check、once、run。
help-init-force = 文件已存在时覆盖。
help-init-output = 要写入的测试计划；默认为 plan.yaml，JMeter 测试计划则写在其旁边、使用其名称。“-”表示标准输出。
help-init-command = URL、JMeter 测试计划，或 curl 命令行（一个或多个参数）。“-”表示从标准输入读取。
help-compare-fail-if-worse = 如果有证据表明 B 的总体结果比 A 差，且超过该百分比（=PERCENT；默认为任何程度），以 1 退出：用作 CI 的关卡。
