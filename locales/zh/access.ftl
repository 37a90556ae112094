# What a plan may do on a host that is not its author's own.

access-refused-files = { $what } 不在测试计划的文件包内，本机不允许使用。请把它放到测试计划所在目录之下、用 --bundle 添加，或用 --allow files 启动执行节点。
access-refused-withheld = { $what } 属于程序自身，或包含其进程的信息：无论 --allow 如何设置，测试计划都不能使用。
access-refused-scripts = { $what } 会执行测试计划中的代码，本机不允许。如果可以接受，请用 --allow scripts 启动执行节点。
access-refused-processes = { $what } 会启动进程，本机不允许。如果可以接受，请用 --allow processes 启动执行节点。
access-refused-by = { $who }：{ $reason }
access-folder-full = 测试计划的文件夹已满：{ $most_mib } MiB 或 10000 个文件
