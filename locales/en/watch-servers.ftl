# Watching nginx, MySQL, MariaDB, PostgreSQL, PgBouncer, PHP-FPM, HAProxy and Redis.

watch-nginx-no-status = { $url } is not a stub_status page. Add a location with "stub_status;" and name its address.
watch-nginx-error = nginx: { $line }
watch-nginx-strange-log = { $path }: more than half of the lines have an unknown format. Set log-format to the text of their log_format.
watch-nginx-no-process = No nginx master process listens there on this host: workers, logs and settings are not seen. Set pid, or run where nginx runs, with the right to see its processes.
watch-nginx-config-not-allowed = Settings of nginx are not read: its configuration is read with --allow capture only.
watch-nginx-no-config = Settings of nginx cannot be read: { $reason }. Run with the rights of the user who started nginx.
watch-nginx-config-part = A part of nginx' configuration cannot be read: { $path } ({ $reason }). Settings from there are missing. Run with the rights of the user who started nginx.
watch-log-unreadable = The log { $path } cannot be read: { $reason }. Run with the right to read it, or name another file.

watch-server-address-wrong = { $source }: “{ $address }” is not an address. Write HOST:PORT, or the path of a Unix socket.
watch-server-slow = { $address } did not respond within { $seconds } s.
watch-server-unreachable = { $address } cannot be reached: { $reason }.
watch-server-agent-value = ServerAgent: { $label } is “{ $value }”, not a number, and is left out.
watch-server-error = { $address } refuses the query: { $reason }.
watch-server-full = { $address } takes no more connections: { $reason }.
watch-mysql-denied = { $address } refuses access: { $reason }. Give user and password-env for a user with: GRANT PROCESS, REPLICATION CLIENT ON *.* and GRANT SELECT ON performance_schema.*.
watch-mysql-no-process = { $address } shows this user its own connections alone, so what other connections do cannot be seen. Grant it PROCESS.
watch-mysql-no-digests = { $address }: performance_schema is off, so statements cannot be told apart. Set performance_schema=ON in the server's configuration and restart it.
watch-mysql-digests-denied = Statements by their form cannot be read: { $reason }. GRANT SELECT ON performance_schema.* to this user.
watch-mysql-no-innodb = { $address } has no InnoDB status.

watch-postgresql-denied = { $address } refuses access: { $reason }. Give user, password-env and database for a user with: GRANT pg_monitor.
watch-postgresql-hidden = { $address }: what other users' connections do cannot be seen. GRANT pg_monitor to this user.
watch-postgresql-no-statements = { $address }: statements cannot be told apart. Add pg_stat_statements to shared_preload_libraries, restart, and CREATE EXTENSION pg_stat_statements in the database that is watched.
watch-postgresql-statements-failed = { $address }: statements by their form cannot be read: { $reason }.

watch-php-fpm-no-process = No PHP-FPM master process runs there on this host, or it cannot be seen. Run as root, or name a pool: php-fpm=HOST:PORT.
watch-php-fpm-no-config = Settings of PHP-FPM cannot be read: { $path } ({ $reason }). Run with the rights of the user who started it.
watch-php-fpm-no-status-path = { $name } has no status page: its processes and queue are not seen. Set pm.status_path in the pool's configuration.
watch-php-fpm-no-status = { $address } shows no status at { $path }. Set pm.status_path in the pool's configuration, and name it by status-path.
watch-php-fpm-busy = { $address } did not show its status within { $seconds } s: all its processes are busy. Set pm.status_listen so that it is seen then, too.

watch-pgbouncer-denied = { $address } refuses access: { $reason }. Give user and password-env for a user in stats_users or admin_users.

watch-haproxy-no-status = { $address } shows no statistics. Name a socket of "stats socket", or the page of "stats enable" with ;csv behind its path.
watch-haproxy-no-socket = HAProxy has no stats socket that can be reached: queues, sessions and errors are not seen. Add "stats socket /run/haproxy.sock" to its section global, or name its page: haproxy=URL.
watch-haproxy-no-config = Settings of HAProxy cannot be read: { $path } ({ $reason }). Run with the rights of the user who started it.

watch-redis-denied = { $address } refuses access: { $reason }. Give password-env (and user) of a user with: +info +ping +slowlog +config|get +client|list.
watch-redis-refused = { $address } refuses { $command }: { $reason }. Allow it for this user to see what it reports.
