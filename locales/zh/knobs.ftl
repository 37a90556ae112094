# 服务器的参数：含义、取值错误、运行中的被测系统显示的值。

knobs-head-knob = 参数
knobs-head-range = 取值范围
knobs-head-default = 默认值
knobs-head-applies = 生效方式
knobs-head-gives = 代价
knobs-applies-at-once = 立即生效
knobs-applies-reload = 重新加载后
knobs-applies-restart = 重启后
knobs-gives-durability = 持久性
knobs-gives-isolation = 隔离性
knobs-gives-data = 数据
knobs-gives-logs = 日志
knobs-gives-security = 安全性

knobs-value = { $knob } 不能设为 { $given }。允许的值：{ $allowed }

knobs-edit-at = 第 { $line } 行第 { $column } 列：{ $fault }
knobs-edit-not-text = 文件不是与ASCII兼容的文本：含有零字节，或者是UTF-16编码。请另存为UTF-8。
knobs-edit-too-long = 文件超过 { $limit_mib } MiB，配置文件不会这么大。
knobs-edit-syntax = 无法读取文件：{ $detail }。请先改正，再重试。
knobs-edit-too-deep = 文件的嵌套超过 { $limit } 层。
knobs-edit-address = { $given } 不是这类文件里的位置。正确的写法：{ $form }
knobs-edit-no-parent = 文件里没有 { $name }，该值无处可写。请先添加，或者指定其他文件。
knobs-edit-several = 该值出现在多处（第 { $lines } 行）。请指明是哪一处。
knobs-edit-shared = { $name } 由锚点或别名共用，修改它会同时改变其他值。请在使用处直接写出。
knobs-edit-not-single = { $name } 不是单个值，而是列表或块。请指定其中的某个值。
knobs-edit-value = { $given } 不能写在那里：{ $why }
knobs-edit-not-kept = 修改后文件读出的值不会是 { $value }，因此没有修改文件。
knobs-why-control = 含有换行符或控制字符
knobs-why-outer-space = 首尾的空白会丢失
knobs-why-interpolated = 会被当作变量
knobs-why-not-utf8 = 文件不是UTF-8编码，只能写入ASCII字符

knobs-confirmed = { $knob } 的值为 { $has }（{ $by }）。
knobs-differs = { $knob } 已设为 { $wanted }，但被测系统实际为 { $has }（{ $by }）。
knobs-not-visible = { $knob } 已设为 { $wanted }：已写入，未确认。
knobs-no-way = 该被测系统没有这种查看方式。
knobs-hidden = { $by } 没有显示该值。
knobs-look-failed = { $by }：{ $detail }

knobs-family-tomcat = Tomcat
knob-tomcat-threads-max = 工作线程数上限：同时处理多少个请求
knob-tomcat-threads-min-spare = 空闲时保留的工作线程数
