# JMeter 测试计划：读取、转换、运行。

## 读取 .jmx 文件

jmeter-xml-too-long = 文件超过 { $limit_mib } MiB
    .remedy = 请把请求体和数据放到单独的文件中。
jmeter-xml-encoding = 未知的编码“{ $encoding }”
    .remedy = 请把测试计划保存为 UTF-8，并在第一行写 encoding="UTF-8"。
jmeter-xml-empty = 文件中没有 XML 元素
    .remedy = JMeter 测试计划以 <jmeterTestPlan> 开头。请检查文件是否正确。
jmeter-xml-syntax = 无法作为 XML 理解：{ $detail }
    .remedy = 请用 JMeter 打开并重新保存该测试计划，或手工修正此处。
jmeter-xml-not-closed = <{ $name }> 没有结束：文件在其中中断
    .remedy = 文件可能不完整，请重新获取。
jmeter-xml-too-deep = 元素嵌套超过 { $limit } 层
    .remedy = 请把测试计划写得扁平些：把部分内容放到测试片段中。
jmeter-xml-second-root = 顶层出现第二个元素：一个 XML 文档只能有一个
    .remedy = 请删除 </jmeterTestPlan> 之后的内容。
jmeter-xml-entity = 实体 &{ $name }; 不会被展开
    .remedy = 请直接写出文本。出于安全，只读取 &lt; &gt; &amp; &quot; &apos; 和字符编号。
jmeter-xml-no-plan = <{ $name }> 不是 JMeter 测试计划的开头
    .remedy = 测试计划以 <jmeterTestPlan> 开头。请检查文件是否正确。
jmeter-xml-old-format = 这是 JMeter 2.1 以前的测试计划格式
    .remedy = JMeter 5 也不能读取它。请用 JMeter 2.1 到 2.9 打开并保存，再使用保存后的文件。
jmeter-xml-no-elements = 测试计划中没有元素
    .remedy = 请检查文件是否正确。

## Listeners
jmeter-listener-delimiter = 属性 jmeter.save.saveservice.default_delimiter 的值为“{ $found }”，但它必须是一个可打印字符，且不能是字母、数字或双引号（制表符写作 \t）
jmeter-listener-file = 无法打开结果文件 { $path }：{ $reason }（请在监听器中换一个文件名，或使其目录可写）
jmeter-listener-file-broken = { $path } 不完整：{ $reason }
jmeter-table-server = Simple Table Server 无法监听 { $address }：{ $reason }（可用 jmeterPlugin.sts.port 和 jmeterPlugin.sts.listen 指定其他端口和地址；不设 jmeterPlugin.sts.loadAndRunOnStartup 则不启动）
jmeter-backend-class = 未知的后端监听器类 { $class }（已知：GraphiteBackendListenerClient 配 TextGraphiteMetricsSender，InfluxdbBackendListenerClient 和 InfluxDBRawBackendListenerClient 配 HttpMetricsSender 或 UdpMetricsSender）；请禁用该监听器，或改用其中之一
jmeter-backend-window = 属性 backend_metrics_window_mode 的值为“{ $found }”，但它必须是 fixed 或 timed
jmeter-backend-filter = 后端监听器的过滤器 { $pattern } 不是正则表达式：{ $reason }
jmeter-backend-host = 后端监听器要向 { $host } 发送数据，但未被允许：请加上 --allow-host { $host }，或禁用该监听器
jmeter-backend-address = 后端监听器的地址“{ $address }”无效：应为 http://主机:端口/write?db=名称，UDP 则为“主机:端口”
jmeter-backend-lost = 发往 { $target } 的 { $sent } 份报告中有 { $lost } 份丢失，最后一份的原因：{ $reason }

## packages at run time
jmeter-log = JMeter 日志：{ $text }
jmeter-failed = { $reason }
jmeter-listeners-lost = 写结果文件的线程已崩溃：测试计划中的监听器所写的内容不完整。

