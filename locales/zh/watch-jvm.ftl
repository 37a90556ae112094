# 从外部监控 JVM：hsperfdata、attach、GC 日志、转储。
