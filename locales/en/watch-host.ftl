# Watching hosts and processes, and finding what belongs together.
watch-host-no-pressure = This kernel shows no pressure (PSI): how long tasks wait for CPU, memory and disks is not seen. It needs Linux 4.20 with CONFIG_PSI, on some systems the boot option psi=1.
watch-host-oom-kill = The kernel killed { $count } { $count ->
        [one] process
       *[other] processes
    } for want of memory.
watch-process-address = "{ $address }" names no process. Write the port it listens at (process=8080), its number (process=pid:1234) or its program's name (process=java).
watch-process-absent = No process { $process } is there now; it is looked for again.
watch-process-hidden = Something listens at port { $process }, but whose it is cannot be seen: it is another user's process. Watch as that user or as root.
watch-process-ambiguous = Several processes are called { $name }: { $known }. Name one by its port or as pid:NUMBER.
watch-process-gone = { $name } (process { $pid }) has ended.
watch-process-restarted = { $name } was started again: process { $before } is now { $pid }.
watch-process-no-io = Bytes read and written by { $name } cannot be seen: it is another user's process. Watch as that user or as root.
watch-process-no-files = Open files and sockets of { $name } cannot be seen: it is another user's process. Watch as that user or as root.
watch-process-no-threads = Threads of { $name } cannot be seen: it is another user's process, and this system hides them. Watch as that user or as root.
