# Reports. Column and chart names are short; sentences end with a full stop.

report-title = Load test report: { $name }

## Verdict

report-verdict-passed = Passed
report-verdict-failed = Failed
report-verdict-limited = Load generator was the bottleneck
report-verdict-aborted = Aborted by a guard
report-verdict-interrupted = Interrupted
report-verdict-error = Error
report-verdict-line = { $verdict }: { $meaning }
report-verdict-passed-meaning = { $goals ->
        [one] The goal was met.
       *[other] All { $goals } goals were met.
    }
report-verdict-not-judged = Not judged
report-verdict-not-judged-meaning = { $errors } % of { $requests } requests failed. The run had no goals to judge it by.
report-verdict-failed-meaning = { $goals ->
        [one] The goal was missed.
       *[other] { $missed } of { $goals } goals { $missed ->
            [one] was
           *[other] were
        } missed.
    }
report-verdict-no-success = Failed
report-verdict-no-success-meaning = None of { $requests } requests succeeded.
report-verdict-no-request-meaning = No request was measured. Check the target, the plan's load, and whether the warm-up is shorter than the run.
report-verdict-limited-meaning = The load generator was the bottleneck, so these figures say little about the target.
report-verdict-aborted-meaning = A guard of the plan ended the run early. The figures cover the time until then.
report-verdict-interrupted-meaning = The run was interrupted. The figures cover the time until then.
report-verdict-error-meaning = The run could not be made as planned: the plan is not valid, or the target could not be reached.
report-cut-short = This run was cut short: its process was killed, or its disk was full, before all was written. The figures come from the { $seconds } whole seconds it had written.
report-running = This run is still in progress. The figures cover the { $seconds } seconds written so far.
report-no-samples = No request was measured. Check the target, the plan's load, and whether the warm-up is shorter than the run.

## The load generator

report-generator = Load generator
report-generator-unknown = Whether the load generator was the bottleneck is not known: no request was measured.
report-generator-ok = The load generator was not the bottleneck.
report-generator-limited = The load generator was the bottleneck. Draw no conclusion about the target from this run; remove the cause and repeat it.
report-touched = Response times with the generator's own delays (measured) and without them (corrected): { $figures }. All other figures are as measured.
report-touched-figure = { $figure } { $measured } ms measured, { $corrected } ms corrected
report-touched-separator = {"; "}
report-figure-mean = mean
report-reason-cpu = CPU: a load thread used at least { $limit } % of the CPU allowed to it in { $seconds } s ({ $share }; worst { $worst } %). Give the generator more cores, or spread the load over several hosts.
report-reason-lateness = Send lateness: requests that could have been sent were sent late in { $seconds } s ({ $share }; p99 up to { $worst } ms, limit { $limit } ms). Lower the rate, or give the generator more CPU.
report-reason-receive_lag = Receive lag: responses were noticed { $worst } ms late on average in the worst of { $seconds } s ({ $share }; limit { $limit } ms): response times include the generator's own waiting. Give the generator more CPU.
report-reason-ports = Ports: the generator had no free local port in { $seconds } s. Use keep-alive, widen net.ipv4.ip_local_port_range, or add source addresses.
report-reason-fds = File descriptors: the generator reached its limit in { $seconds } s. Raise it (ulimit -n).
report-reason-memory = Memory: the generator used { $worst } % of the memory allowed to it in { $seconds } s. Give it more, or use fewer users.
report-reason-starved = CPU starved: load threads waited for a CPU that something else used, in { $seconds } s ({ $share }; worst { $worst } % of a second). Stop what else runs on this machine, or move the generator.
report-reason-stopped = Paused: the process neither ran nor waited for a CPU for { $worst } ms in the worst of { $seconds } s: it was stopped, its machine was suspended, or the CPU was given to another virtual machine. Repeat the run.
report-reason-competitor = The CPU went to: { $name }.
report-reason-of-run = { $share } % of the run
report-reason-of-last = { $share } % of the last { $window } s
report-generator-warning = Observed, but without effect on the result:
report-lateness-line = Send lateness p50 { $p50 } ms, p99 { $p99 } ms, max { $max } ms. Highest CPU share of a load thread { $cpu } %.
report-receive-lag-line = Receive lag (kernel to engine) p50 { $p50 } ms, p99 { $p99 } ms, max { $max } ms.
report-coalesced-line = { $count } of { $of } arrivals ({ $percent } %) left late, together with the one before: between them the gaps are not the schedule's.

