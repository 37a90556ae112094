# 监控 nginx、MySQL、MariaDB 与 Redis。

watch-nginx-no-status = { $url } 不是 stub_status 页面。请添加含“stub_status;”的 location 并给出其地址。
watch-nginx-error = nginx：{ $line }
watch-nginx-strange-log = { $path }：半数以上的行格式未知。请将 log-format 设为其 log_format 的文本。
watch-nginx-no-process = 本机没有在该端口监听的 nginx 主进程：看不到工作进程、日志和设置。请设置 pid，或在 nginx 所在主机上以可查看其进程的权限运行。
watch-nginx-config-not-allowed = 未读取 nginx 的设置：仅在 --allow capture 时才运行 nginx -T。
watch-nginx-no-config = 无法读取 nginx 的设置：{ $reason }。请以启动 nginx 的用户权限运行。
watch-log-unreadable = 无法读取日志 { $path }：{ $reason }。请以有读取权限的用户运行，或指定其他文件。
