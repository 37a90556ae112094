# JMeter 计划：读取、转换、运行。

## 读取 .jmx 文件

jmeter-xml-too-long = 文件超过 { $limit_mib } MiB
    .remedy = 请把请求体和数据放到单独的文件中。
jmeter-xml-encoding = 未知的编码“{ $encoding }”
    .remedy = 请把计划保存为 UTF-8，并在第一行写 encoding="UTF-8"。
jmeter-xml-empty = 文件中没有 XML 元素
    .remedy = JMeter 计划以 <jmeterTestPlan> 开头。请检查文件是否正确。
jmeter-xml-syntax = 无法作为 XML 理解：{ $detail }
    .remedy = 请用 JMeter 打开并重新保存该计划，或手工修正此处。
jmeter-xml-not-closed = <{ $name }> 没有结束：文件在其中中断
    .remedy = 文件可能不完整，请重新获取。
jmeter-xml-too-deep = 元素嵌套超过 { $limit } 层
    .remedy = 请把计划写得扁平些：把部分内容放到测试片段中。
jmeter-xml-second-root = 顶层出现第二个元素：一个 XML 文档只能有一个
    .remedy = 请删除 </jmeterTestPlan> 之后的内容。
jmeter-xml-entity = 实体 &{ $name }; 不会被展开
    .remedy = 请直接写出文本。出于安全，只读取 &lt; &gt; &amp; &quot; &apos; 和字符编号。
jmeter-xml-no-plan = <{ $name }> 不是 JMeter 计划的开头
    .remedy = 计划以 <jmeterTestPlan> 开头。请检查文件是否正确。
jmeter-xml-old-format = 这是 JMeter 2.1 以前的计划格式
    .remedy = JMeter 5 也不能读取它。请用 JMeter 2.1 到 2.9 打开并保存，再使用保存后的文件。
jmeter-xml-no-elements = 计划中没有元素
    .remedy = 请检查文件是否正确。

## Listeners
jmeter-listener-delimiter = 属性 jmeter.save.saveservice.default_delimiter 的值为“{ $found }”，但它必须是一个可打印字符，且不能是字母、数字或双引号（制表符写作 \t）
jmeter-listener-file = 无法打开结果文件 { $path }：{ $reason }（请在监听器中换一个文件名，或使其目录可写）
jmeter-listener-file-broken = { $path } 不完整：{ $reason }
jmeter-backend-class = 未知的后端监听器类 { $class }（已知：GraphiteBackendListenerClient 配 TextGraphiteMetricsSender，InfluxdbBackendListenerClient 和 InfluxDBRawBackendListenerClient 配 HttpMetricsSender 或 UdpMetricsSender）；请禁用该监听器，或改用其中之一
jmeter-backend-window = 属性 backend_metrics_window_mode 的值为“{ $found }”，但它必须是 fixed 或 timed
jmeter-backend-filter = 后端监听器的过滤器 { $pattern } 不是正则表达式：{ $reason }
jmeter-backend-host = 后端监听器要向 { $host } 发送数据，但未被允许：请加上 --allow-host { $host }，或禁用该监听器
jmeter-backend-address = 后端监听器的地址“{ $address }”无效：应为 http://主机:端口/write?db=名称，UDP 则为“主机:端口”
jmeter-backend-lost = 发往 { $target } 的 { $sent } 份报告中有 { $lost } 份丢失，最后一份的原因：{ $reason }

## packages at run time
jmeter-log = JMeter 日志：{ $text }
jmeter-waits = 等待 JVM 伴随进程
jmeter-failed = { $reason }
jmeter-listeners-lost = 写结果文件的线程已崩溃：计划中的监听器所写的内容不完整。
