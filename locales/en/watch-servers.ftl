# Watching nginx, MySQL, MariaDB and Redis.

watch-nginx-no-status = { $url } is no stub_status page. Add a location with "stub_status;" and name its address.
watch-nginx-error = nginx: { $line }
watch-nginx-strange-log = { $path }: more than half of the lines have a form that is not known. Set log-format to the text of their log_format.
watch-nginx-no-process = No nginx master process listens there on this host: workers, logs and settings are not seen. Set pid, or run where nginx runs, with the right to see its processes.
watch-nginx-config-not-allowed = Settings of nginx are not read: nginx -T is run with --allow capture only.
watch-nginx-no-config = Settings of nginx cannot be read: { $reason }. Run with the rights of the user who started nginx.
watch-log-unreadable = The log { $path } cannot be read: { $reason }. Run with the right to read it, or name another file.