## Figures

report-throughput = Throughput
report-samples = Samples
report-errors = Errors
report-error-share = Error rate
report-response-time = Response time
report-service-time = Service time
report-dropped = Dropped iterations
report-cut-off = Cut off
report-resent = Sent again
report-mean = Mean
report-median = Median
report-duration = Measured for
report-warm-up = Warm-up left out
report-of-samples = { $errors } of { $count } samples
report-worst = Slowest
report-received = received { $received } KB/s, sent { $sent } KB/s

## The aggregate report

report-contents = Contents
report-aggregate = Aggregate report
report-aggregate-note = Times in ms. Response time runs from the intended start of a request: the time a request waited for its turn counts.
report-service-table = Service time
report-service-note = Times in ms from the actual start of a request. It differs from the response time where requests started later than intended.
report-transactions = Transactions
report-transactions-note = Several steps timed as one; not part of the total.
report-sub-requests = Sub-requests
report-sub-requests-note = Redirect hops, embedded resources, and what was timed within a stream or a wait for messages; part of their request, not of the total.
report-total = Total
report-column-label = Label
report-column-samples = # Samples
report-column-average = Average
report-column-median = Median
report-column-p90 = 90 %
report-column-p95 = 95 %
report-column-p99 = 99 %
report-column-p999 = 99.9 %
report-column-min = Min
report-column-max = Max
report-column-error = Error %
report-column-throughput = Throughput
report-column-received = Received KB/s
report-column-sent = Sent KB/s
report-per-second = /s

## Goals

report-goals = Goals
report-column-goal = Goal
report-column-observed = Observed
report-column-verdict = Verdict
report-goal-met = met
report-goal-missed = missed
report-goal-no-sample = no sample

## Errors, codes, phases, dropped iterations

report-errors-by-kind = Errors by kind
report-column-kind = Kind
report-column-count = Count
report-column-share = Share
report-column-meaning = What it means
report-column-look = Where to look
report-error-line = { $kind }: { $meaning } { $look }
report-errors-title = Errors in detail
report-column-what = Error
report-column-first = First
report-column-last = Last
report-errors-at = { $seconds } s
report-errors-what = { $what }: { $message }
report-errors-other = (other)
report-errors-more = And { $groups } more groups with { $errors } errors.
report-errors-hint = Up to five samples of each, with request and response:
report-errors-group = { $count } × { $label }: { $what }
report-errors-sample = At { $at }: { $detail }
report-errors-not-sent = (no request known)
report-errors-none = No request failed.
report-errors-unknown = The version that made this run kept errors by kind and code only: plimsoll report.
report-status-codes = Response codes
report-column-code = Code
report-no-response = (no response)
report-phases = Phases
report-phases-note = Mean time in ms that each phase added to a request; phases that did not happen (keep-alive) count as 0.
report-phase-dns = DNS
report-phase-connect = Connect
report-phase-tls = TLS
report-phase-first_byte = First byte
report-phase-receive = Receive
report-not-run = Dropped iterations, requests cut off
report-dropped-note = Dropped iterations: { $count }. These arrivals could not begin, since all users allowed at once were busy. They are in no other figure: the offered load was higher than the one measured.
report-ended-after-note = { $count } requests began during the load and completed after it. They are in all figures but the throughput, which counts what completed in the measured time.
report-cut-off-note = { $count } requests still had no response when the run ended. They count neither as samples nor as errors.
report-resent-note = Requests that were sent again on a new connection: { $count }. The server had closed the keep-alive connection before any byte of a response. Each counts as one sample, timed from the first try.

## Charts

