# Watching the target: sources, collectors, captures, the agent.
watch-unknown-source = There is no source "{ $source }" to watch. Known sources: { $known }.
watch-unknown-option = The source "{ $source }" has no setting "{ $option }". It knows: { $known }.
watch-file-unreadable = { $path } cannot be read: { $reason }.
watch-too-slow = No response within { $seconds } s.
watch-captures-full = This capture is left out: captures of this run already hold { $megabytes } MiB.
event-watch-not-opened = { $source } is not watched: { $reason }
event-watch-source-fails = { $source } cannot be seen: { $reason }
event-watch-source-back = { $source } responds again.
event-watch-gap = The target was not watched from { $from } s to { $to } s: the run had no controller.
event-watch-secret-gone = { $source } is not watched again: its address holds a password, which is not stored. Name everything to be watched with --watch.
event-watch-note = { $entity }: { $text }
captures-none = The run { $run } has no capture { $number }. Its captures: { $known }.
captures-not-running = The run { $run } has ended; captures can only be taken during a run.
captures-asked-already = Something else is asking the run { $run } for captures at this moment: try again in a second.
captures-unheard = The run { $run } does not accept requests: either nothing is watched (--watch), or it hangs.
captures-run-ended = The run { $run } ended before the captures were taken.
captures-nothing-taken = The run { $run } could take no capture of that kind: it is not watched, or the capture disturbs the target and needs --watch-allow-capture (an agent: --allow capture too).
captures-taken = { $number }: { $kind } of { $entity }, { $bytes } bytes, took { $ms } ms
event-captures-asked = Captures asked for ({ $kind }): { $count } taken.
watch-auto-needs-target = "auto" needs the target on this host as host:port.
watch-auto-failed = What is around the target could not be found: { $reason }

watch-stacks-refused = The CPU time of { $name } is not sampled: { $reason }. It takes root, the capability CAP_PERFMON, or kernel.perf_event_paranoid of 0 or less, on x86-64. Where its threads wait is seen all the same.
watch-stacks-unreadable = The code of { $name } cannot be read, so its CPU time is not told by function: it takes root, or the rights of its user. Where its threads wait is seen all the same.
watch-stacks-version = The stacks of { $name } show the interpreter's own functions only: { $found } is not known here. Known are { $known }.
watch-stacks-no-map = { $name } compiles code while it runs and does not tell what it is called: its own functions will be “[unnamed code]”. Node.js tells if it is started with --perf-basic-prof (it then writes /tmp/perf-PID.map), or with --inspect where captures are allowed.
