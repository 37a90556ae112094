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
