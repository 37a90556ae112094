# plimsoll hops：逐跳单独加压

hops-none = 没有指定任何一跳。请由外到内逐一写出：--hop gateway=http://10.0.0.2:8080 --hop stock=http://10.0.0.3:8081，或写在测试计划的“hops”下。
hops-needs-path = 测试计划的请求无法发给跳“{ $name }”：运行前无法把地址与路径分开，或者是JMeter的请求。请给出带路径的地址，例如 http://10.0.0.2:8080/orders，届时将发送该请求。
hops-unreachable = 无法连接跳“{ $name }”（{ $address }）。它的地址必须能从本机绕过前面各跳直接访问。
hops-interrupted = 已中断：没有得到各跳的时间。
hops-warming = 单独加压 { $name }，预热
hops-measuring = 单独加压 { $name }，第 { $number } 轮，共 { $count } 轮
hops-kept = 已保存到运行 { $run }：plimsoll diagnose 及其报告会使用这些数据。
hops-title = 各跳单独加压
hops-name = 跳
hops-address = 地址
hops-requests = 请求数
hops-time = 平均，ms
hops-own = 自身增加，ms
hops-share = 增加，%
hops-slowest = { $name } 增加最多：{ $ms } ms，占最外一跳时间的 { $percent } %。
hops-slowest-unclear = { $name } 似乎增加最多：{ $ms } ms，占最外一跳时间的 { $percent } %；但可能有另一跳不相上下。增加轮数可以分清。
hops-not-nested = { $name } 比写在它后面的还快：各跳的顺序不对，或者它不经过后面就已响应。
hops-failed = { $name } 大多失败：它的时间以及前一跳增加的时间都无从得知。
hops-note = 每一跳的时间包含其后所有各跳；自身增加的时间是它的时间减去下一跳的时间。每个场景的用户数：{ $users }；轮数：{ $rounds }，每轮每跳 { $seconds } s；±：95 % 置信区间。
