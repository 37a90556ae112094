# 监控 nginx、MySQL、MariaDB 与 Redis。
