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
convert-holds-secrets = { $count ->
        [one] The plan holds 1 value that looks like a secret ({ $names }), as the JMeter plan does. plimsoll init moves it to the environment.
       *[other] The plan holds { $count } values that look like secrets ({ $names }), as the JMeter plan does. plimsoll init moves them to the environment.
    }
convert-unreadable = The curl command line cannot be read from standard input: { $reason }

# A wrong command line.

usage-wrong = error: { $reason }
usage-line = Usage: { $usage }
usage-options = OPTIONS
usage-command = COMMAND
usage-name-command = COMMAND
usage-name-duration = DURATION
usage-name-text = TEXT
usage-name-family-knob = FAMILY|KNOB
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
usage-wants-objective = write an objective such as “maximise throughput” or “minimise p99”
usage-wants-rate = write a rate such as 100/s or 600/min
usage-wants-pair = write NAME=VALUE
usage-wants-size = write a size such as 512MiB or 8GB
usage-wants-positive = write a number above 0
usage-wants-percentage = write a percentage above 0 and up to 100, such as 3 or 80%
usage-wants-load = write users such as 50, or a rate such as 100/s

# Before the remedy of a mistake.

problem-remedy = help:
problem-others = The same problem in { $count } more places: { $places }

version-no-commit = not recorded (built without make)
version-long =
    commit: { $commit }
    built for: { $built }
    protocols: { $protocols }
    JMeter plans: { $jmeter }
    sources of the target: { $sources }
    reports: { $formats }

# plimsoll init: questions, what it says, and the comments in the plan that it writes.

init-ask = A URL, a curl command line (paste it), or a JMeter plan (.jmx):
init-nothing = Nothing to make a plan of: give a URL, a curl command line or a .jmx file.
init-written = { $path } is written, with comments.
init-secrets = { $count ->
        [one] 1 value that looks like a secret is read from the environment. Set it as it stood in the source; look through the plan before you share it:
       *[other] { $count } values that look like secrets are read from the environment. Set them as they stood in the source; look through the plan before you share it:
    }
init-schema = Editors on this machine complete by the line above. Elsewhere: plimsoll schema -o FILE prints its own.
init-no-source = “{ $found }” is neither a URL nor a curl command line nor a JMeter plan (.jmx).
init-next = Next:
init-about = A plan for Plimsoll. Every key: plimsoll schema, or docs/plan.md. One request of it: plimsoll once. The load: plimsoll run.
init-about-jmeter = A plan for Plimsoll, made of { $file }. Every key: plimsoll schema, or docs/plan.md.
init-key-target = The system under test. Paths of the steps begin here; other hosts are not loaded.
init-key-variables = Variables: ${"{"}name{"}"} stands for them anywhere. A secret comes from the environment, and is masked in reports.
init-key-auth = Who is asking: sent with each request.
init-key-redirects = Whether redirects are followed (false: no).
init-key-compression = Compressed responses are asked for, and unpacked.
init-key-tls = Whose certificate is taken.
init-key-proxy = The proxy that requests go through.
init-key-data = Rows of a file: each user takes its own.
init-key-scenarios = What users do: each scenario has its steps and its load.
init-key-users = How many users are at work at the same time.
init-key-stages = How the load goes up and down: so many users, reached in “ramp”, kept for “for”.
init-key-rate = How many iterations begin each second, whatever the responses do.
init-key-steps = What each user does, over and over.
init-load = The load: how many users are at work at the same time, how long it takes until all are, and how long it all lasts. An open load instead: rate: 50/s in the place of users.
init-load-more = The first part can be kept out of the result:
init-key-goals = What must hold for the run to pass (exit code 0); else it fails (1).
init-steps-more = A step may check its response, and users may think between steps:

usage-wants-tolerance = write a percentage of 0 or more, such as 5 or 5%
compare-gate-open = Not judged: with one run a side no difference can be shown. Repeat (run --repeat 5).
compare-gate-worse = B is worse than A: { $metric } { $percent } (p = { $p }, adjusted).
compare-gate-passed = B is not shown to be worse than A by more than { $percent } %.
