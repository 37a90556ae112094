# Watching nginx, MySQL, MariaDB and Redis.
