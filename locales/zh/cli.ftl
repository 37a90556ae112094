# 各命令的输出。

check-right = { $source } 有效。警告：{ $warnings } 条。

once-saved = 保存 { $name } = { $value }
once-log = 日志：{ $line }
once-not-sent = （未发出任何内容）
once-no-answer = （没有响应）
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
convert-unreadable = 无法从标准输入读取 curl 命令行：{ $reason }
