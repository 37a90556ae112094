# Watching the target: sources, collectors, captures, the agent.
watch-unknown-source = There is no source "{ $source }" to watch. Known sources: { $known }.
watch-unknown-option = The source "{ $source }" has no setting "{ $option }". It knows: { $known }.
watch-file-unreadable = { $path } cannot be read: { $reason }.
watch-too-slow = No answer within { $seconds } s.
watch-captures-full = This capture is left out: captures of this run already hold { $megabytes } MiB.
event-watch-not-opened = { $source } is not watched: { $reason }
event-watch-source-fails = { $source } cannot be seen: { $reason }
event-watch-source-back = { $source } is seen again.
event-watch-note = { $entity }: { $text }
captures-none = The run { $run } has no capture { $number }. Its captures: { $known }.
watch-auto-needs-target = "auto" needs the target on this host as host:port.
watch-auto-failed = What is around the target could not be found: { $reason }