## 命令行
jmeter-properties-unreadable = 无法读取属性文件 { $path }：{ $reason }
    .remedy = 请给出一个 JMeter 属性文件，每行形如 名称=值。
jmeter-properties-not-obeyed = 有 { $count } 个属性在 JMeter 中会改变测试，在这里不起作用：{ $names }
    .remedy = 原因和替代方法见 docs/jmeter-properties.zh-CN.md。

## The JVM companion (crates/companion)

jmeter-companion-not-built = 此测试计划需要 JVM 伴随进程，但没有找到（查找过 { $looked }）。请安装软件包 plimsoll-companion，或在源码目录运行 make companion 构建，或用 PLIMSOLL_COMPANION=目录 指定其位置
jmeter-companion-not-there = PLIMSOLL_COMPANION 指向 { $folder }，其中没有 companion.jar。请安装软件包 plimsoll-companion，或运行 make companion 构建，或取消设置 PLIMSOLL_COMPANION
jmeter-companion-no-java = 此测试计划需要 JVM 伴随进程，但没有找到 Java（根据 { $variable } 查找过 { $looked }）。请安装 Java 17 或更新版本，或用 PLIMSOLL_JVM_HOME=目录 指定
jmeter-companion-no-version = { $java } 没有给出 Java 版本，其输出为：{ $said }。请用 PLIMSOLL_JVM_HOME=目录 指定其他 Java
jmeter-companion-old-java = { $java } 是 Java { $found }；JVM 伴随进程需要 { $least } 或更新版本。可用 PLIMSOLL_JVM_HOME=目录 指定另一个
jmeter-companion-other-version = JVM 伴随进程的协议版本是 { $found }，本程序是 { $wanted }。请使用同一版本的两个软件包，或重新构建：make companion
jmeter-companion-ended = JVM 伴随进程在启动过程中退出。其输出：{ $said }
jmeter-companion-slow = JVM 伴随进程在 { $seconds } 秒后仍未就绪。其输出：{ $said }
jmeter-companion-system = 无法启动 JVM 伴随进程：{ $what }：{ $why }
jmeter-companion-gone = JVM 伴随进程在运行期间退出，依赖它的内容均已失败。其最后输出：{ $said }
jmeter-companion-late = JVM 伴随进程在 { $seconds } 秒后仍未响应
jmeter-companion-unreadable = 无法读取 JVM 伴随进程的响应（{ $why }）。请重新构建：make companion

## 翻译测试计划

jmeter-no-test-plan = 文件中没有测试计划
    .remedy = 测试计划的顶层有 <TestPlan>。只含片段的文件只能被包含。
jmeter-outside-of-thread-groups = “{ $name }”所在的位置不会被运行
    .remedy = 请把它移到线程组中。
jmeter-second-test-plan = 文件里还有第二个测试计划“{ $name }”：它不会运行
    .remedy = 请把它放到单独的文件里。
jmeter-strange-property = JMeter 没有“{ $name }”这种属性，不会打开该文件
    .remedy = 请删除该行，或写成所指的类型，例如 stringProp。
jmeter-not-fixed = { $what } 为“{ $text }”，只有运行时才能知道
    .remedy = 请写数字、测试计划的变量或属性（${"{"}__P(名称,默认值){"}"}，用 -J名称=值 设置）。
jmeter-not-a-number = { $what } 为“{ $text }”，不是数字
    .remedy = 请写一个数字。
jmeter-counts-as-zero = { $name }：{ $what } 为“{ $text }”，不是 32 位整数：与 JMeter 一样按 0 计
    .remedy = 请写不带空格的整数、测试计划的变量或属性（${"{"}__P(名称,默认值){"}"}，用 -J名称=值 设置）。
jmeter-perfmon-address = { $name }：“{ $address }”不是 Agent 的地址：与 JMeter 一样，这些指标没有数值
    .remedy = 请填写 Agent 的主机和端口（4444），或删除该行。
