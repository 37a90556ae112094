# load

## 模板函数
function-argument = { $usage }：第 { $number } 个参数是“{ $found }”，应为{ $wants }
function-wants-whole-number = 整数
function-wants-length = 0 到 10000000 的整数
function-wants-alphabet = 至少一个字符
function-wants-zone = utc 或 local
function-wants-strftime = 时间格式，例如 %Y-%m-%d %H:%M:%S
function-wants-time-unit = ms、s、us 或 ns
function-env-not-set = 环境变量 { $name } 未设置：请设置它，或给出默认值，如 env({ $name }, 值)
function-counter-unknown = 未知的计数器 { $name }：这是计划编译器的错误，请报告

## 脚本
script-engine = 无法启动 JavaScript：{ $reason }
script-unknown = 未知的脚本 { $number }：这是计划编译器的错误，请报告
script-failed = 计划第 { $plan_line } 行的脚本在其第 { $line } 行出错：{ $thrown }
script-timed-out = 计划第 { $plan_line } 行的脚本超过允许的时间，在其第 { $line } 行被停止：请检查是否有不结束的循环
script-fail = 计划第 { $plan_line } 行的脚本报告：{ $why }
script-fail-silent = 计划第 { $plan_line } 行的脚本调用了 fail()，没有给出原因
