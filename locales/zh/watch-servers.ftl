# 监控 nginx、MySQL、MariaDB、PostgreSQL、PgBouncer、PHP-FPM、HAProxy 与 Redis。

watch-nginx-no-status = { $url } 不是 stub_status 页面。请添加含“stub_status;”的 location 并给出其地址。
watch-nginx-error = nginx：{ $line }
watch-nginx-strange-log = { $path }：半数以上的行格式未知。请将 log-format 设为其 log_format 的文本。
watch-nginx-no-process = 本机没有在该端口监听的 nginx 主进程：看不到工作进程、日志和设置。请设置 pid，或在 nginx 所在主机上以可查看其进程的权限运行。
watch-nginx-config-not-allowed = 未读取 nginx 的设置：仅在 --allow capture 时才读取其配置文件。
watch-nginx-no-config = 无法读取 nginx 的设置：{ $reason }。请以启动 nginx 的用户权限运行。
watch-nginx-config-part = 无法读取 nginx 的部分配置：{ $path }（{ $reason }）。其中的设置缺失。请以启动 nginx 的用户权限运行。
watch-log-unreadable = 无法读取日志 { $path }：{ $reason }。请以有读取权限的用户运行，或指定其他文件。

watch-server-address-wrong = { $source }：“{ $address }”不是地址。请写成 HOST:PORT，或 Unix 套接字的路径。
watch-server-slow = { $address } 在 { $seconds } 秒内没有响应。
watch-server-unreachable = 无法访问 { $address }：{ $reason }。
watch-server-agent-value = ServerAgent：{ $label } 为“{ $value }”，不是数值，已略去。
watch-server-error = { $address } 拒绝了请求：{ $reason }。
watch-server-full = { $address } 不再接受连接：{ $reason }。
watch-mysql-denied = { $address } 拒绝访问：{ $reason }。请给出 user 与 password-env，该用户需要：GRANT PROCESS, REPLICATION CLIENT ON *.* 以及 GRANT SELECT ON performance_schema.*。
watch-mysql-no-process = { $address } 只让该用户看到自己的连接，因此看不到其他连接在做什么。请授予 PROCESS 权限。
watch-mysql-no-digests = { $address }：performance_schema 已关闭，无法区分语句。请在服务器配置中设置 performance_schema=ON 并重启。
watch-mysql-digests-denied = 无法按形式读取语句：{ $reason }。请授予该用户 GRANT SELECT ON performance_schema.*。
watch-mysql-no-innodb = { $address } 没有 InnoDB 状态。

watch-postgresql-denied = { $address } 拒绝访问：{ $reason }。请给出 user、password-env 与 database，该用户需要：GRANT pg_monitor。
watch-postgresql-hidden = { $address }：看不到其他用户的连接在做什么。请授予该用户 GRANT pg_monitor。
watch-postgresql-no-statements = { $address }：无法区分语句。请将 pg_stat_statements 加入 shared_preload_libraries 并重启，然后在所监控的数据库中执行 CREATE EXTENSION pg_stat_statements。
watch-postgresql-statements-failed = { $address }：无法按形式读取语句：{ $reason }。

watch-php-fpm-no-process = 本机没有 PHP-FPM 主进程，或无法看到它。请以 root 运行，或给出一个进程池：php-fpm=HOST:PORT。
watch-php-fpm-no-config = 无法读取 PHP-FPM 的设置：{ $path }（{ $reason }）。请以启动它的用户权限运行。
watch-php-fpm-no-status-path = { $name } 没有状态页：看不到其进程与队列。请在进程池的配置中设置 pm.status_path。
watch-php-fpm-no-status = { $address } 在 { $path } 没有状态。请在进程池的配置中设置 pm.status_path，并用 status-path 给出。
watch-php-fpm-busy = { $address } 在 { $seconds } 秒内没有给出状态：其所有进程都在忙。请设置 pm.status_listen，以便那时也能看到。

watch-pgbouncer-denied = { $address } 拒绝访问：{ $reason }。请给出 user 与 password-env，该用户须在 stats_users 或 admin_users 中。

watch-haproxy-no-status = { $address } 没有统计数据。请给出“stats socket”的套接字，或“stats enable”的页面（路径后加 ;csv）。
watch-haproxy-no-socket = HAProxy 没有可访问的统计套接字：看不到队列、会话与错误。请在 global 段中添加“stats socket /run/haproxy.sock”，或给出其页面：haproxy=URL。
watch-haproxy-no-config = 无法读取 HAProxy 的设置：{ $path }（{ $reason }）。请以启动它的用户权限运行。

watch-redis-denied = { $address } 拒绝访问：{ $reason }。请给出 password-env（以及 user），该用户须可使用：+info +ping +slowlog +config|get +client|list。
watch-redis-refused = { $address } 拒绝 { $command }：{ $reason }。请允许该用户使用，以便查看其内容。