jmeter-too-many = 放入模块和包含的内容后，测试计划超过 { $limit } 个元件
    .remedy = 请减少模块和包含所指的内容。
jmeter-too-deep = 放入模块和包含的内容后，元件嵌套超过 { $limit } 层
    .remedy = 请把测试计划写得扁平些。
jmeter-if-condition = 条件“{ $condition }”中的括号不成对
    .remedy = 请勾选“将条件解释为变量表达式”，并用 __jexl3 或 __groovy 写条件。
jmeter-module-in-include = 被包含文件中的模块控制器“{ $name }”不起作用，与 JMeter 相同
    .remedy = 请把它所指的内容放入被包含的文件，或在那里包含它。
jmeter-module-target = 模块控制器所指的 { $path } 处没有元件
    .remedy = 请重新选择目标：路径上的某个元件可能已改名。
jmeter-module-in-itself = 模块控制器所指的 { $path } 包含它自己
    .remedy = 请让它指向别处。
jmeter-include-missing = 无法读取被包含的文件“{ $file }”；已在当前目录和 { $folder } 中查找
    .remedy = 请改正路径，或用 -Jincludecontroller.prefix=目录/ 设置其开头。
jmeter-include-in-itself = { $file } 包含了它自己
    .remedy = 请包含另一个文件。
jmeter-include-no-fragment = “{ $file }”中没有测试片段：其内容不会运行，与 JMeter 相同
    .remedy = 请把要包含的内容放到测试片段之下。
jmeter-no-duration = “{ $name }”启用了调度器，但持续时间不大于 0 或延迟小于 0
    .remedy = 请以秒为单位写持续时间，或关闭调度器。
jmeter-no-threads = “{ $name }”被略去：它没有线程、循环或调度
    .remedy = 如果这是有意的，请禁用它。
jmeter-feedback-users = 用户数跟随吞吐量整形定时器：最多可请求的 { $users } 个用户从一开始就全部就绪，速率由该定时器控制
    .remedy = 如需更少的用户，请减小 __tstFeedback 的第三个参数。
jmeter-schedule = 无法理解调度中的“{ $rest }”
    .remedy = 调度由 rate(2/sec)、random_arrivals(1 min)、even_arrivals(1 min)、pause(10 s) 组成，单位为 ms、s、m、h、d。

## 不能运行的内容

jmeter-unsupported-element = 不支持 { $class }“{ $name }”：{ $lost }
jmeter-unsupported-function = 不支持函数 { $name }：{ $lost }
jmeter-unsupported =
    .remedy = { $instead }也可以禁用它，或用 --allow-unsupported 启动。
jmeter-dropped-element = { $class }“{ $name }”不起作用：JMeter 自己已弃用它
    .remedy = 请使用 JMeter 中代替它的元件（SOAP 和 Web 服务用 HTTP 请求，参数用用户参数）。
