# What the commands say.

check-right = { $source } is valid. Warnings: { $warnings }.

once-saved = saved { $name } = { $value }
once-log = log: { $line }
once-not-sent = (nothing was sent)
once-no-answer = (no response)
once-binary = ({ $bytes } bytes that are not text)
once-cut = … (truncated after { $shown } bytes; the body has { $all }; --body-bytes 0 shows all)
once-ok = ✓ ok, { $time }
once-followed = ↳ { $time }; another request follows because of this response:
once-failed = ✗ { $kind }, { $time }: { $detail }
once-none = The plan made no request in its single iteration.
once-interrupted = Interrupted: a request that still had no response is not shown.
once-sum = Requests: { $requests }, failed: { $failed }.

list-run = Run
list-plan = Plan
list-started = Started
list-duration = Duration
list-samples = Samples
list-throughput = Throughput/s
list-p95 = p95 ms
list-errors = Errors
list-verdict = Verdict
list-running = running
list-cut-short = cut short

convert-nothing = Nothing to convert: give a curl command line (plimsoll convert curl http://…), or pipe one in.
convert-unreadable = The curl command line cannot be read from standard input: { $reason }
