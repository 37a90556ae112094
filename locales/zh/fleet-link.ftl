# 主控节点与工作节点之间的链路。

link-nobody = { $subject } 上没有应答者。
link-timed-out = { $what }：{ $seconds } 秒内没有应答。
link-missing = { $what } 不存在（或已被删除）。
link-refused = { $what }：服务器拒绝：{ $reason }。
link-failed = { $what }：{ $reason }。