jmeter-lost-tool = 它不参与测试
jmeter-lost-dropped = JMeter 已弃用它，因此不做任何事
jmeter-instead-jexl = 请使用 Groovy 函数（${"{"}__groovy(…){"}"}），它由 JVM 伴随程序运行。
jmeter-instead-dropped = 请使用 JMeter 中代替它的元件。
jmeter-lost-threads = 它的用户和请求不会运行。
jmeter-instead-threads = 请使用线程组，或 Open Model、Stepping、Ultimate、Concurrency、Arrivals 线程组。
jmeter-lost-controller = 它的顺序会丢失；其下的内容依次运行一次。
jmeter-instead-controller = 请使用 JMeter 自带的控制器。
jmeter-lost-sampler = 它的请求不会发送。
jmeter-instead-sampler = 请使用 HTTP 请求或 JMeter 自带的其他取样器。
jmeter-lost-timer = 它不会等待。
jmeter-instead-timer = 请使用 JMeter 自带的定时器。
jmeter-lost-assertion = 它不会检查。
jmeter-lost-processor = 它的值不会被设置。
jmeter-instead-script = 请使用 JMeter 自带的元件或 JSR223 元件。
jmeter-lost-listener = 它不会显示或写出内容；结果不变。
jmeter-instead-listener = 请使用 Plimsoll 的报告、-l results.jtl 或简单数据写入器。
jmeter-lost-unknown = 不知道它的作用。
jmeter-instead-unknown = 请使用 JMeter 自带的元件。
jmeter-instead-jar = Maven 中央仓库中有它：{ $coordinates }。请把 jar 放入 JVM 伴随进程的 lib/ext，或用 --plugins 指定其目录。
jmeter-instead-jar-with-libraries = Maven 中央仓库中有它：{ $coordinates }，以及它需要的库：{ $libraries }。请把这些 jar 都放入 JVM 伴随进程的 lib/ext，或用 --plugins 指定它们所在的目录。
jmeter-lost-jexl = 没有 Java 的类（“new”、“class”、“pragma”），脚本没有值。
jmeter-lost-function = 它的文本保持原样。
jmeter-instead-function = 请使用 JMeter 自带的函数，例如 __groovy。
jmeter-instead-native-function = 请改用 { $native }，它可原生运行。
jmeter-instead-native-element = 请改用 JMeter 自带的 { $native }，它可原生运行。
jmeter-check-what = 元件或函数
jmeter-check-name = 名称
jmeter-check-at = 行:列
jmeter-check-where = 运行位置
jmeter-check-note = 说明
jmeter-check-native = 原生
jmeter-check-companion = 在 JVM 伴随进程中运行
jmeter-check-unsupported = 不支持
jmeter-check-disabled = 测试计划中已禁用
jmeter-check-sum = { $native } 个原生运行，{ $companion } 个在 JVM 伴随进程中运行，{ $unsupported } 个不支持。
jmeter-check-no-companion = 本测试计划需要 JVM 伴随进程，但此处无法启动：{ $reason }
jmeter-listeners-start = 无法启动写结果文件的线程：{ $reason }

## 客户端证书
jmeter-keystore-missing = 密钥库 { $path } 不存在：请更正 -Djavax.net.ssl.keyStore=文件（相对名称从当前目录算起）
jmeter-keystore-no-password = 密钥库 { $path } 需要密码：请加上 -Djavax.net.ssl.keyStorePassword=密码
jmeter-keystore-password = 该密码打不开密钥库 { $path }，或打不开其中的某个密钥：请更正 -Djavax.net.ssl.keyStorePassword=密码（各密钥的密码须与密钥库相同）
jmeter-keystore-kind = 密钥库 { $path } 的类型是 { $kind }；可读取的是 PKCS12 和 JKS。请转换：keytool -importkeystore -srckeystore { $path } -destkeystore clients.p12 -deststoretype PKCS12
jmeter-keystore-damaged = 无法读取密钥库 { $path }：{ $reason }
jmeter-keystore-empty = 密钥库 { $path } 的 { $keys } 个私钥一个也用不上：Keystore Configuration 要的是第 { $first } 到第 { $last } 个（从 0 数起；-1 表示到最后一个）
jmeter-keystore-key = 别名 { $alias } 的私钥不能用于 TLS：{ $reason }（可用 RSA、ECDSA 和 Ed25519）
jmeter-keystore-indices = Keystore Configuration 要的是第 { $first } 到第 { $last } 个密钥：起始须不小于 0，结束不得在起始之前（-1 表示到最后一个）
jmeter-keystore-none = 测试计划中有 Keystore Configuration，却没有指定密钥库：不会发送客户端证书。请指定：-Djavax.net.ssl.keyStore=文件 -Djavax.net.ssl.keyStorePassword=密码
jmeter-keystore-expired = 别名 { $alias } 的客户端证书已于 { $date } 过期：服务器会拒绝它。