report-charts = Over time
report-chart-label = Label
report-all-requests = All requests
report-chart-throughput = Throughput and errors
report-chart-response = Response time percentiles
report-chart-users = Users and requests in flight
report-chart-distribution = Distribution of the response time
report-chart-heat = Response times over time
report-chart-against = Response time against throughput
report-chart-cpu = CPU of the load generator
report-chart-lateness = Send lateness
report-series-throughput = Requests
report-series-errors = Errors
report-series-range = lowest to highest second
report-series-users = Active users
report-series-in-flight = In flight
report-series-cpu = Busiest load thread
report-series-wait = Waiting for a CPU
report-series-lateness = p99
report-series-response = Response time
report-series-service = Service time
report-axis-time = Time since the start
report-axis-percentile = Percentile
report-axis-warm-up = warm-up
report-bucket-note = Each point covers { $seconds } s; the shaded range and the lines min and max keep the lowest and highest values.
report-labels-left-out = Charts exist for the { $shown } busiest of { $all } labels; the tables cover all.
report-needs-script = The charts need JavaScript; all tables work without it.

## The run

report-run = The run
report-fact-plan = Plan
report-fact-target = Target
report-fact-started = Started
report-fact-duration = Measured for
report-fact-warm-up = Warm-up left out
report-fact-scenarios = Scenarios
report-fact-command = Command
report-fact-seed = Seed
report-fact-version = Version
report-fact-host = Host
report-fact-system = System
report-fact-cpu = CPU
report-fact-cpus = { $allowed } of { $all } processors, { $model }
report-fact-memory = Memory
report-plan-text = The plan
report-events = Events
report-column-time = Time
report-column-event = Event
report-made-by = Made by Plimsoll { $version }. Every figure can be made again from the run's directory: { $dir }
report-file-failed = { $path } could not be written: { $detail }. Free some room or choose another place.
report-format-unknown = There is no report format “{ $name }”. The formats are: { $known }.

## Runs side by side

report-side-by-side = Side by side
report-column-run = Run
report-column-over = > { $limit }, %

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
store-finished = { $path }: this run is complete; only one that was cut short can be resumed.
store-still-written = { $path }: another process is still writing this run. End that process first.
store-one-machine = { $path }: this run was made on one machine; only a run with --workers can be resumed.
store-other = { $path }: { $detail }. Check that the path exists and can be written, or choose another place with --out DIR.

## Comparisons

report-compare-title = B ({ $b }) compared with A ({ $a })
report-compare-none = No difference shown. That does not prove the sides equal; more runs reveal smaller differences.
report-compare-repeat = Not judged: with one run a side, a difference cannot be told from chance. Repeat with several runs a side (--repeat N, or compare --interleave).
report-compare-differs = B differs from A: { $told }.
report-compare-labels-differ = B differs from A in single labels; no difference is shown over all requests.
report-compare-told = { $metric } { $verdict } ({ $relative })
report-compare-side = { $runs ->
    [one] { $name }, one run
   *[other] { $name }, { $runs } runs
}
report-compare-design = Design
report-compare-paired = paired: the runs of both sides were interleaved
report-compare-unpaired = unpaired
report-compare-labels = By label
report-compare-metric = Metric
report-compare-a = A
report-compare-b = B
report-compare-difference = B − A
report-compare-relative = Relative
report-compare-interval = 95 % confidence interval of B − A
report-compare-metric-throughput = Throughput
report-compare-metric-mean = Mean
report-compare-metric-p50 = p50
report-compare-metric-p90 = p90
report-compare-metric-p95 = p95
report-compare-metric-p99 = p99
report-compare-metric-error_rate = Errors
report-compare-verdict-none = no difference shown
report-compare-verdict-repeat = not judged: repeat
report-compare-verdict-higher-better = higher (better)
report-compare-verdict-higher-worse = higher (worse)
report-compare-verdict-lower-better = lower (better)
report-compare-verdict-lower-worse = lower (worse)
report-compare-note = A and B are means of whole runs: the run is the unit that repeats, not the sample or the second. Verdicts take into account how many figures are compared; each interval is for one figure alone.
report-compare-unmatched = Not compared, since not every run has them: { $labels }.

