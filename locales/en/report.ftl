# report

## Runs on disk

store-disk-full = The disk is full: { $path } cannot be written ({ $detail }). Free some room there, or choose another place with --out DIR.
store-permission-denied = No permission for { $path } ({ $detail }). Choose another place with --out DIR, or change the permissions of this one.
store-read-only = { $path } is on a read-only file system. Choose another place with --out DIR.
store-locked = { $path } is locked by another program ({ $detail }). Close that program and try again.
store-not-a-run = { $path } is not a run: it has no run.sqlite written by plimsoll. `plimsoll list` shows the runs there are.
store-newer-version = { $path } was written by a newer version of plimsoll (format { $found }; this version reads up to { $known }). Update plimsoll to read it.
store-damaged = { $path } is damaged: { $detail }. The copy of the plan beside it can still be used to run again.
store-no-runs = There are no runs in { $path }. Make one with `plimsoll run`, or name another place with --out DIR.
store-run-not-found = No run is called “{ $spec }” in { $path }. The newest there: { $candidates }. A run is a directory, the beginning of its name, `last`, or `last~N` for the N-th before it.
store-ambiguous-run = Several runs in { $path } begin with “{ $spec }”: { $candidates }. Write more of the name.
store-other = { $path }: { $detail }. Check that the path exists and can be written, or choose another place with --out DIR.
