# 各命令的输出。

check-plan = 测试计划
check-target = 被测系统
check-users = 最多用户数
check-duration = 时长
check-until-done = 直到所有迭代完成
check-warm-up = 预热
check-goals = 性能目标
check-no-goals = 无：结果将不予评判
check-scenarios = 场景
check-scenario = { $name }：{ $load }
check-requests = 请求
check-more-requests = 另有 { $count } 个（--operations 显示全部）
check-right = { $source } 有效。警告：{ $warnings } 条。

once-saved = 保存 { $name } = { $value }
once-log = 日志：{ $line }
once-not-sent = （未发出任何内容）
once-no-response = （没有响应）
once-binary = （{ $bytes } 字节，不是文本）
once-cut = …（已截断，显示 { $shown } 字节；响应体共 { $all } 字节；--body-bytes 0 显示全部）
once-ok = ✓ 成功，{ $time }
once-followed = ↳ { $time }；根据此响应继续发出请求：
once-failed = ✗ { $kind }，{ $time }：{ $detail }
once-none = 测试计划在这一次迭代中没有发出任何请求。
once-interrupted = 已中断：尚未收到响应的请求不显示。
once-sum = 请求：{ $requests }，失败：{ $failed }。

list-run = 运行
list-plan = 测试计划
list-started = 开始时间
list-duration = 时长
list-samples = 样本数
list-throughput = 吞吐量/s
list-p95 = p95 ms
list-errors = 错误率
list-verdict = 结论
list-running = 进行中
list-cut-short = 中途终止

convert-nothing = 没有可转换的内容：请给出 curl 命令行（plimsoll convert curl http://…），或通过管道输入。
convert-exists = { $path } 已存在，不会覆盖。请指定其他文件，或加上 --force。
schema-line = 要让编辑器识别，任意文件夹中的测试计划以此行开头：{ $line }
output-no-folder = 无法写入 { $path }：文件夹 { $folder } 不存在。请创建该文件夹，或指定其他文件。
output-is-folder = 无法写入 { $path }：它是一个文件夹。请指定其中的文件。
convert-holds-secrets = 测试计划中有 { $count } 个看似机密的值（{ $names }），与 JMeter 测试计划中相同。plimsoll init 会把它们改为环境变量。
convert-unreadable = 无法从标准输入读取 curl 命令行：{ $reason }

# 命令行有误。

usage-wrong = 错误：{ $reason }
usage-line = 用法：{ $usage }
usage-options = 选项
usage-command = 命令
usage-name-command = 命令
usage-name-duration = 时长
usage-name-text = 文本
usage-name-family-knob = 类别|参数
usage-more = 更多信息请用 --help 查看。
usage-nearest = 是否应为 { $nearest }？
usage-no-value = { $argument } 缺少值。
usage-value = “{ $value }”不能作为 { $argument } 的值：{ $why }。
usage-value-unusable = 无法使用
usage-allowed = 可用的值为 { $values }
usage-unknown-argument = 此处没有参数 { $argument }。
usage-unknown-command = 没有命令“{ $command }”。
usage-no-command = 缺少命令。
usage-no-equals = { $argument } 的值必须写在等号之后。
usage-too-many-values = { $argument } 不再接受更多的值，但后面还有“{ $value }”。
usage-values-missing = { $argument } 的值太少。
usage-twice = { $argument } 只能给出一次。
usage-conflict = { $argument } 不能与 { $other } 同时使用。
usage-missing = 缺少：{ $argument }
usage-not-utf8 = 有参数不是有效的 UTF-8。
usage-other = { $reason }
usage-wants-whole-number = 请写整数
usage-wants-number = 请写数字
usage-wants-address = 请写 地址:端口，例如 127.0.0.1:7077
usage-wants-duration = 请写时间，例如 500ms、30s、10m 或 1h30m
usage-wants-objective = 请写要优化的指标，例如 maximise throughput 或 minimise p99
usage-wants-rate = 请写速率，例如 100/s 或 600/min
usage-wants-pair = 请写 名称=值
usage-wants-size = 请写大小，例如 512MiB 或 8GB
usage-wants-positive = 请写大于 0 的数
usage-wants-percentage = 请写大于 0 且不超过 100 的百分比，例如 3 或 80%
usage-wants-load = 请写用户数（例如 50）或速率（例如 100/s）

# 错误的改正建议之前。

problem-others = 另有 { $count } 处相同的问题：{ $places }
problem-remedy = 建议：

version-no-commit = 未记录（构建时没有使用 make）
version-long =
    提交：{ $commit }
    构建平台：{ $built }
    协议：{ $protocols }
    JMeter 测试计划：{ $jmeter }
    被测系统的数据源：{ $sources }
    报告：{ $formats }

# plimsoll init：提问、提示，以及写入测试计划的注释。

init-ask = 请输入 URL、curl 命令行（可直接粘贴）或 JMeter 测试计划（.jmx）：
init-nothing = 没有可用的内容：请给出 URL、curl 命令行或 .jmx 文件。
init-written = 已写入 { $path }，带有注释。
init-secrets = { $count } 个看似机密的值改由环境变量提供。请按来源中的原样设置；分享测试计划之前请通读一遍：
init-schema = 本机的编辑器按上一行补全。其他机器：运行 plimsoll schema -o 文件，它会给出相应的一行。
init-no-source = “{ $found }”不是 URL、curl 命令行或 JMeter 测试计划（.jmx）。
init-next = 接下来：
init-about = Plimsoll 测试计划。全部键见 plimsoll schema 或 docs/plan.zh-CN.md。试发一次：plimsoll once。加压：plimsoll run。
init-about-jmeter = 由 { $file } 转换而来的 Plimsoll 测试计划。全部键见 plimsoll schema 或 docs/plan.zh-CN.md。
init-key-target = 被测系统。步骤中的路径以此开头；不会对其他主机加压。
init-key-variables = 变量：任何位置都可写 ${"{"}name{"}"}。机密信息取自环境变量，在报告中会被遮盖。
init-key-auth = 身份凭据：随每个请求发送。
init-key-redirects = 是否跟随重定向（false：不跟随）。
init-key-compression = 请求压缩的响应，并解压。
init-key-tls = 信任谁的证书。
init-key-proxy = 请求经过的代理服务器。
init-key-data = 数据文件：每个用户取自己的一行。
init-key-scenarios = 用户做什么：每个场景有自己的步骤和负载。
init-key-users = 同时工作的用户数。
init-key-stages = 负载的起落：在 ramp 内达到若干用户，并保持 for 这么久。
init-key-rate = 每秒开始多少次迭代，不论响应是否返回。
init-key-steps = 每个用户反复执行的步骤。
init-load = 负载：同时工作的用户数、加压所用的时间，以及总时长。如需开放式负载，用 rate: 50/s 代替 users。
init-load-more = 可将开头一段作为预热，不计入结果：
init-key-goals = 运行通过所需满足的性能目标（退出码 0）；否则不通过（1）。
init-steps-more = 步骤可以检查响应，用户可以在步骤之间思考：

usage-wants-tolerance = 请写 0 以上的百分比，如 5 或 5%
compare-gate-open = 未评判：每侧只有一次运行，无法得出差异。请重复运行（run --repeat 5）。
compare-gate-worse = B 比 A 差：{ $metric } { $percent }（调整后 p = { $p }）。
compare-gate-passed = 没有证据表明 B 比 A 差 { $percent } % 以上。
