# load

## 模板函数
function-argument = { $usage }：第 { $number } 个参数是“{ $found }”，应为{ $wants }
function-wants-whole-number = 整数
function-wants-length = 0 到 10000000 的整数
function-wants-alphabet = 至少一个字符
function-wants-zone = utc 或 local
function-wants-strftime = 时间格式，例如 %Y-%m-%d %H:%M:%S
function-wants-time-unit = ms、s、us 或 ns
function-variable-not-set = { $variable } 在此处没有值：之前的步骤都没有设置它（请在 “variables” 下给出初值，或在之前的所有分支中设置）
function-text-too-long = 文本超过 { $limit_mib } MiB，这是一个模板所能生成的最大长度。每次循环都把自身拼接进去的变量会无限增长
function-env-not-set = 环境变量 { $name } 未设置：请设置它，或给出默认值，如 env({ $name }, 值)
function-counter-unknown = 未知的计数器 { $name }：这是测试计划编译器的错误，请报告
function-unknown-here = 此处不认识函数 { $name }：未提供可执行它的部件
value-waits = 需先询问才能得到该值
extension-missing = 未提供可运行 { $what } 的部件：请为引擎提供认识它的扩展

## 请求的文件
request-file-unreadable = 无法读取文件 { $path }：{ $reason }（文件名相对于测试计划所在的文件夹）
request-tls-files = “tls” 的文件不可用：{ $reason }（文件名相对于测试计划所在的文件夹）

## 脚本
script-engine = 无法启动 JavaScript：{ $reason }
script-unknown = 未知的脚本 { $number }：这是测试计划编译器的错误，请报告
script-failed = 测试计划第 { $plan_line } 行的脚本在其第 { $line } 行出错：{ $thrown }
script-timed-out = 测试计划第 { $plan_line } 行的脚本超过允许的时间，在其第 { $line } 行被停止：请检查是否有不结束的循环
script-fail = 测试计划第 { $plan_line } 行的脚本报告：{ $why }
script-fail-silent = 测试计划第 { $plan_line } 行的脚本调用了 fail()，没有给出原因

## 从响应中取值
extract-json-path = JSONPath { $what }
extract-regex = 正则表达式 { $what }
extract-css = CSS 选择器 { $what }
extract-xpath = XPath { $what }
extract-header = 响应头 { $what }
extract-cookie = Cookie { $what }
extract-boundary = 两段文本之间的内容
extract-body = 响应体
extract-status = 状态码
extract-url = 地址
extract-nothing = { $name } 没有值：{ $how } 在响应中没有找到内容（如果允许如此，请给出默认值）
extract-impossible = 无法用 { $how } 取得 { $name } 的值：{ $why }
extract-not-json = 响应体不是 JSON：{ $reason }
extract-json-path-too-much = 该 JSONPath 在此响应上可能要访问超过 { $limit } 个值：请直接写出要取的内容，不要重复使用 `..`、方括号中的多个选择器或过滤条件中的 `$`
extract-xpath-failed = 无法计算 XPath：{ $reason }
extract-css-failed = 无法查找 CSS 选择器：{ $reason }
extract-too-much = { $name } 的匹配结果合计超过 { $limit_mib } MiB：请减少匹配数量
extract-regex-gave-up = 正则表达式耗时过长，已停止：{ $reason }。环视和反向引用在长响应上很慢
extract-patterns-too-long = 测试计划到此处为止的正则表达式编译已用去 { $most } ms CPU 时间：请减少正则表达式，或减小 \w{"{"}1,300{"}"} 这类重复次数
extract-bad-json-path = “{ $pattern }”不是 JSONPath（RFC 9535），第 { $column } 个字符处：{ $reason }。示例：$.items[0].id
extract-bad-regex = “{ $pattern }”不是正则表达式：{ $reason }
extract-regex-no-group = 正则表达式“{ $pattern }”没有第 { $group } 组，只有 { $groups } 组：请把需要的部分放在括号中
extract-bad-css = “{ $pattern }”不是 CSS 选择器：{ $reason }
extract-bad-xpath = “{ $pattern }”不是 XPath 1.0 表达式：{ $reason }。示例：//item[@id='1']/name

