# What a plan may do on a host that is not its author's own.

access-refused-files = { $what } is a file outside the plan's bundle, which this host does not allow. Put it below the plan's folder, add it with --bundle, or start the worker with --allow files.
access-refused-withheld = { $what } is the program's own, or tells of its process: no plan uses it, whatever --allow says.
access-refused-scripts = { $what } would run code of the plan, which this host does not allow. If that is acceptable, start the worker with --allow scripts.
access-refused-processes = { $what } would start a process, which this host does not allow. If that is acceptable, start the worker with --allow processes.
access-refused-by = { $who }: { $reason }
access-folder-full = the plan's folder is full: { $most_mib } MiB, or 10000 files
