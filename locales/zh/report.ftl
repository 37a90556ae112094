# report

## Runs on disk

store-disk-full = 磁盘已满：无法写入 { $path }（{ $detail }）。请腾出空间，或用 --out DIR 换一个位置。
store-permission-denied = 没有 { $path } 的访问权限（{ $detail }）。请用 --out DIR 换一个位置，或修改该处的权限。
store-read-only = { $path } 位于只读文件系统。请用 --out DIR 换一个位置。
store-locked = { $path } 被其他程序锁定（{ $detail }）。请关闭该程序后重试。
store-not-a-run = { $path } 不是一次运行：其中没有 plimsoll 写的 run.sqlite。`plimsoll list` 列出现有的运行。
store-newer-version = { $path } 由更新版本的 plimsoll 写成（格式 { $found }；本版本最高支持 { $known }）。请升级 plimsoll 后再读取。
store-damaged = { $path } 已损坏：{ $detail }。旁边的计划副本仍可用来重新运行。
store-no-runs = { $path } 中没有任何运行。请先用 `plimsoll run` 运行一次，或用 --out DIR 指定其他位置。
store-run-not-found = { $path } 中没有名为“{ $spec }”的运行。最近的有：{ $candidates }。可以写目录、目录名的开头、`last`，或 `last~N`（倒数第 N+1 次）。
store-ambiguous-run = { $path } 中有多个运行以“{ $spec }”开头：{ $candidates }。请把名字写得更长一些。
store-other = { $path }：{ $detail }。请检查该路径是否存在且可写，或用 --out DIR 换一个位置。