## 检查
check-failed = { $of }应{ $test }，实际为：{ $found }
check-nothing = { $of }应{ $test }，但不存在
check-wanted = { $of }应{ $test }
check-impossible = 无法检查{ $of }：{ $why }
check-of-count = { $what } 的匹配数
check-of-size = 响应体字节数
check-of-time = 服务时间（毫秒）
check-of-script = 脚本的值
test-status-in = 为 { $ranges }
test-equal = 等于“{ $with }”
test-not-equal = 不等于“{ $with }”
test-less = 小于 { $with }
test-at-most = 不大于 { $with }
test-greater = 大于 { $with }
test-at-least = 不小于 { $with }
test-contains = 包含“{ $with }”
test-matches = 匹配正则表达式“{ $with }”
test-exists = 存在
test-truthy = 为真
test-not = 满足其反面：{ $test }

## 数据文件
data-not-found = 文件 { $file } 不存在：路径相对于测试计划所在的文件夹
data-unreadable = 无法读取文件 { $file }：{ $reason }
data-unknown-encoding = { $file }：未知的编码 { $encoding }：请使用例如 utf-8、gbk、gb18030 或 utf-16le
data-wrong-encoding = { $file }：第 { $line } 行不是 { $encoding }：请在测试计划中写明文件的编码，例如 encoding: gb18030
data-malformed = { $file } 不是 CSV 文件：{ $reason }
data-wrong-width = { $file }:{ $line }：有 { $found } 个字段，而前面的行有 { $wanted } 个：含有分隔符的字段必须用引号括起来
data-empty = 文件 { $file } 没有数据行
data-too-large = 文件 { $file } 太大：最多可保存 4 GiB 文本
data-no-column = { $file } 没有列 { $column }；它有：{ $columns }
data-missing-remedy = 没有这些数据行，需要它们的用户会立即结束，与 JMeter 的线程一样。请把文件放到测试计划所写的位置。
data-unknown = 未知的数据 { $number }：这是测试计划编译器的错误，请报告

## 由多台机器分担的负载
share-lock = 锁“{ $name }”一次只让一个用户进入，而互不通信的多台机器做不到这一点。请让每台机器运行完整的测试计划（--each），或只用一台机器。
share-meeting = 用户在集合点“{ $name }”相互等待，这无法跨多台机器进行。请让每台机器运行完整的测试计划（--each），或只用一台机器。
share-in-flight = 场景 { $name } 允许同时执行 { $limit } 个用户，无法分成 { $shares } 份。请把 max-in-flight 至少提高到 { $shares }，或减少压力机。
share-in-order = 各场景依次运行，但没有一台机器知道其他机器何时完成。请为它们指定固定的开始时间（start-delay），或让每台机器运行完整的测试计划（--each）。
share-setup-groups = 测试计划含有 setUp 线程组：其他线程组要等它们结束，而它们所设置的内容只有所在机器知道。请让每台机器运行完整的测试计划（--each）。
late-iterations = 场景 { $name } 在若干次迭代后结束：接手一份负载者无从知道已完成多少次。
late-counter = 测试计划中有所有用户共用的计数器：接手一份负载者会再次给出相同的数字。
late-rows = { $name } 的每一行只使用一次：接手一份负载者会重复使用其中一些行。
late-passes = 测试计划中有只在所有用户的前若干次执行的步骤：接手一份负载者会再次执行。
late-in-order = 测试计划的某些部分要等其他部分结束：接手一份负载者无从知道那是何时。

# 运行中改变负载。
change-not-begun = 无法改变负载：负载还没有开始，或者该运行是接续的。
change-over = 无法改变负载：负载已结束，或者在通知到各处之前就会结束。
change-no-scenario = 测试计划中没有场景“{ $name }”。
change-which-scenario = 有多个场景的负载属于这一类：请指定一个。
change-other-model = 场景“{ $name }”的负载不是这样计的：封闭式负载计用户数，开放式负载计到达率。
change-not-by-time = 场景“{ $name }”的负载不按时间结束，因此无法延长。
change-in-order = 无法改变负载：事先不知道每个场景何时开始。
change-users = { $users }个用户超过一个场景的上限：最多{ $most }个。
change-rate = 一个场景每秒最多{ $most }次到达。
change-factor = 到达率不能乘以 { $factor }；允许的范围：0 到 1000。
change-few-users = 测试计划的用户数少于执行节点数：要增加用户，测试计划一开始就需要更多用户。
event-change-late = 有加压线程太晚得知负载的改变；在此之前，场景 { $scenario } 仍按原来的负载运行。
