# What the commands say.

check-plan = Plan
check-target = Target
check-users = Users at most
check-duration = Duration
check-until-done = until all iterations are done
check-warm-up = Warm-up
check-goals = Goals
check-no-goals = none: the result will not be judged
check-scenarios = Scenarios
check-scenario = { $name }: { $load }
check-requests = Requests
check-more-requests = and { $count } more (--operations shows all)
check-right = { $source } is valid. Warnings: { $warnings }.

once-saved = saved { $name } = { $value }
once-log = log: { $line }
once-not-sent = (nothing was sent)
once-no-response = (no response)
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
convert-exists = { $path } is there already, and is not overwritten. Name another file, or add --force.
schema-line = For editors, a plan in any folder begins with: { $line }
output-no-folder = { $path } cannot be written: there is no folder { $folder }. Create it, or name another file.
output-is-folder = { $path } cannot be written: it is a folder. Name a file in it.
convert-unreadable = The curl command line cannot be read from standard input: { $reason }

# A wrong command line.

usage-wrong = error: { $reason }
usage-line = Usage: { $usage }
usage-options = OPTIONS
usage-command = COMMAND
usage-more = For more information, use --help.
usage-nearest = Did you mean { $nearest }?
usage-no-value = { $argument } needs a value.
usage-value = “{ $value }” is not a value for { $argument }: { $why }.
usage-value-unusable = it cannot be used
usage-allowed = allowed are { $values }
usage-unknown-argument = There is no argument { $argument } here.
usage-unknown-command = There is no command “{ $command }”.
usage-no-command = A command is missing.
usage-no-equals = { $argument } needs its value after an equals sign.
usage-too-many-values = { $argument } takes no further value, but “{ $value }” follows.
usage-values-missing = { $argument } has too few values.
usage-twice = { $argument } may be given only once.
usage-conflict = { $argument } cannot be used together with { $other }.
usage-missing = Missing: { $argument }
usage-not-utf8 = An argument is not valid UTF-8.
usage-other = { $reason }
usage-wants-whole-number = write a whole number
usage-wants-number = write a number
usage-wants-address = write ADDRESS:PORT, such as 127.0.0.1:7077
usage-wants-duration = write a time such as 500ms, 30s, 10m or 1h30m
usage-wants-rate = write a rate such as 100/s or 600/min
usage-wants-pair = write NAME=VALUE
usage-wants-size = write a size such as 512MiB or 8GB
usage-wants-positive = write a number above 0
usage-wants-percentage = write a percentage above 0 and up to 100, such as 3 or 80%
usage-wants-load = write users such as 50, or a rate such as 100/s

# Before the remedy of a mistake.

problem-remedy = help:
problem-others = The same problem in { $count } more places: { $places }