# The target.
report-target = Target
report-target-none = The target was not watched: run with --watch.
report-target-facts = Facts
report-captures = Captures
report-target-thing = of
report-target-what = what
report-target-fact = setting or fact
report-target-value = value
report-target-mean = mean
report-target-max = largest
report-capture-number = no.
report-capture-moment = moment
report-capture-kind = what
report-capture-size = size
report-capture-took = time taken
report-moment-start = start
report-moment-knee = knee
report-moment-steady = steady load
report-moment-worst = worst second
report-moment-end = end
report-moment-request = on request
report-entity = { $kind } { $name } @ { $host }
report-entity-host-only = { $kind } { $host }
report-entity-host = host
report-entity-process = process
report-entity-jvm = JVM
report-entity-web-server = web server
report-entity-pool = connection pool
report-entity-client = client
report-entity-application = application
report-entity-proxy = proxy
report-entity-database = database
report-entity-cache = cache
report-entity-exporter = exporter
report-entity-watcher = watcher
report-target-cpu = CPU of the host
report-target-run-queue = Tasks ready for a CPU
report-target-memory = Memory of the host
report-target-disk-busy = Disks busy
report-target-network = Network
report-target-tcp = TCP connections
report-target-tcp-trouble = TCP problems
report-target-process-cpu = CPU of the process (100 % is one core)
report-target-process-memory = Memory of the process
report-target-switches = Context switches
report-target-heap = Heap
report-target-gc = Garbage collection pauses
report-target-threads = Threads
report-target-workers = Worker threads
report-target-processes = Processes
report-target-queues = Requests that wait for a server
report-target-sessions-open = Sessions
report-target-connections = Connections
report-target-pool = Connection pool
report-target-pool-wait = Waiting for and using a connection
report-target-requests = Requests
report-target-queries = Queries
report-target-transactions = Transactions
report-target-database-waits = Connections by what they wait for
report-target-commands = Commands
report-target-clients = Clients
report-target-accept-queues = Accept queues
report-target-executor-queues = Tasks that wait for a thread
report-target-row-locks = Threads that wait for a row lock
report-target-main-thread = CPU of the thread that runs commands (100 %: no more)
report-target-running = running
report-target-blocked = waiting for a disk
report-target-available = available
report-target-swap = swapped out
report-target-retransmits = retransmitted segments
report-target-overflows = accept queue overflows
report-target-memory-used = in use
report-target-after-gc = after collection
report-target-gc-share = share of time
report-target-busy = busy
report-target-current = current
report-target-limit = limit
report-target-open = open
report-target-keep-alive = keep-alive
report-target-sessions = sessions
report-target-pending = waiting
report-target-longest-wait = longest wait
report-target-longest-use = longest use
report-target-requests-line = requests
report-target-queries-line = queries
report-target-commits = commits
report-target-rollbacks = rollbacks
report-target-commands-line = commands

## Loads, as a run keeps them

load-users = users: { $figure }
load-ramp-up = ramp-up { $figure } s
load-hold = hold { $figure } s
load-iterations = iterations: { $figure }
load-iterations-total = iterations in all: { $figure }
load-max-in-flight = at most { $figure } in flight
load-rate = rate: { $rate } for { $seconds } s

## Values of attributes

report-mode-idle = idle
report-mode-interrupt = interrupt
report-mode-softirq = softirq
report-mode-iowait = iowait
report-mode-nice = nice
report-mode-steal = steal
report-mode-system = system
report-mode-user = user
report-mode-receive = receive
report-mode-transmit = transmit
report-mode-read = read
report-mode-write = write
report-mode-voluntary = voluntary
report-mode-involuntary = involuntary
report-mode-established = established
report-mode-listen = listen
report-mode-time-wait = time_wait
report-mode-close-wait = close_wait
report-mode-syn-sent = syn_sent
report-mode-syn-received = syn_received
report-mode-fin-wait-1 = fin_wait_1
report-mode-fin-wait-2 = fin_wait_2
report-mode-last-ack = last_ack
report-mode-closing = closing
report-mode-closed = closed
report-mode-new = new
report-mode-runnable = runnable
report-mode-blocked = blocked
report-mode-waiting = waiting
report-mode-timed-waiting = timed waiting
report-mode-terminated = terminated

report-probe = The load was { $how ->
    [lowered] lowered
   *[raised] raised
} after the result, which does not hold these seconds:
report-probe-level = load × { $load }: { $throughput } requests/s, { $response } ms on average
report-load-changed = The load was changed while the run went on; the plan alone does not tell what was made:
report-load-users = from { $at } s on, scenario { $scenario }: { $value } users
report-load-rate = from { $at } s on, scenario { $scenario }: { $value } arrivals/s
report-load-rate-times = from { $at } s on, scenario { $scenario }: arrival rates times { $value }
report-load-longer = at { $at } s, scenario { $scenario }: { $value } s longer
paper-summary = Summary
