# 编译测试计划时发现的问题。

compile-no-scenario = 测试计划中没有场景：不会产生任何负载。
compile-set-unknown = --set { $name }：测试计划既没有定义也没有使用这个变量。
compile-too-big = 场景过大：所需的循环和选择计数器超过 65,535 个。
compile-too-many-users = 用户数为 { $users }；最多允许 { $limit }
    .remedy = 每个用户都占用一个连接、内存和文件描述符。请减少用户数，改用速率（rate），或同时进行多次运行。
compile-too-high-rate = 每秒 { $rate } 次到达；最多允许 { $limit }
    .remedy = 请降低速率。
compile-too-deep = 步骤嵌套超过 100 层。

compile-unclosed = “{ $text }”从第 { $character } 个字符的 { "${" } 开始，但没有结束。
    .remedy = 请补上右花括号；若要原样写出，请在花括号前写两个美元符号。
compile-bad-name = 第 { $character } 个字符处的“{ $text }”既不是变量也不是函数。
    .remedy = 名称由字母、数字、“_”、“-”和“.”组成。
compile-bad-arguments = 第 { $character } 个字符处“{ $text }”的参数没有正确结束。
    .remedy = 参数以逗号分隔；含逗号或括号的文本请加引号；最后写右括号和右花括号。
compile-undefined = 测试计划中没有定义变量“{ $name }”。
compile-did-you-mean = 是否应为：{ $names }？
compile-known-variables = 已定义的变量：{ $names }。只由脚本赋值的变量也要在测试计划中定义，例如定义为空。
compile-no-variables = 测试计划没有定义任何变量。请在其中定义，或从响应中保存。
compile-variable-later = “{ $name }”在后面才定义；变量的值只能使用前面的变量。
compile-unknown-function = 没有函数“{ $name }”。
compile-known-functions = 可用的函数：{ $names }。
compile-argument-count = { $name } 不接受 { $count } 个参数。
compile-wrong-argument = { $name } 不能使用“{ $argument }”。
compile-usage = 写法：{ $usage }。
compile-no-environment = 环境中没有变量“{ $name }”。
    .remedy = 请设置 { $name }，或以第二个参数给出默认值。
compile-not-fixed = { $what }：该值必须在运行前确定，而现在的值可能变化。
    .remedy = 请使用文本，或测试计划中不会再被赋值的变量（“{ $text }”不是）。

compile-counter-differs = 计数器“{ $name }”在别处有不同的起始值或步长。
compile-counter-format = 尚不支持数字格式“{ $format }”；目前只支持由 0 组成的格式。
compile-counter-step = 有上限的计数器步长不能为 0。
compile-rows-differ = 数据“{ $name }”与其他数据共用文件，但顺序或结束方式不同。
compile-rendezvous-differs = 集合点“{ $name }”在别处有不同的用户数或超时时间。
compile-rendezvous-never = 集合点“{ $name }”等待 { $users } 个用户，但最多只有 { $come } 个。
    .remedy = 请减少集合点用户数、提高负载，或设置超时时间。
compile-no-weight = 所有分支的权重都是 0：无法选择任何分支。
compile-random-order = 随机顺序最多 64 个步骤，这里有 { $count } 个。
compile-spins = 循环自身没有结束条件，其中也没有任何耗时的步骤。
    .remedy = 请在循环中加入请求或思考时间，或为循环设置上限。
compile-not-a-count = “{ $text }”不是次数。
    .remedy = 请使用不小于 0 的整数。
compile-not-a-percentage = “{ $text }”不是 0 到 100 之间的百分比。
compile-extract-before = 请求之前没有响应，不能从中取值。
compile-on-error-before = 失败处理不能写在请求之前。
compile-element = “{ $class }”只能作用于以元件写成的取样器，不能作用于此请求。
compile-not-beside-elements = 此项只能作用于请求（“get:”、“post:”等），但其作用域内还有以元件写成的取样器。
compile-script-sampler = 尚不支持把脚本作为独立的取样器。

compile-goal-label = 性能目标针对标签“{ $label }”，但没有任何步骤使用它。
compile-known-labels = 标签有：{ $names }。
compile-no-target = “{ $url }”只是路径，但没有可以拼接的被测系统地址。
    .remedy = 请为测试计划设置 target: http://主机:端口，或写出完整地址。
compile-bad-address = “{ $address }”不是可以加压的地址。
    .remedy = 地址的写法是 http://主机:端口/路径 或 https://主机:端口/路径。
compile-host-unknown = 运行前无法得知此请求的主机，运行时可能会被拒绝。
    .remedy = 请在 hosts: 中或用 --allow-host 列出允许加压的主机。
compile-bad-host = “{ $host }”不是主机。
    .remedy = 主机是名称或地址，可带 :端口。
compile-header-name = “{ $name }”不能作为请求头的名称。
compile-header-value = 请求头“{ $name }”的值含有换行。
compile-regex = 正则表达式“{ $pattern }”有误：{ $reason }
compile-regex-group = 正则表达式有 { $groups } 个分组；没有第 { $group } 组。
compile-env-not-set = 环境变量 { $env } 未设置，变量 { $name } 也没有默认值。
    .remedy = 请设置 { $env }，或使用 --set { $name }=…，或写明默认值：{ $name }: {"{"} env: { $env }, default: … {"}"}
