## What comes of a diagnosis.

diagnosis-found = Bottleneck: { $title }
diagnosis-healthy = At its limit, as expected: { $title }
diagnosis-pauses = Nothing is exhausted; what takes the time: { $title }
diagnosis-nothing = No bottleneck: no resource and no pool of the target was exhausted.
diagnosis-nothing-beside = No bottleneck for these requests: what is exhausted below is beside their way, or takes hardly any of their time.
diagnosis-insufficient = Too little was watched to name the bottleneck.
diagnosis-missing-all = The target was not watched. If the generator runs on the target's host, use `--watch auto --watch-allow-capture`; otherwise start an agent there (`plimsoll agent`).
diagnosis-missing-stacks = There are no thread dumps from under load. Run with `--watch-allow-capture` so that locks, pools and code can be named.
diagnosis-missing-plateau = Throughput stays at { $rate }/s from a load of { $from } to { $to }, yet nothing that was watched is exhausted. The bottleneck is somewhere that was not watched: a lock or pool inside a process that is not a JVM, a system behind it, or a limit in between. Watch those too, or load each hop alone (`plimsoll hops`).
diagnosis-missing-profile = { $name } is out of CPU, and its few thread dumps do not show where the CPU time goes. Profile it: set `jfr: start` or `profiler: …` on a `jvm` in the plan's `watch`.
diagnosis-missing-waits = For { $percent } % of the time of a request the code waits in { $object } for something that nobody saw, so nothing shows that nothing limits. Run several loads (`stages`, or `plimsoll capacity`): if throughput stays while response times rise, something there is exhausted; else it is a pause.
diagnosis-missing-source = { $source } could not be looked into from { $from } s { $until ->
        [open] on
       *[other] to { $until } s
    }: { $reason }
diagnosis-missing-database = { $name } was watched only as a process{ $source ->
    [other] , so that its statements could not be seen
   *[known] . Add `--watch { $source }=…` with a user so that its statements can be seen
}.

diagnosis-missing-inside = { $in_flight } requests were in flight on average and took { $ms } ms each. Nothing that was watched shows what they waited for: { $count ->
        [0] no process that serves them was seen
       *[other] the inside of { $names } is not visible (no thread dumps, no figures of its locks or pools)
    }, and without a lighter load nobody knows how long a request takes alone. Run several loads (`stages`, or `plimsoll capacity`): if throughput stays while response times rise, something inside is exhausted. Let a JVM take thread dumps (`--watch-allow-capture`); look into another runtime with its own profiler.

## The account of the response time.

account-title = Where the response time goes
account-sum = { $ms } ms on average, { $rate } requests/s: { $in_flight } requests in flight. { $percent } % of the response time is accounted for.
account-head-part = part
account-head-ms = ms
account-head-share = share
account-head-basis = by
account-generator = load generator
account-network = network and opening connections
account-network-between = network between { $process } and { $peer }
account-accept-queue = { $process }: waiting to be accepted
account-running = { $process }: running
account-cpu-wait = { $process }: waiting for a CPU
account-disk = { $process }: disk
account-garbage-collection = { $process }: garbage collection
account-waiting-inside = { $process }: waiting inside
account-waiting-inside-state = { $process }: waiting inside ({ $state ->
        [sleep] asleep
        [lock] for a lock
        [lock_file] for a file lock
        [pool] for a connection of a pool
        [write] sending to a slow receiver
        [pipe] at a pipe
        [child] for a program it started
        [log] for the write-ahead log
       *[other] at something else
    })
account-waiting-for = { $process }: waiting for { $peer }
account-waiting-for-unknown = { $process }: waiting for another system
account-waiting-for-nobody = waiting for { $peer }
account-unaccounted = not accounted for ({ $process })
account-unaccounted-nowhere = not accounted for
account-basis-wire = packets
account-basis-sockets = sockets
account-basis-threads = threads
account-basis-series = series
account-basis-load = load
account-slowest-title = Where the slowest requests spend it
account-slowest-sum = The slowest { $percent } % of those seen while packets were looked at: { $requests } requests of { $from } ms or more, { $ms } ms on average in the target. Beside it the same of all requests.
account-slowest-inside = { $process }: inside
account-slowest-waiting-for = { $process }: waiting for { $peer }
account-slowest-undecided = { $process }: in calls, not known whose
account-head-slowest = slowest, ms
account-head-all = all, ms
account-full-hop = { $process } has { $number ->
        [one] one call
       *[other] { $number } calls
    } to { $peer } in progress for { $percent } % of the time, never more, while { $waiting } requests wait before that.
account-full-threads = { $number ->
        [one] The only thread of { $process } named { $peer } is taken, while { $waiting } more requests wait for it.
       *[other] All { $number } threads of { $process } named { $peer } are taken, while { $waiting } more requests wait for one.
    }
account-full-children = { $number ->
        [one] The only worker of { $process } is taken, while { $waiting } more requests wait for it.
       *[other] All { $number } workers of { $process } are taken, while { $waiting } more requests wait for one.
    }
account-together-apart = Requests that found { $many } in flight took { $many_ms } ms, those that found { $few } took { $few_ms } ms: none waits for another.
account-at-once = Time and again { $requests } requests are done within { $ms } ms, of { $in_flight } in flight on average: nearly all are worked on at the same time, none waits for another.
account-together-wait = Requests that found { $many } in flight took { $many_ms } ms, those that found { $few } took { $few_ms } ms: the more there are, the longer each takes.
account-full-inside = Inside { $process } { $number ->
        [one] about one request works
       *[other] about { $number } requests work
    } at a time, while { $waiting } wait: throughput no longer rises, and a request takes that much less time when it is alone.
account-full-event-loop = { $number ->
        [one] The event loop
       *[other] { $number } event loops
    } of { $process } ({ $peer }) { $number ->
        [one] is
       *[other] are
    } busy, blocked or ready without a CPU for { $percent } % of the time, while { $waiting } requests wait.
account-full-cpu = { $process } uses the { $number } CPUs that it can use to { $percent } %, while { $waiting } requests wait.

diagnosis-missing-account = { $ms } of the { $of } ms of the response time are not explained{ $process ->
        [none] {""}
       *[other] {" "}(most in { $process })
    }, so nothing shows that nothing limits. { $look ->
        [packets] Nobody saw the packets: give the watcher on the target's host the right to (root, or CAP_NET_RAW) and run with `--watch-allow-capture`.
        [threads] Nobody saw what its threads do: give the watcher on its host the right to (root, or its own user and CAP_SYS_PTRACE) and run with `--watch-allow-capture`.
        [load] The requests are inside it while its threads neither run nor wait for another process. Run several loads (`stages`, or `plimsoll capacity`): if throughput stays while response times rise, it lets only so many requests work at a time; else it pauses.
       *[process] Its requests cannot be told apart on the network: load it past what encrypts, or load each hop alone (`plimsoll hops`).
    }
diagnosis-missing-elsewhere = { $ms } of the { $of } ms of the response time pass in systems that nobody watches{ $any ->
        [no] {""}
       *[yes] : { $peers }
    }, so nothing shows that nothing limits there. Watch them (`--watch`, an agent on their hosts), or load each hop alone (`plimsoll hops`).
diagnosis-missing-cause = It is known where the response time is, and not what it is spent on: requests wait { $ms } of { $of } ms inside processes, most in { $process }. { $look ->
        [threads] Nobody saw what its threads do: give the watcher on its host the right to (root, or its own user and CAP_SYS_PTRACE) and run with `--watch-allow-capture`.
       *[load] None of its threads runs or waits for another process meanwhile. Either it pauses, or it lets only so many work at a time. Run several loads (`stages`, or `plimsoll capacity`): if throughput stays while response times rise, it is the latter.
    }

## Findings: title, meaning, experiment.

code-unseen = code that was not seen
finding-in-process = { $title } (in { $process })

finding-generator-cpu = The load generator itself was out of CPU
finding-generator-cpu-means = Its threads could not send and receive in time, so part of what was measured is the generator's own delay. Nothing else can be concluded from this run.
finding-generator-cpu-experiment = Repeat with more CPUs or more load generators; if throughput rises, the generator was the bottleneck.
finding-generator-ports = The load generator ran out of local ports
finding-generator-ports-means = Every short connection holds its local port for 60 s (TIME_WAIT). Once all ports are taken, connects fail on the generator before they reach the target.
finding-generator-ports-experiment = Repeat with keep-alive or a wider port range; the failures must disappear.
finding-generator-late = The load generator sent requests late or noticed responses late
finding-generator-late-means = A considerable part of the response times is the generator's own delay, although it had CPU to spare.
finding-generator-late-experiment = Repeat on an idle load generator and compare the send lateness.
finding-generator-descriptors = The load generator ran out of file descriptors
finding-generator-descriptors-means = Every connection needs a file descriptor; without one it cannot be opened.
finding-generator-descriptors-experiment = Raise the limit of open files (`ulimit -n`) and repeat.
finding-generator-memory = The load generator ran out of memory
finding-generator-memory-means = The generator reached its memory limit; its figures cannot be trusted.
finding-generator-memory-experiment = Repeat with more memory or fewer users.
finding-generator-starved = The load generator did not get the CPU that it wanted
finding-generator-starved-means = The generator's threads were ready to run but had to wait for a CPU: another process was using it, or a quota of its own stopped them.
finding-generator-starved-experiment = Stop the other process, raise the quota, or move the generator, and repeat.
finding-generator-stopped = The load generator was paused
finding-generator-stopped-means = Its threads neither ran nor waited for a CPU: the process was stopped, its machine was suspended, or the CPU was given to another virtual machine. Responses that arrived meanwhile were noticed late.
finding-generator-stopped-experiment = Repeat the run; if it happens again, check the hypervisor's steal time and what stops processes on the host.
finding-generator-near-limit = The load generator is close to its own limit: { $percent } % of its calibrated maximum
finding-generator-near-limit-means = With this many load threads, this machine could do little more even against a page that costs nothing (plimsoll calibrate). If throughput stops rising under more load, the cause may be the generator rather than the target.
finding-generator-near-limit-experiment = Load the same target from two machines, or with more CPUs: if throughput rises, the generator was the bottleneck.

finding-cold-start = Measured before warm-up was complete: throughput was still rising, by { $percent } %
finding-cold-start-means = Under constant load { $object } kept getting faster while the JIT compiled: the average does not describe the steady state.
finding-cold-start-experiment = Repeat with a longer warm-up; the first and last part of the measured time must then agree.

finding-warm-up = The run's beginning was slower for { $seconds } s: it needs a warm-up
finding-warm-up-means = Under an even load responses were slow at first and then steady, and { $percent } % of the mean response time come of it: caches filled, connections were made, code was loaded or compiled. The average does not describe the steady state.
finding-warm-up-experiment = Repeat with the warm-up that is proposed; the first and last part of the measured time must then agree.

finding-cpu = { $by ->
        [quota] A CPU quota stops { $object }: it may use { $limit } CPUs, while others are idle
       *[work] CPU bound: { $object } uses { $used } of { $limit } CPUs
    }
finding-cpu-means = { $by ->
        [quota] Its control group (a container, a service of systemd) has no more CPU time in each period; until the next one all its requests stand still.
       *[work] The CPU is busy with requests nearly all the time. More threads or larger pools only move the queue; less work per request or more CPU raises the limit.
    }
finding-cpu-experiment = Give it more CPU and measure again: throughput should rise in proportion. Or profile the code named in the evidence.
finding-cpu-taken = Other processes on its host take the CPU: { $object } gets { $used } CPUs and needs more
finding-cpu-taken-means = The host's CPUs are saturated, but not by this process: its threads are ready to run and wait for a CPU for { $percent } % of the response time.
finding-cpu-taken-experiment = Stop what else runs on the host, or move it, and measure again: throughput should rise at once.
finding-host-cpu = The CPUs of host { $host } are saturated
finding-host-cpu-means = No process is at a limit of its own; together they use all the CPU the host has.
finding-host-cpu-experiment = Move one of the heavy processes to another host, the load generator first, and measure again: throughput should rise.
finding-single-thread = { $how ->
        [turns] One CPU is all that { $object } can use: its threads take turns
       *[threads] { $cpus ->
            [one] One CPU is all that { $object } can use: one thread does the work
           *[other] { $cpus } CPUs are all that { $object } can use: so many threads do the work
        }
    }
finding-single-thread-means = The process may use { $limit } CPUs, but { $how ->
        [turns] its interpreter runs one thread at a time, and that is busy nearly all the time
       *[threads] a thread runs on one CPU at a time, and those that serve are busy nearly all the time
    }. More users only wait longer, and more CPUs stay idle.
finding-single-thread-experiment = Run a second process next to the first and balance the load between them: throughput should nearly double.
finding-database-cpu = The database is out of CPU: { $object } uses { $used } of { $limit } CPUs
finding-database-cpu-means = The database is computing nearly all the time. The applications in front of it can only wait.
finding-database-cpu-experiment = Give the database more CPU, or remove its most expensive statement, and measure again.
finding-proxy-cpu = The proxy is out of CPU: { $object } uses { $used } of { $limit } CPUs
finding-proxy-cpu-means = The proxy itself is computing nearly all the time: what is behind it gets no more than the proxy passes on.
finding-proxy-cpu-experiment = Load what is behind the proxy directly: if it carries more, the proxy is the bottleneck.
finding-cache-cpu = The cache is out of CPU: { $object } uses { $used } of { $limit } CPUs
finding-cache-cpu-means = The cache runs its commands on one thread, and that thread is busy nearly all the time.
finding-cache-cpu-experiment = Use fewer or cheaper commands per request and measure again.

finding-hot-code = { $by ->
        [samples] { $percent } % of the CPU time is spent in { $library }
       *[dumps] { $percent } % of the working threads are in { $library }
    }
finding-hot-code-means = The CPU is saturated, most of it by one library, called from { $own }. Work that is repeated or done by a slow library can be saved.
finding-hot-code-experiment = Keep the result for the duration of the request, or use a faster library, and measure again.

finding-known-work = { $what ->
        [scan] { $object } reads whole tables, row by row: { $share } % of its CPU time
        [sort] { $object } sorts: { $share } % of its CPU time
        [planning] { $object } plans statements: { $share } % of its CPU time
        [json-parse] { $object } parses JSON: { $share } % of its CPU time
        [json-write] { $object } serializes JSON: { $share } % of its CPU time
        [pattern] { $object } matches regular expressions: { $share } % of its CPU time
        [json] { $object } reads or writes JSON: { $share } % of its CPU time
        [xml] { $object } reads or writes XML: { $share } % of its CPU time
        [compression] { $object } compresses: { $share } % of its CPU time
        [cryptography] { $object } encrypts or hashes: { $share } % of its CPU time
        [images] { $object } processes images: { $share } % of its CPU time
        [compiling] { $object } compiles code: { $share } % of its CPU time
        [copying] { $object } copies data between its own processes: { $share } % of its CPU time
       *[collection] { $object } collects garbage: { $share } % of its CPU time
    }
finding-known-work-means = Its threads were seen in { $function }, whose work that is. { $what ->
        [scan] A statement that finds no index for its condition examines every row, for each request anew; it takes longer as the table grows.
        [sort] A statement puts rows into an order that no index has, for each request anew.
        [planning] Small statements are planned again for each execution: there are very many of them, or they are not prepared.
        [json-parse] If the document hardly changes, it is parsed again for each request.
        [json-write] If the document hardly changes, it is serialized again for each request.
        [pattern] An expression that backtracks takes much longer for some texts than for others.
        [json] If the document hardly changes, the same is read or written again for each request.
        [xml] If the document hardly changes, the same is read or written again for each request.
        [compression] Each response is compressed anew; a higher level takes far more CPU time for a few percent of size.
        [cryptography] Handshakes, password hashes and signatures are made to take CPU time; what is done again for each request, and need not be, is wasted.
        [images] Sizes and formats are made again for each request.
        [compiling] Programs are compiled once and then used; here statements, scripts or templates are compiled again for each request.
        [copying] In Erlang and Elixir a message, the state of a called process and a row of ETS are copied whole, however little of them is used.
       *[collection] Requests allocate many objects, or the heap leaves little room for those that live.
    }
finding-known-work-experiment = { $what ->
        [scan] Watch the database with a login (`--watch`) to see which statement it is; look at its execution plan (EXPLAIN), create the index, and measure again.
        [sort] Watch the database with a login (`--watch`) to see which statement it is, give it an index in that order, and measure again.
        [planning] Prepare the statements once (or fetch the same with fewer), and measure again.
        [compiling] Switch it off, or keep what was compiled (see the advice), and measure again: CPU time for each request must fall.
       *[other] Keep the result where it may be kept, or make it smaller, and measure again: CPU time for each request must fall.
    }

finding-lock = A lock lets only one request through at a time: { $object }
finding-lock-means = { $waiting } threads at once wait to enter { $waits_in }. However many users and threads there are, throughput is one divided by the time the lock is held.
finding-lock-experiment = Double the users: if throughput stays the same and response time doubles, the lock is confirmed. Then move the slow part out of the lock and measure again.
finding-deadlock = Deadlock: threads wait for each other forever: { $object }
finding-deadlock-means = Each of them holds a lock that another one wants. Neither they nor their requests ever finish.
finding-deadlock-experiment = Acquire the locks in the same order everywhere and repeat the load.

finding-errors-with-event = Errors coincide with { $event }: { $percent } % of them fall into the same seconds
finding-errors-with-event-means = The failed requests are not spread over time: most fall into the seconds in which this happened, which is unlikely to be chance.
finding-errors-with-event-experiment = Trigger it once more on purpose, or prevent it, and repeat the load: the errors must come and go with it.

finding-log-level = The log level costs { $percent } % of the response time: { $object } writes debug events
finding-log-level-means = Each request writes many debug or trace events; formatting and writing them takes longer than the work itself.
finding-log-level-experiment = Set the level to INFO while it runs (Spring Boot: /actuator/loggers) and measure again.
finding-log-appender = Logging costs { $percent } % of the response time: { $how ->
        [waits] threads queue for the appender of { $object }
       *[computes] threads write what { $object } logs
    }
finding-log-appender-means = { $how ->
        [waits] An appender lets one thread write at a time, and the others wait for it.
       *[computes] Putting lines together and writing them takes the CPU of the threads that serve.
    }
finding-log-appender-experiment = Set the level to ERROR while it runs, or log asynchronously, and measure again.

finding-connection-pool = The connection pool { $object } is too small for the time its connections are held
finding-connection-pool-means = Requests wait for a connection for { $percent } % of their time{ $room ->
        [seen] , while the database has room
        [none] , and the database is busy, too
       *[unknown] {""}
    }.
finding-connection-pool-experiment = Enlarge the pool (or release connections sooner) and measure again: nothing should wait, and throughput should rise.
finding-outgoing-pool = { $object } has too few connections to the service it calls
finding-outgoing-pool-means = Its threads spend { $percent } % of their time waiting for a free connection of the HTTP client, not for the service itself.
finding-outgoing-pool-experiment = Raise the client's connections per route and measure again.

finding-new-connections = { $made } % of the requests open a new connection
finding-new-connections-means = Name resolution, connecting and the TLS handshake take { $percent } % of the time of a request and cost the server CPU and ports. Either the server closes connections after the response, or the plan makes users start over.
finding-new-connections-experiment = Use keep-alive on both sides and measure again.
finding-rate-limit = Requests are throttled by a rate limit: { $object }
finding-rate-limit-means = { $held } % of the requests arrived faster than the limit allows. What was measured is this limit, not what the service can carry.
finding-rate-limit-experiment = Raise or remove the limit for the test, or load from as many addresses or keys as real users have, and measure again.
finding-failed-requests = { $failed } % of the requests fail with status { $object }
finding-failed-requests-means = A failing response is often cheaper than a successful one: throughput and response time over all requests say little about the service.
finding-failed-requests-experiment = Send one such request by hand (plimsoll once, curl -i) and read the service's log; measure again once it succeeds.
finding-semaphore = A semaphore lets { $inside } requests through at a time: { $object }
finding-semaphore-means = { $waiting } threads at once wait for a permit. However many users and threads there are, throughput is the number of permits divided by the time one is held.
finding-semaphore-experiment = Double the permits and measure again: if the work done with a permit has room, throughput should double. Doubling only the users should only double the response time.
finding-full-queue = Requests wait at a full queue: { $object }
finding-full-queue-means = { $waiting } threads at once wait to put something into a queue that has no room. However many users there are, throughput is the rate at which the queue is emptied.
finding-full-queue-experiment = Empty the queue faster (more threads that take from it, or batches) and measure again: throughput should rise. A longer queue alone only fills later.
finding-object-pool = A pool is exhausted: { $object }
finding-object-pool-means = { $waiting } threads at once wait to take something from an empty queue, while { $inside } others work with what they took. Throughput is the number of pooled objects divided by the time one is in use.
finding-object-pool-experiment = Double the size of the pool and measure again: if the work done with its objects has room, throughput should double. Doubling only the users should only double the response time.
finding-task-threads = All { $limit } threads of the pool { $object } are busy, and requests wait for their tasks
finding-task-threads-means = Requests hand work to a thread pool and wait for it. The pool has fewer threads than there are waiting requests, so tasks queue for { $percent } % of the response time.
finding-task-threads-experiment = Raise the number of threads in the pool and measure again: throughput should rise and the waiting should disappear.
finding-worker-threads = All { $limit } worker threads of { $object } are busy, and more requests wait
finding-worker-threads-means = A request waits for a free thread for { $percent } % of its time. { $room ->
    [none] The threads are taken since they wait for something behind them, or want a CPU: that comes first.
   *[some] The work the threads do has room: they wait for something else, or CPUs are idle. More threads can serve more requests.
}
finding-worker-threads-experiment = { $room ->
    [none] Mend what the threads wait for and measure again: threads should be free.
   *[some] Raise the number of threads and measure again: throughput should rise and the waiting should disappear.
}
finding-max-connections = All { $limit } connections that { $object } accepts are taken by clients that keep them open
finding-max-connections-means = Keep-alive connections count even while they are idle. A client beyond the limit connects (the kernel completes the handshake) but is never served: it sees read timeouts while worker threads are free.
finding-max-connections-experiment = Raise the limit and measure again: no client should time out.
finding-accept-queue = { $how ->
        [host] An accept queue of host { $host } overflows
       *[port] The accept queue of port { $object } overflows
    }
finding-accept-queue-means = Clients connect faster than the server accepts: threads, connections and the queue in front of them are all full. The kernel drops the rest, which see connect timeouts or wait for a retry.
finding-accept-queue-experiment = Raise threads and queue length and measure again: overflows and connect timeouts must disappear.

finding-slow-dependency = Requests wait for another system: { $object }
finding-slow-dependency-means = { $percent } % of the time of a request is spent in { $code }, waiting for its response.
finding-slow-dependency-experiment = Load that system alone; or cache its responses for some seconds, or replace it with a stub, and measure again.
finding-own-wait = The code itself waits: { $object }
finding-own-wait-means = { $how ->
        [pause] { $percent } % of the time of a request is a pause of the code's own. Nothing is exhausted: more users bring more throughput.
       *[wait] { $percent } % of the time of a request the code waits for something that other threads or processes do. A second, heavier load shows whether more users bring more throughput.
    }
finding-own-wait-experiment = Double the users: throughput should double at the same response time.
finding-new-threads = { $each } threads are created for each request: { $object }
finding-new-threads-means = A new thread costs memory for its stack, a system call and a turn at the JVM's list of threads; a pool reuses them.
finding-new-threads-experiment = Run the same tasks in a thread pool and measure again: CPU per request must fall.
finding-concurrency-limit = { $place ->
        [hop] { $process } lets { $number ->
            [one] one call
           *[other] { $number } calls
        } to { $peer } run at a time, and { $waiting } requests wait
        [threads] { $number ->
            [one] The only thread of { $process } is taken, and { $waiting } requests wait for it
           *[other] All { $number } threads of { $process } are taken, and { $waiting } requests wait for one
        }
        [children] { $number ->
            [one] The only worker of { $process } is taken, and { $waiting } requests wait for it
           *[other] All { $number } workers of { $process } are taken, and { $waiting } requests wait for one
        }
       *[inside] { $process } lets { $number ->
            [one] about one request
           *[other] about { $number } requests
        } work at a time, and { $waiting } wait
    }
finding-concurrency-limit-means = However many requests come, so many are worked on at a time; the others wait before that. It may be a pool of connections or threads, a number of worker processes, a semaphore or a bulkhead: the number stays the same whatever it is called.
finding-concurrency-limit-experiment = { $held-up ->
        [lock-file] Take the lock away, or hold it for less time, and measure again with the same load: throughput must rise by much.
        [disk] Put the files on a faster disk or in memory (tmpfs) and measure again with the same load: throughput must rise by much.
       *[none] Double the number and measure again with the same load: if throughput rises by much, this was the bottleneck; if not, it lies behind it.
    }
finding-event-loop-blocked = { $how ->
        [asleep] { $object } sleeps while requests wait for it
        [blocked] A blocking call holds up the event loop of { $object }
        [wanting] The event loop of { $object } is ready to run all the time and mostly waits for a CPU
       *[running] The event loop of { $object } runs all the time
    } ({ $busy } %)
finding-event-loop-blocked-means = One thread serves one request at a time: while it { $how ->
        [asleep] sleeps of its own accord, between looking for work or within it
        [blocked] is stopped in a call that waits{ $call ->
            [other] {""}
           *[named] {" "}({ $call })
        }
        [wanting] waits for a CPU
       *[running] computes
    }, everything else that it serves waits, however idle the CPUs are.
finding-event-loop-blocked-experiment = { $how ->
        [asleep] Shorten the pause, and measure again with the same load: the response time must fall with it. Or run it
        [blocked] Wait without blocking in place of that call, and measure again with the same load: the wait of the others must end. Or run it
        [wanting] Give it a CPU of its own and measure again. Or run it
       *[running] Run it
    } with twice as many processes, and measure again: throughput should nearly double.
finding-retries = { $how ->
        [again] { $process } asks { $server } again after each failure: { $each } calls for one request
       *[otherwise] { $percent } % of the calls of { $process } to { $server } fail and are made up for
    }
finding-retries-means = A failed call costs its own time and the pause before the next one, and each repeated call adds to the load of a system that already fails. Nothing of that shows as an error of { $process }.
finding-retries-experiment = Make { $server } succeed (or repeat with it replaced by a stub that does): the calls for one request and the response time must fall.
finding-some-requests-slow = { $how ->
        [label] Some requests are slow: those of { $of }
        [replica] One of several servers is slow: { $of }
        [peer] Some requests are slow: they wait for { $of }
        [quota] Some requests are slow: the CPU quota stops { $of } while they are there
       *[process] Some requests are slow: { $of } keeps them
    }
finding-some-requests-slow-means = A few requests take much longer than the others, about { $percent } % of all response time together. A cure for all requests would hardly be felt by them.
finding-some-requests-slow-experiment = Measure the slow ones alone, as a request of their own: if they are as slow with one user, what they do is slow; if not, something they alone use is exhausted.
finding-stood-still = { $object } stood still for { $seconds } s{ $times ->
        [one] {""}
       *[other] {" "}in all, { $times } times
    }
finding-stood-still-means = Nothing came from the target for whole seconds while requests waited; about { $percent } % of all response time passed so. Means and percentiles hide it: before and after, requests were as fast as ever.
finding-stood-still-experiment = Repeat with captures of the target at that moment, and look at what else runs there at that time: a pause that comes again at the same distance is of the target itself (collections, checkpoints, log rotation); one that comes at a time of day is of its host.
finding-blocked-io = { $how ->
        [sync] Requests wait until the disk has what { $object } writes
       *[file] Requests wait for the disk in { $object }
    }
finding-blocked-io-means = For { $percent } % of the response time threads stand still for a disk. More threads only queue before it; what is read or synced less often, in larger pieces, or on a faster disk takes less.
finding-blocked-io-experiment = Repeat with the files on a faster disk or in memory (tmpfs): if the response time falls by that share, the disk was the bottleneck.
finding-connection-limit = { $object } takes no more connections: its limit{ $limit ->
        [unknown] {" "}is reached
       *[other] {" "}of { $limit } is reached
    }
finding-connection-limit-means = Whoever wants another connection is refused or waits. A larger pool of a client does not help: the limit is on the other side.
finding-connection-limit-experiment = Raise the limit, or let clients keep fewer connections, and measure again: refusals must end.
finding-logged-errors = The log of { $object } names the errors: { $class ->
        [upstream_timed_out] what is behind it does not respond in time
        [upstream_refused] what is behind it refuses connections
        [upstream_closed_early] what is behind it closes connections before it responds
        [connection_reset] what is behind it resets connections
        [no_route] there is no route to what is behind it
        [resource_unavailable] a socket behind it takes no more connections
        [upstream_header_too_big] the head of the response does not fit its buffer
        [body_too_large] the body of the request is larger than it allows
        [host_not_resolved] the name of what is behind it cannot be resolved
        [disk_full] no space left on the device
        [permission_denied] permission denied
        [worker_died] a worker died
        [out_of_memory] no memory left
        [tls_handshake] TLS handshakes fail
        [file_not_found] a file is not there
        [too_many_open_files] no file descriptor left
       *[other] { $name }
    }
finding-logged-errors-means = For { $percent } % of the failed requests there is such a line. What it names is nearer to the cause than the status that clients get.
finding-logged-errors-experiment = Mend what the line names and measure again: the lines and the failures must end together.
finding-created-each-time = { $object } makes { $what } anew for each request
finding-created-each-time-means = { $percent } % of the response time go into making what can be made once and kept. Clients, pools, mappers and compiled patterns are meant to be shared.
finding-created-each-time-experiment = Make it once, before the load, and measure again: the time in its construction must be gone.
finding-blocked-place = { $how ->
        [disk] Threads wait for a lock, and whoever has it waits for the disk: { $object }
        [call] Threads wait for a lock, and whoever has it waits for another system: { $object }
        [pause] Threads wait for a lock, and whoever has it pauses: { $object }
       *[other] Threads wait for each other at one place: { $object }
    }
finding-blocked-place-means = { $threads } threads on average wait there ({ $percent } % of the requests) while { $holders } are past it. However many threads there are, only so many get through at a time.
finding-blocked-place-experiment = Let those who are past the place be quicker, or more of them pass, and measure again: throughput must rise in proportion.
finding-calls-in-series = { $object } asks { $count } systems one after the other for each request: { $names }
finding-calls-in-series-means = { $percent } % of the time of a request is the sum of these calls. Nothing is full there: each takes as long as it takes, and the request waits for all of them in turn.
finding-calls-in-series-experiment = Make the calls at the same time, or leave one out, and measure with the same load: the response time must fall to that of the longest, or by that of the one left out.
finding-cache-loads = The cache before { $object } hardly ever has what is asked for
finding-cache-loads-means = { $percent } % of the working threads are in a load of the cache, or wait for one: nearly every request is a miss and costs what loading costs.
finding-cache-loads-experiment = Warm the cache, make it larger or let entries live longer, and measure again: if the loads end, it was the misses.
finding-polled-lock = Requests of { $process } try again and again to take { $keys ->
    [one] one key
   *[several] keys
} in { $object } that another request has
finding-polled-lock-means = A key that is taken only if nobody has it serves as a lock: each request tries { $count } times in vain, pauses and tries again. { $percent } % of the response time passes so. Between two tries the lock may be free, and nobody takes it.
finding-polled-lock-experiment = Halve the pause between two tries, or lock less under one key, and measure again: throughput must rise by much.
finding-held-row-locks = Transactions wait for rows of { $object } that one of them keeps locked{ $how ->
        [call] {" "}while it asks { $peer }
        [client] {" "}while { $process } does something else
       *[database] {""}
    }
finding-held-row-locks-means = { $waiting } writes on average ({ $percent } % of the response time) wait in { $server } until the transaction before them ends. { $server } does next to nothing meanwhile: more connections only make a longer line.
finding-held-row-locks-experiment = Ask whom it asks before the transaction begins, or commit right behind the write, and measure again: throughput must rise by as much as the rows are locked for a shorter time.
finding-queue-workers = { $how ->
        [relays] Requests of { $process } wait for { $object }, whose messages come through { $server }
       *[takes] Requests wait in a queue for { $object }, which works on { $takers } at a time
    }
finding-queue-workers-means = { $how ->
        [relays] { $waiting } requests on average ({ $percent } % of the response time) wait until { $object } has done its part and says so through { $server }. { $process } only waits for that, and { $server } passes it on.
       *[takes] { $waiting } requests on average ({ $percent } % of the response time) lie in a queue of { $server } until { $object } takes them. { $server } itself does nothing for them meanwhile, and { $process } only waits for the result.
    }
finding-queue-workers-experiment = Run a second { $object } beside it (or twice as many takers in it) and measure with the same load: throughput must rise in proportion, as long as what they work with bears it.
finding-rate-limit-delay = { $object } lets { $rate } requests a second through, at an even pace, and does next to nothing meanwhile: a rate limit
finding-rate-limit-delay-means = Requests wait for their turn by the clock ({ $waiting } at a time, { $percent } % of the response time), not for somebody who works: what follows behind is idle. More threads, CPU or connections change nothing.
finding-rate-limit-delay-experiment = Double the limit and measure with the same load: throughput must double, or something else be named. With half the load's users the rate stays and each waits half as long.
finding-connection-leak = Connections of the pool { $object } are not given back
finding-connection-leak-means = { $used } connections are out, and no thread is at work that could have them: they were taken and never released. A larger pool only lasts a little longer.
finding-connection-leak-experiment = Release the connection on every way out (also where an error is thrown) and measure again: the number in use must fall as the load ends.
finding-waits-elsewhere = { $percent } % of the response time passes in { $peer }, which nobody watches
finding-waits-elsewhere-means = { $process ->
        [none] The requests
       *[other] The requests in { $process }
    } wait for { $peer }. What takes it long is decided there, and can be seen only there.
finding-waits-elsewhere-experiment = Watch its host (an agent there: `plimsoll agent`), or load it alone (`plimsoll hops`): if it is as slow with one user, it is slow of itself; if not, something in it is exhausted.
finding-name-lookups = { $how ->
        [lost] { $process } looks names up for each request, and a part of the lookups gets no response: { $server }
        [searched] { $process } looks names up for each request, many of which there are not: { $server }
        [shared] { $process } looks the same names up again and again, and its requests wait for it: { $rate } lookups a second of { $ms } ms at { $server }
       *[slow] { $process } looks names up for each request: { $each } lookups of { $ms } ms at { $server }
    }
finding-name-lookups-means = Before a request can call anybody it waits for the name server, for { $percent } % of the response time. A name hardly changes; whoever keeps it, or the connection, does not ask again.
finding-name-lookups-experiment = Put the address in place of the name (or in /etc/hosts) and measure again: the response time must fall by what the lookups take.
finding-many-calls = { $count } { $kind ->
        [sql] statements
        [redis] commands
        [http] HTTP calls
       *[other] calls
    } to { $server } for each request of { $process }
finding-many-calls-means = Each is quick, but each costs a round trip and the CPU of both sides: together they are under way for { $percent } % of the response time. The CPU that { $process } and { $server } use is mostly theirs.
finding-many-calls-experiment = Fetch the same with one call (a join, a list of keys, a batch) and measure again: calls for each request and CPU of both must fall, throughput rise.
finding-call-connections = { $process } opens { $often ->
        [each] a connection to { $server } for each request
       *[other] { $each } connections to { $server } for each request
    }{ $how ->
        [tls] , with a full TLS handshake
        [resumed] , with a TLS handshake
       *[tcp] {""}
    }
finding-call-connections-means = { $often ->
        [each] Each request pays what a connection costs
       *[other] What a connection costs is paid { $each } times for each request
    }: round trips, a worker of its own where { $server } begins one for each connection (PostgreSQL), with a password the computing of its hash on both sides, and with TLS the CPU of both sides, most of it where the key is. It explains up to { $percent } % of the response time.
finding-call-connections-experiment = Keep connections to { $server } open and measure again: connections opened a second must fall to nearly zero, CPU of { $server } and response time with them.
finding-cpu-stolen = The hypervisor gives CPUs of { $object } to others: { $stolen } % of the CPU time that it wanted
finding-cpu-stolen-means = The machine is a virtual one. While something in it was ready to run, its CPUs were not there (“steal”): the physical CPUs are shared with other machines, or the CPU credits of this one are exhausted. No setting of the target changes that, and it differs from hour to hour: what is measured here holds for no other time.
finding-cpu-stolen-experiment = Measure again on dedicated CPUs, or at another time: without steal the response time falls, or the throughput rises, by up to this.
finding-cpu-shared = { $object } wants a CPU and others are on it: { $first } ({ $number ->
        [one] one process shares
       *[other] { $number } processes share
    } its CPUs)
finding-cpu-shared-means = Its threads are ready to run and get no CPU for { $share } % of that time: it may use { $cpus ->
        [1] one CPU
       *[other] { $cpus } CPUs
    }, on which others run too. What looks like slow code is waiting.
finding-cpu-shared-experiment = Move the others to other CPUs (or stop them) and measure again: the response time must fall at once.
finding-many-commits = { $count } commits on { $object } for each request of { $process }
finding-many-commits-means = Each commit waits until its part of the write-ahead log is on the disk: backends wait for that for { $percent } % of the response time.
finding-many-commits-experiment = Put the statements of a request into one transaction and measure again: commits for each request must fall to one, the wait for the log with them.
finding-child-processes = Processes started by requests use { $used } CPUs: { $object }
finding-child-processes-means = The server starts another program for a request and waits for it. These programs, and starting them, take the CPU; more threads only start more of them at once.
finding-child-processes-experiment = Replace the program with one that exits at once and measure again: if throughput rises, this is confirmed.
finding-idle-replicas = { $idle } of the { $all } servers of { $object } get nothing, while another is at its limit
finding-idle-replicas-means = The proxy sends everything to the others. The same work spread over all { $all } would take { $percent } % off the response time at most.
finding-idle-replicas-experiment = Send requests in turn (round robin) and measure again: each server must get its share.
finding-requests-without-response = { $unanswered } % of the requests get no response: { $object }
finding-requests-without-response-means = Their connections are not taken, or are taken and nothing comes back; nothing that was watched is exhausted and explains why.
finding-requests-without-response-experiment = Send one request by hand during the load, and one after it: a server that responds to neither is stuck, and its log says since when.
finding-split-responses = Each response arrives in two pieces, { $ms } ms apart
finding-split-responses-means = { $percent } % of the response time is not work: the server holds back the rest of a response until the first piece is acknowledged (Nagle's algorithm), and the client delays its acknowledgement, as TCP allows. Real clients wait just as long.
finding-split-responses-experiment = Send head and body of a response in one write, or without delay (TCP_NODELAY), and measure again: the receive time must be near 0.
finding-network-delay = { $what ->
    [lost] The network between { $client } and { $server } loses packets: sending them again adds { $ms } ms to each request
   *[late] The network between { $client } and { $server } adds { $ms } ms to each request, there and back
  }
finding-network-delay-means = { $percent } % of the response time passes in the network between the two processes: neither has the request meanwhile. No setting of either makes that shorter.
finding-network-delay-experiment = { $what ->
    [lost] Stop the loss, or ask the server from where it runs, and measure again: the response time must fall by that time.
   *[late] Run both next to each other, or ask the server from where it runs, and measure again: the response time must fall by that time.
  }
finding-held-pieces = { $sender } sends its { $what ->
        [requests] requests to { $receiver }
       *[responses] responses to { $receiver }
    } in pieces, { $ms } ms apart
finding-held-pieces-means = { $percent } % of the response time, the wait for a turn included, is not work: a piece is held back until the one before it is acknowledged (Nagle's algorithm), and the other side delays its acknowledgement because it waits for the rest. Both processes are idle meanwhile.
finding-held-pieces-experiment = Send each message in one write, or without delay (TCP_NODELAY), and measure again: the response time must fall by that wait.

finding-full-scan = A statement reads the whole table { $object } again and again
finding-full-scan-means = Each execution examines { $examined } rows and finds no index for its condition. { $percent } % of the time of a request goes there.
finding-full-scan-experiment = Look at the execution plan (EXPLAIN); create the index or rewrite the condition, and measure again: rows examined must fall, throughput rise.
finding-many-queries = { $count } similar statements on { $object } for each request
finding-many-queries-means = None of them is slow, but each costs a round trip and work on both sides: { $percent } % of the time of a request.
finding-many-queries-experiment = Fetch the rows with one statement (IN, a join, a batch) and measure again: statements per request must fall, throughput rise.
finding-row-locks = Transactions wait for rows of { $object } that others have locked
finding-row-locks-means = { $percent } % of the time of a request is spent waiting for row locks. More users or connections would only wait there too.
finding-row-locks-experiment = Commit earlier or spread the writes over more rows, and measure again: row lock waits must fall.
finding-table-locks = Statements wait for the whole table { $object }
finding-table-locks-means = A statement that changes or locks the table waits for a transaction that still uses it, and every later statement waits behind it: { $percent } % of the time of a request.
finding-table-locks-experiment = End the transaction or the change (KILL its connection) and measure again: the waiting must end at once.
finding-slow-statement = A statement on { $object } takes { $ms } ms
finding-slow-statement-means = Requests spend { $percent } % of their time in it, although the database has CPU to spare.
finding-slow-statement-experiment = Run the statement alone with EXPLAIN ANALYZE; change it or keep its result, and measure again.
finding-slow-database = Requests wait for a database: { $object }
finding-slow-database-means = { $percent } % of the time of a request is spent waiting for its responses. Why it takes so long was not watched.
finding-slow-database-experiment = Watch the database too, with a user (`--watch mysql=…` or `--watch postgresql=…`), and repeat; or replace it with a stub and compare.

finding-many-round-trips = { $count } times { $object } for each request
finding-many-round-trips-means = No call is slow, but each one waits for a round trip to the cache: { $percent } % of the time of a request.
finding-many-round-trips-experiment = Ask for all keys in one call and measure again: calls per request must fall, throughput rise.
finding-slow-command = The command { $object } keeps the cache busy: { $ms } ms for each call
finding-slow-command-means = The cache runs one command at a time: while this one runs, all others wait.
finding-slow-command-experiment = Replace the command, or make the data it works on smaller, and measure again.
finding-cache-misses = Most lookups in { $object } miss
finding-cache-misses-means = A miss costs a round trip and then the trip to the source that the cache should save.
finding-cache-misses-experiment = Warm the cache, or keep keys longer, and compare the miss rate.
finding-cache-refuses = { $object } does not take what { $process } puts there: { $why ->
        [too_large] the items are too large
        [out_of_memory] its memory is full
        [read_only] it takes no writes
       *[other] it responds with an error
    }
finding-cache-refuses-means = Items that are refused for each request: { $count }. What is not in the cache is looked for in vain, made anew and refused again: the cache costs a round trip and saves nothing. At most { $percent } % of the response time is spent on what it should have saved.
finding-cache-refuses-experiment = Have one such item taken (split or compress it, or raise the limit) and measure again: the lookups must find it.
finding-cache-loses = What { $process } puts into { $object } is gone when it is looked for again
finding-cache-loses-means = Items that are lost so for each request: { $count }. What is put there is soon looked for in vain, and made anew: the cache costs two round trips and saves nothing. At most { $percent } % of the response time is spent on what it should have saved.
finding-cache-loses-experiment = Put one such item there by hand, with the same time to live, and look for it a second later: it must be there. Then measure again: the lookups must find it.
finding-cache-evictions = { $object } evicts keys because its memory is full
finding-cache-evictions-means = Evicted keys are missed later.
finding-cache-evictions-experiment = Give it more memory and compare the miss rate.

finding-network-full = The network link { $object } is full
finding-network-full-means = It carries { $percent } % of its capacity: bytes per response times responses per second reach the rate of the link.
finding-network-full-experiment = Make responses smaller (compress them) and measure again: throughput should rise by the same factor.
finding-packet-loss = TCP retransmits on { $object }
finding-packet-loss-means = Packets are lost or late; each loss makes a request wait for a timer or a retransmission.
finding-packet-loss-experiment = Measure again with less load: if the retransmissions stop, a link or queue is overloaded.
finding-upstream-short-connections = { $object } opens a new connection to its upstream for each request
finding-upstream-short-connections-means = Each one costs CPU on both sides and leaves a socket in TIME_WAIT for 60 s; when local ports run out, requests fail. This explains about { $percent } %.
finding-upstream-short-connections-experiment = Use keep-alive to the upstream and measure again: connections opened per second must fall to nearly none.
finding-close-wait = { $object } does not close connections that its clients have closed: { $count } in CLOSE_WAIT
finding-close-wait-means = Each one holds a file descriptor forever. Once none are left, no connection is accepted any more.
finding-close-wait-experiment = Close the socket when reading ends, repeat, and check that CLOSE_WAIT stays near zero.

finding-proxy-settings = Settings of { $object } cost it a good part of its CPU
finding-proxy-settings-means = The proxy is out of CPU, and these settings take about { $percent } % of it, by rule of thumb.
finding-proxy-settings-experiment = Change one setting at a time and measure again.
finding-proxy-connections = { $object } has no connections left for more clients
finding-proxy-connections-means = A proxied request takes two connections of a worker process. Beyond the limit, clients are cut off.
finding-proxy-connections-experiment = Raise the limit and measure again: the message must disappear from the error log.

finding-session-leak = { $percent_left } % of the requests leave a session behind: { $count } are held
finding-session-leak-means = Sessions stay until they time out, and they fill the heap: { $object }. Garbage collection takes longer and longer and frees nothing.
finding-session-leak-experiment = Do not create sessions for such requests (or let them expire after a minute) and repeat for longer: sessions and the heap after GC must stay level.
finding-heap-full = The heap is full: { $object }
finding-heap-full-means = { $how ->
        [exhausted] After each collection it is still full: a thread that needs memory gets none and ends (OutOfMemoryError), and requests get no response.
       *[pauses] After each collection it is still full, so { $paused } % of the time goes to pauses.
    }
finding-heap-full-experiment = Repeat with twice the heap: if it fills again, it is a leak; compare class histograms. If it stays level, it was too small.
finding-gc-pauses = { $object } is paused for { $paused } % of the time by garbage collection
finding-gc-pauses-means = { $left ->
        [little] Little of the heap is in use after a collection, so this is no leak: memory is allocated faster than it can be collected cheaply.
        [much] Much of the heap stays in use after a collection, so that collections come often and are dear.
       *[unknown] Memory is allocated faster than it can be collected cheaply.
    }
finding-gc-pauses-experiment = Repeat with twice the heap or another collector, and compare the share of time paused.
finding-explicit-gc = The program itself requests garbage collections: { $object }
finding-explicit-gc-means = For { $paused } % of the time everything is paused for collections that code requests with System.gc(), while the heap has room.
finding-explicit-gc-experiment = Start the JVM with -XX:+DisableExplicitGC, or remove the call, and measure again: the pauses must disappear.
finding-swapping = { $object } swaps
finding-swapping-means = Memory is exhausted; pages are written to and read from disk while requests wait.
finding-swapping-experiment = Give processes less memory or the host more, and measure again: nothing must be swapped.
finding-oom-kill = The kernel killed a process because memory ran out: { $object }
finding-oom-kill-means = The requests it was serving failed, and so did those that arrived before it was up again.
finding-oom-kill-experiment = Raise the memory limit or lower the heap, and repeat.
finding-memory-throttled = { $object } is slowed down because its control group is at { $setting }
finding-memory-throttled-means = Whoever wants memory there must first give some back: for { $percent } % of the time tasks of the group stand still for it.
finding-memory-throttled-experiment = Raise { $setting } by half and measure again: the time in which tasks stand still for memory must disappear.
finding-conntrack-full = The firewall of { $object } cannot track any more connections
finding-conntrack-full-means = Packets of new connections are dropped without a word; clients send them again after a second, then after two, then four.
finding-conntrack-full-experiment = Raise the limit and measure again: packets dropped and slow or failed connections must disappear.
finding-tasks-limit = { $object } may start no more processes and threads
finding-tasks-limit-means = Its control group has as many as it may have; what needs another one fails.
finding-tasks-limit-experiment = Raise the limit and repeat: nothing must be refused.
finding-listen-queue = Connections wait at all times to be accepted by { $process } at port { $object }
finding-listen-queue-means = { $percent } % of the requests in flight wait in the kernel's queue: { $process } takes in new ones more slowly than they arrive, because as many as it can serve at a time are being served.
finding-listen-queue-experiment = Give { $process } more workers, threads or processes, or halve the users: the queue must become empty.
finding-connections-sent-again = The first packets of connections are lost and sent again: { $object }
finding-connections-sent-again-means = Each costs its request up to a second or more, { $ms } ms for each request on average, and nobody sees an error.
finding-connections-sent-again-experiment = Keep connections open, or make the queue longer, and measure again: nothing must be sent again.

finding-growing-file = A file that is read on every request grows with every request: { $object }
finding-growing-file-means = Reading it takes { $percent } % of the time of a request, and more from second to second.
finding-growing-file-experiment = Move the file away during the run: throughput must jump back to where it started.
finding-disk-busy = The disk { $object } is busy nearly all the time
finding-disk-busy-means = { $percent } % of the time of a request is spent waiting for files.
finding-disk-busy-experiment = Move logs or data to another disk, or write less, and measure again.
finding-disk-full = The file system { $object } is full
finding-disk-full-means = Writes will soon fail, if they do not already.
finding-disk-full-experiment = Free some space and repeat.

finding-descriptors-left-open = { $object } opens descriptors for its requests and does not close them
finding-descriptors-left-open-means = { $each } descriptors stay open for each request, and go on growing under an even load. When the limit is reached nothing can be opened or accepted any more; a higher limit is reached a little later.
finding-descriptors-left-open-experiment = Close them where they are opened, and measure again: their number must stay the same under an even load.
finding-file-descriptors = { $object } has no file descriptors left
finding-file-descriptors-means = Every connection and file needs one; what cannot be opened fails.
finding-file-descriptors-experiment = Raise the limit and repeat; if they run out again, something does not close what it opens.

finding-hop-latency = The hop that adds most time: { $object }, { $ms } ms
finding-hop-latency-means = { $alone ->
        [1] Loaded alone it adds { $percent } % of the response time that the run had: the time goes there even when nobody waits in line.
       *[0] { $percent } % of the response time is added there, not before or behind it, and it has no CPU left.
    }
finding-hop-latency-experiment = { $alone ->
        [1] Watch this hop (thread dumps, profiles, the statements of its database) while it is loaded alone: what takes these { $ms } ms must be seen there.
       *[0] Load each hop alone (plimsoll hops), from the last to the first: the step in response time or the drop in throughput must be at this one.
    }

## Evidence.

exhibit-no-local-port = { $count } requests failed because the generator had no free local port (EADDRNOTAVAIL).
exhibit-generator-cpu = In { $percent } % of the seconds a load thread used more than { $limit } of its CPU; at most { $worst }.
exhibit-generator-ceiling = { $rate } requests/s were sent; by the calibration of { $date }, its load threads can send at most { $most } ({ $micros } µs of CPU per request).
exhibit-generator-lateness = In { $percent } % of the seconds the p99 of the send lateness was over { $limit } ms; at most { $worst } ms.
exhibit-generator-receive_lag = In { $percent } % of the seconds responses were noticed more than { $limit } ms late on average; at most { $worst } ms.
exhibit-generator-ports = In { $percent } % of the seconds no local port was free.
exhibit-generator-fds = In { $percent } % of the seconds no file descriptor was free.
exhibit-generator-memory = In { $percent } % of the seconds { $worst } of the memory limit was used.
exhibit-generator-starved = In { $percent } % of the seconds load threads waited for a CPU for more than { $limit } of the time{ $competitor ->
        [none] {""}
       *[other] ; most of it was taken by { $competitor }
    }.
exhibit-generator-stopped = In { $percent } % of the seconds the process was paused for more than { $limit } ms; at most { $worst } ms.
exhibit-generator-touched = { $figure } of the response times: { $measured } ms measured, { $corrected } ms corrected for the generator's own delays.
exhibit-rising = Throughput under constant load: { $early }/s in the first third, { $late }/s in the last.
exhibit-beginning = In the first { $seconds } s a response took { $early } ms on average, afterwards { $late } ms; the mean is { $percent } % too long because of that.
exhibit-beginning-compiles = { $percent } % of the CPU of { $process } went to the JIT compiler then.
exhibit-beginning-fills = { $how ->
        [misses] { $name } was asked in vain { $early } times a second then, { $late } times afterwards: it was being filled.
       *[reads] { $name } read { $early } MB/s from disks then, { $late } MB/s afterwards: what it read stays in memory.
    }
exhibit-nobody-fails = No request failed meanwhile, so { $name } cost nobody anything.
exhibit-threads-of-others = On average { $threads } threads were at work there, while the load has { $requests } requests in flight: they serve somebody else.
exhibit-compiling = { $percent } % of the CPU of the first third went to the JIT compiler.
exhibit-cpu-used = { $used } of { $limit } CPUs were used ({ $percent } %).
exhibit-throttled = Its CPU quota throttled it in { $percent } % of the periods.
exhibit-quota-stops = The quota stops it in { $percent } % of the periods for { $ms } ms at most: about { $requests } % of the requests are there while it stands.
exhibit-cpu-waits = On average { $seconds } of its threads wait for a CPU at a time.
exhibit-demand = Service demand D = U / X = { $ms } ms of CPU per request: by the utilization law at most { $bound }/s can be served.
exhibit-hot = { $by ->
        [samples] { $percent } % of the CPU time of requests is spent in { $name }.
       *[dumps] { $percent } % of the working threads are in { $name }.
    }
exhibit-library = { $by ->
        [samples] { $percent } % of the CPU time of requests is spent in { $name }, called from { $own }.
       *[dumps] { $percent } % of the working threads compute in { $name }, called from { $own }.
    }
exhibit-lock-waiters = { $count } threads on average ({ $percent } % of the working ones) wait for a { $lock } in { $code }.
exhibit-lock-owner = The thread that holds it is in { $code }.
exhibit-deadlock = The cycle: { $threads }.
exhibit-logging = { $percent } % of the working threads are in the logging framework, { $waiting } % wait for its lock; called from { $code }.
exhibit-logging-computes = { $percent } % of the threads that compute are in the logging framework, while { $name } has no CPU left; called from { $code }.
exhibit-log-events = Log events for each request: { $debug } debug and trace, { $others } others.
exhibit-pool = { $used } of { $limit } connections are in use, and { $pending } requests wait for one: { $percent } % of those in flight.
exhibit-pool-times = A connection is in use for { $use } ms on average, and is obtained after { $wait } ms.
exhibit-pool-waiters = { $count } threads on average ({ $percent } % of the working ones) wait for a connection in { $code }.
exhibit-held-over-call = Threads that hold a connection mostly wait for something else, in { $code }.
exhibit-full-below = { $name } is out of CPU: more requests would only wait there.
exhibit-workers = { $busy } of { $limit } threads are busy on average, with { $in_flight } requests in flight: a request waits for a thread for { $percent } % of its time.
exhibit-limited-below = The process at { $name } is watched, too, and is itself at a limit: see the finding about it.
exhibit-workers-wait = But { $percent } % of the threads are themselves waiting for a lock, a connection or a task: more threads would wait there too.
exhibit-cpu-taken = The host's CPUs are { $percent } % busy: { $watched } by what is watched, { $others } by others.
exhibit-new-connections = { $made } % of the requests opened a connection; averaged over all requests: DNS { $dns } ms, connecting { $connect } ms, TLS { $tls } ms.
exhibit-cpu-of = { $name } uses { $used } CPUs.
exhibit-cpu-of-unwatched = { $name }, which is not watched, used { $used } of the CPUs that it may use.
exhibit-limiting = nginx's error log reports { $count } requests that were throttled.
exhibit-limit-zones = Configured: { $zones }.
exhibit-responses = { $percent } % of the requests got a response with status { $code }.
exhibit-semaphore-waiters = { $count } threads on average ({ $percent } % of the working ones) wait for a permit in { $code }.
exhibit-semaphore-inside = { $count } threads on average hold one, in { $code }.
exhibit-full-queue = { $count } threads on average ({ $percent } % of the working ones) wait for room in a queue in { $code }.
exhibit-queue-emptier = The thread that probably empties it: { $thread }, in { $code }.
exhibit-object-pool = { $count } threads on average ({ $percent } % of the working ones) wait for an object from a queue in { $code }.
exhibit-object-pool-inside = { $count } threads on average hold one, in { $code }.
exhibit-without-response = { $percent } % of the requests end with { $kind }.
exhibit-not-reached = { $busy } threads of { $name } serve a request, while { $in_flight } requests are in flight: the others never reach a thread.
exhibit-split-responses = The rest of a response arrives { $ms } ms after its first byte, { $percent } % of the time; { $rate } acknowledgements a second are delayed.
exhibit-network-delay = Packets were seen at both sides: from { $client } to { $server } they take { $there } ms, back { $back } ms on average; for half of the requests no more than { $median } ms there and back. { $again } packets are sent again for each request. That is { $percent } % of the response time.
exhibit-network-longer = Both hosts were looked at: calls take { $ms } ms longer for { $client } than for { $server } on average; half of them no more than { $median } ms longer. { $again } packets are sent again for each request. That is { $percent } % of the response time.
exhibit-held-pieces = { $sender } holds back { $rate } pieces a second, for { $ms } ms each, until { $receiver } has acknowledged the one before (of { $calls } calls a second): { $percent } % of the response time.
exhibit-explicit-gc = { $count } threads on average request a collection in { $code }.
exhibit-new-threads = { $rate } threads a second are created, { $each } per request.
exhibit-starts-threads = { $percent } % of the working threads are about to create one.
exhibit-child-processes = Programs that it started and that have ended used { $used } CPUs; the process itself used { $own } of { $limit }.
exhibit-child-started = A thread that starts one, or waits for one, in { $code }.
exhibit-single-thread = { $how ->
        [turns] All threads together use { $used } CPUs, none of them a whole one; the process may use { $limit }.
       *[threads] { $cpus ->
            [one] The thread { $thread } uses { $used } of the one CPU that it can use; the process may use { $limit }.
           *[other] { $cpus } threads such as { $thread } use { $used } CPUs together; the process may use { $limit }.
        }
    }
exhibit-tasks = { $waiting } threads on average ({ $percent } % of the working ones) wait for tasks in { $code }; all { $threads } threads of { $pool } are busy with one.
exhibit-tasks-in-work = The tasks are in { $code }.
exhibit-connections = { $open } of { $limit } connections are open, { $kept } of them idle between two requests.
exhibit-overflows = { $count } connections found the accept queue full.
exhibit-listen-queue = The queue of port { $port } held { $length } connections; its limit is { $limit }.
exhibit-dependency = { $percent } % of the working threads wait for a response in { $code }.
exhibit-call-time = Calls to { $address } take { $ms } ms on average.
exhibit-all-connections = { $process } keeps { $number ->
        [one] one connection
       *[other] { $number } connections
    } to { $peer }, as many as work at a time, and opens no more: that is its pool.
exhibit-own-wait = { $percent } % of the working threads pause or wait in { $code }.
exhibit-name-lookups = { $threads } threads of { $process } on average wait in { $call } for a name server.
exhibit-own-pause = For { $ms } of the { $of } ms of the response time, requests are in { $process } while none of its threads works or waits for another process for them. { $apart } That is no queue, but a pause (a timer, the wait before a retry, a poll, a rate).
exhibit-own-sleep = For { $ms } of the { $of } ms of the response time, threads of { $process } are asleep or wait for a timer, a pipe or a child process.
exhibit-calls-each = For each of its requests it calls { $server } { $each } times.
exhibit-statement = { $rate } a second, { $ms } ms each, { $running } at once; { $known ->
        [rows] { $examined } rows examined and { $sent } sent each; { $no_index } % without an index.
       *[times] { $sent } rows sent each.
    }
exhibit-plan = Its execution plan (EXPLAIN).
exhibit-running = It was seen running.
exhibit-database-code = { $percent } % of the working threads are in calls to the database, mostly in { $code }.
exhibit-database-waits = { $percent } % of the working threads wait for a database response in { $code }.
exhibit-rows-scanned = { $rows } rows a second are read by scans, { $per_scan } per scan.
exhibit-queries-per-request = { $count } statements per request.
exhibit-row-locks = { $waiting } transactions wait for a row lock at once; { $waits } waits a second of { $ms } ms.
exhibit-table-locks = { $waiting } connections at once wait for a table lock.
exhibit-table-waits = They were seen waiting.
exhibit-lock-waits = A wait in InnoDB's status.
exhibit-lock-titles = { $waiting } backends on average wait for a lock, by their own titles ({ $all }).
exhibit-lock-holder = Who holds it (for { $number } that wait): { $text }
exhibit-commands-per-request = { $command }: { $count } per request, { $rate } a second.
exhibit-cache-code = { $percent } % of the working threads are in calls to the cache, mostly in { $code }.
exhibit-slow-command = { $command } takes { $ms } ms per call and keeps the command thread busy for { $percent } % of the time.
exhibit-cache-misses = { $percent } % of the lookups miss: { $rate } a second.
exhibit-polled-lock = { $process } serves { $requests } requests a second and tries { $tries } times a second to take a key; { $refused } of these tries are in vain, { $keys ->
    [one] all for one key
   *[other] for { $keys } keys
}.
exhibit-polled-wait = Requests wait { $ms } of { $of } ms inside { $process } while none of its threads runs or waits for another system: between two tries.
exhibit-cache-refuses = { $process } serves { $requests } requests a second; { $missed } keys a second are looked for in vain, { $taken } items are taken, { $refused } are refused.
exhibit-cache-loses = { $lost } keys a second that had been put there are looked for again and are gone, half of them within { $ms } ms; { $missed } are missed in all, { $found } are found.
exhibit-ended-backends = Processes that { $server } began for connections and that have ended with them used { $used } CPUs: { $percent } % of the CPU in use.
exhibit-cache-evictions = { $rate } keys a second are evicted.
exhibit-link = { $rate } of { $limit } MB/s ({ $percent } %).
exhibit-link-limit = The limit is that of the link or of its traffic shaper.
exhibit-fuller-cpu = The CPU of { $name } is even closer to saturation: { $percent } %.
exhibit-link-drops = { $overlimits } packets hit the limit, { $dropped } were dropped.
exhibit-response-size = A response has { $bytes } bytes: by size alone the link carries at most { $bound }/s.
exhibit-retransmits = { $rate } segments a second are retransmitted: { $percent } %.
exhibit-upstream-opens = { $opens } connections are opened per request, at { $rate } requests a second.
exhibit-upstream-no-port = { $count } connects to the upstream failed: no local port was free.
exhibit-time-wait = { $count } sockets are in TIME_WAIT.
exhibit-ports = { $used } of { $limit } local ports towards one upstream are in use ({ $percent } %).
exhibit-close-wait = Connections in CLOSE_WAIT: { $first } at the beginning, { $last } at the end.
exhibit-descriptors = { $open } of { $limit } file descriptors are open.
exhibit-proxy-cpu = { $used } of { $limit } CPUs are used: { $micros } µs per request.
exhibit-access-log = Each request is written to the access log immediately: { $value }.
exhibit-workers-cpus = { $workers } worker processes share { $cpus } CPUs.
exhibit-kept = Each worker process keeps { $kept } connections and needs { $at_once } at once.
exhibit-worker-connections = The error log says { $count } times: worker_connections are not enough.
exhibit-sessions = { $grew } sessions were added ({ $per_request } per request){ $ended ->
        [none] , none ended
        [few] , few ended
       *[unknown] {""}
    }; { $now } are held.
exhibit-gc-pauses = { $percent } % of the time is garbage collection pauses; { $full } full GCs a minute.
exhibit-after-gc = { $percent } % of the old generation is in use after a collection.
exhibit-class-growth = { $class }: { $objects } more objects at the end than at the beginning, { $megabytes } MB shallow size.
exhibit-class-holder = { $kind ->
        [arrays] Hardly more arrays came with them, but larger ones: they are held in arrays that grow (lists, queues).
       *[nodes] As many { $holder } came with them ({ $objects } more): each is held by one of these.
    }
exhibit-falling = In the last quarter { $percent } % less was served than in the best.
exhibit-swapping = { $rate } pages a second are swapped{ $known ->
        [yes] ; for { $percent } % of the time some task waits for memory
       *[no] {""}
    }.
exhibit-oom-kill = The kernel killed { $count } processes because memory ran out.
exhibit-read-grows = A request reads { $early } kB in the first third of the time, { $late } kB in the last.
exhibit-file-readers = { $percent } % of the working threads are reading a file in { $code }.
exhibit-disk = Busy for { $percent } % of the time; { $rate } operations a second of { $ms } ms each, including waiting.
exhibit-memory-throttled = { $setting } is { $limit } MB, the group has { $used } MB, and came up against it { $count } times.
exhibit-memory-stalled = For { $percent } % of the time some task of the group stood still for memory.
exhibit-conntrack = { $count } of { $limit } connections are tracked; { $lost } packets of new connections were dropped.
exhibit-tasks-limit = { $count } processes or threads were refused; the group may have { $limit }.
exhibit-listen-queue-stands = { $length } connections wait at port { $port } on average, { $share } % of the requests in flight; in { $percent } % of the seconds somebody waits.
exhibit-listen-drops = The queue of port { $port } dropped { $count } packets of new connections.
exhibit-syns-again = { $count } first packets of connections were sent again; making connections took { $seconds } s of the load in all.
exhibit-no-inodes = { $mount } has { $used } files, and room for { $free } more.
exhibit-disk-full-written = { $name } writes to it.
exhibit-disk-full-paused = { $percent } % of the response time are pauses in { $name }: who cannot write waits and tries again.
exhibit-disk-full = { $mount } is { $percent } % full, { $free } GB are free.
exhibit-hop = { $hop }: { $total } ms per request, { $own } ms of it its own ({ $percent } %); called { $calls } times per request.
exhibit-hop-alone = { $hop }, loaded alone ({ $users } at once): { $total } ms per request, { $own } ms (± { $half }) of it its own.
exhibit-hop-fails = { $hop }, loaded alone: most requests failed, or the hop behind it did; what it adds is not known.
exhibit-hop-waits = Under load { $hop } adds { $loaded } ms, alone { $alone } ms: { $percent } % of its time under load is queueing.
exhibit-without-waiting = Requests wait { $waiting } of { $ms } ms before it; without that wait the response time would be { $left } ms at best.
exhibit-full-before = Also full, as a consequence of what is behind it: { $text }
exhibit-event-loop = The thread { $thread } runs { $running } % of the time, waits for a CPU { $runnable } %, and is blocked { $blocked } % (mostly in { $call }): { $ms } ms for each request.
exhibit-lookups = { $process } serves { $requests } requests a second and sends { $rate } lookups a second to { $server }: { $ms } ms each, { $percent } % of the response time.
exhibit-lookup = { $name } ({ $record }): { $count ->
        [one] one lookup
       *[other] { $count } lookups
    }{ $outcome ->
        [none] , no response
       *[other] , { $outcome }, { $ms } ms on average
    }.
exhibit-known-work = { $percent } % of { $count } samples of its CPU time lie in { $function }.
exhibit-many-calls-cpu = The CPUs are full, and { $server } uses { $used } of the { $all } that are in use: { $ms } ms for each of these calls.
exhibit-many-calls = { $process } serves { $requests } requests a second and sends { $calls } { $kind ->
        [sql] statements
        [redis] commands
       *[other] calls
    } a second to { $server }; half of them take no more than { $ms } ms. Calls are under way for { $percent } % of the time that requests are in { $process }.
exhibit-call-connections = { $process } serves { $requests } requests a second and opens { $opened } connections a second to { $server }.
exhibit-opening = From the first packet of a connection to the end of its handshake{ $how ->
        [tls] , TLS included,
        [resumed] , TLS included (earlier sessions went on),
       *[tcp] {""}
    } it takes { $ms } ms on average.
exhibit-cpu-for-tls = { $percent } % of the CPU time of { $process } is spent in TLS.
exhibit-cpu-stolen = Of { $cpus } CPUs { $got } were used on average, and { $stolen } were wanted and not given (steal).
exhibit-cpu-shared = Of the threads of { $process } { $running } run and { $wanting } want a CPU on average; it may use { $cpus } CPUs.
exhibit-cpu-shared-by = { $name } used { $used } CPUs of those that it may use, too.
exhibit-host-idle = { $percent } % of the host's CPU time was idle meanwhile.
exhibit-commits = { $process } serves { $requests } requests a second, with { $statements } statements and { $commits } commits a second{ $how ->
        [titles]  (statements that write outside of a transaction, by the titles of the backends)
       *[counted] {""}
    }.
exhibit-idle-replicas = In { $group } { $used } serve { $requests } requests a second; { $idle } none{ $setting ->
        [none] {""}
       *[other] {" "}(`{ $setting } { $value }`)
    }.
exhibit-log-flush = On average { $threads } backends of { $process } wait for the write-ahead log: { $syncing } in a sync, the others in line for it.
exhibit-held-up = On average { $waiting } of these { $threads } wait for { $what ->
        [lock-file] a lock on a file
       *[disk] a disk
    }.
exhibit-threads-want-cpu = Of its { $threads } threads { $running } run and { $wanting } want a CPU on average.
exhibit-waits-elsewhere = { $ms } of { $of } ms of each request are spent waiting for { $peer } (by { $basis }).
exhibit-not-on-the-way = Hardly any of the response time passes in { $name }, so it limits nothing here.
exhibit-time-is-behind = { $name } limits behind it: see the finding about that.
exhibit-users-think = Users think for so much longer than they wait that a quicker { $name } would hardly raise the throughput.

## Advice.

advice-generator-cpu = Give the generator more CPU, or use several load generators.
advice-generator-near-limit = Use several load generators or more CPUs before you conclude anything from the highest throughput.
advice-generator-ports = Use keep-alive, widen net.ipv4.ip_local_port_range, ramp up more slowly, or load from several addresses.
advice-generator-late = Check what else runs on the load generator; pin the generator to its own CPUs.
advice-generator-descriptors = Raise the generator's limit of open files.
advice-generator-memory = Give the generator more memory, or use fewer users on it.
advice-generator-starved = Give the generator its own CPUs.
advice-generator-stopped = Run the generator where nothing pauses it, and repeat the run.
advice-warm-up = Leave out the time until throughput is steady.
advice-cpu = Do less work per request (see the code in the evidence), or add CPUs or hosts. More threads do not help.
advice-cpu-quota = The process is throttled by its CPU quota: raise it, or do less work per request. More threads do not help.
advice-hot-code = Do this work once per request (or cache its result for longer), or use a faster library.
advice-hot-code-packs = Compress at a lower level (1 to 4 of zlib take a small part of the CPU of 9 for responses that are hardly larger), not at all what is small or packed already, and keep what is asked for often in its packed form; or let the proxy do it (nginx: `gzip_comp_level`, `gzip_static`), or use zstd.
advice-hot-code-slow = This library is known to be slow; { $faster } does the same in a fraction of the time. Or do the work once per request.
advice-lock = Hold the lock for a shorter time, split it, or avoid it.
advice-lock-held-over-call = The lock is held during a call to another system ({ $code }): move the call out of the lock.
advice-lock-held-over-wait = The lock is held during a pause ({ $code }): move the pause out of the lock.
advice-lock-held-over-pool = The lock is held while waiting for a connection ({ $code }): get the connection before taking the lock.
advice-lock-shared = Only one request at a time gets this lock, across all servers ({ $code }): lock a narrower key, do less while it is held, or let the store decide atomically (an atomic command, an UPDATE with a condition).
advice-deadlock = Acquire locks in the same order everywhere, or use one lock.
advice-log-level = Debug and trace events are not needed in production; formatting them costs CPU, and writing them takes a lock.
advice-log-appender = Log less here, or put an asynchronous appender in front of the file so that threads do not wait for each other.
advice-log-asynchronous = Have another thread write the lines (Logback: an appender of class AsyncAppender before that of the file; Log4j 2: asynchronous loggers, which need com.lmax:disruptor). Lines that wait to be written are lost when the process dies, and some may be left out when many wait.
advice-connection-held = Release the connection before the call to another system ({ $code }), or make the call before the transaction.
advice-connection-pool = About { $wanted } connections are needed at this load; the database must allow as many. Try doubling first and check whether the database gets busy.
advice-outgoing-pool = About { $wanted } connections are needed at this load. Apache HttpClient: setMaxConnPerRoute and setMaxConnTotal (default 5 and 25 in version 5, 2 and 20 in 4).
advice-cpu-taken = Move what else runs on the host (the load generator too, if it runs there), or limit it (a CPU quota of its control group, nice); `top` or `pidstat 1` names it.
advice-new-connections = Enable keep-alive on the server (nginx: keepalive_timeout, keepalive_requests; Tomcat: keep-alive-timeout, max-keep-alive-requests; no `Connection: close`), and in the plan too if real clients use it; with TLS, enable session resumption (ssl_session_cache).
advice-rate-limit = If the limit is intended, nothing is wrong, and this is the load it lets through; otherwise raise it to what the service was found to carry.
advice-failed-requests = { $code ->
        [status401] The request carries no valid credentials: log in first, or use a token that has not expired.
        [status403] The server forbids it: a permission, a web application firewall, or a check of the origin.
        [status404] The path does not exist: check the plan's paths and the server's context path.
        [status500] The service itself fails: its log has the exception.
        [status502] The proxy got no valid response from the backend: the backend is down, restarts, or closes connections (the proxy's error log says which).
        [status503] The service or the proxy reports overload, or has no backend to serve the request: look for a full pool or queue, a circuit breaker, or a limit of the proxy.
        [status504] The proxy got no response from the backend in time: the backend is slower than the proxy's timeout.
       *[other] The service's log has the reason.
    }
advice-semaphore = Allow more permits (about { $wanted } are needed at this load) if what they guard has room, or hold one for a shorter time ({ $code }).
advice-full-queue = Find what takes from the queue that { $code } fills, and make it faster or give it more threads. A longer queue only helps with short bursts; where losses are acceptable, do not wait (offer).
advice-object-pool = Put more objects into the pool (about { $wanted } are needed at this load) if what they stand for has room, or hold one for a shorter time ({ $code }).
advice-requests-without-response = { $kind ->
        [connection_refused] Nothing listens on that port, or the accept queue is full and refuses (net.ipv4.tcp_abort_on_overflow): check whether the process is alive, and since when.
        [connect_timeout] Connections are not established: a firewall, a full accept queue, or a host that is down.
        [read_timeout] Take thread dumps (--watch-allow-capture) and read the server's log: a thread that died of an error (OutOfMemoryError), a blocked dispatcher, or another system that does not respond.
       *[other] The server, or a proxy in front of it, closes connections: read its log, and compare its timeouts and limits with the clients'.
    }
advice-split-responses = Write head and body of a response in one write, or disable the delay: TCP_NODELAY on the server's sockets (nginx: tcp_nodelay on; Java: Socket.setTcpNoDelay(true)).
advice-network-late = Find what holds packets back on the way (`tc -s qdisc` of each interface, tunnels, proxies of a mesh, another zone), bring both nearer to each other, or go that way less often: keep connections open, get in one call what is got in several, cache what changes seldom.
advice-network-lost = Find where packets are dropped on the way: `tc -s qdisc` and `ip -s link` of each interface, rules of a firewall with a limit, a link that is full, a bad cable; then remove the cause. Larger buffers of the processes change nothing.
advice-held-pieces = In { $sender }, write head and body of a message in one write (a buffer, writev), or set TCP_NODELAY on the socket (Java: Socket.setTcpNoDelay(true); C, Python: setsockopt; Node: socket.setNoDelay(); nginx: tcp_nodelay on). Go does so by itself.
advice-new-threads = Hand the tasks to a pool that lives as long as the server (an ExecutorService, Spring's TaskExecutor with a bound), or use virtual threads (JDK 21).
advice-child-processes = Do the work inside the server (a library in place of the program), cache its result, or hand it to a few long-lived worker processes ({ $code }).
advice-slow-names = Names are resolved in { $code } on every request: cache the results (networkaddress.cache.ttl and networkaddress.cache.negative.ttl in java.security; a caching resolver on the host), check the name servers and search domains in /etc/resolv.conf (in Kubernetes ndots: 5 asks several times per name), and disable reverse lookups (Tomcat: enableLookups).
advice-single-thread = { $program ->
        [nginx] One worker for each CPU.
        [node] Run one process for each CPU: the cluster module, PM2's cluster mode (instances: max), or several instances behind the proxy; take computing out of the event loop (worker_threads).
        [python] Run one process for each CPU: gunicorn or uvicorn --workers, uWSGI processes, or several instances behind the proxy.
        [ruby] Run one process for each CPU: Puma's workers, Unicorn's worker_processes, or several instances behind the proxy.
        [redis] Send fewer or cheaper commands for a request (MGET, pipelines), read from replicas, or spread the keys over several instances (Redis Cluster); io-threads help where large values are carried.
        [valkey] Send fewer or cheaper commands for a request (MGET, pipelines), read from replicas, or spread the keys over several instances (cluster mode); io-threads help where large values are carried.
       *[other] Let several threads or processes do this work, one for each CPU; or do less of it for a request.
    }
advice-task-threads = { $wanted } tasks are needed at once at this load. Give blocking tasks their own pool: one that is shared by the whole JVM is only as large as the number of CPUs.
advice-worker-threads = { $in_flight } requests are in flight at this load; that many threads would serve them all at once. A thread costs about 1 MB of stack.
advice-worker-threads-behind = Leave the number of threads as it is, and mend what they wait for first.
advice-max-connections = An idle keep-alive connection costs little; the limit must be above the number of clients.
advice-accept-queue-kernel = The queue is as long as the kernel allows (net.core.somaxconn): raise that first, then the server's own setting.
advice-accept-queue = The queue absorbs bursts that the server accepts a little later; the kernel's net.core.somaxconn is its upper limit.
advice-accept-queue-threads = A longer queue alone only makes clients wait instead of fail: raise server.tomcat.threads.max and server.tomcat.max-connections too if they are exhausted.
advice-slow-dependency = Call it less often: cache the results of { $code } for some seconds, call in parallel, or have that system made faster.
advice-own-wait = If the pause is intended, nothing is wrong; otherwise find out what the code waits for.
advice-own-pause = Look in { $process } for timers, for the wait before a retry, and for polling and rates: shorten them, or wait for the event itself. If the pause is intended, nothing is wrong.
advice-full-scan = Create an index on the columns of the condition, or write the condition so that an index can serve it (no function on the column, no <>, no leading wildcard). It is called in { $code }.
advice-many-queries = Fetch all rows with one statement: IN, a join, a batch, the mapper's fetch join or batch size. They are sent in { $code }.
advice-row-locks-insert = An INSERT waits for a row of another table that its trigger or foreign key touches (a counter, a total, a parent row), or for a unique value that is not committed yet: see what the transaction writes besides. Commit sooner, with no call in between; add up later or over several rows instead of in one row.
advice-row-locks = Keep transactions short, touch hot rows last, spread counters over several rows, and have an index for every condition of an UPDATE.
advice-table-locks = Find the transaction that uses the table for long (information_schema.INNODB_TRX by trx_started; performance_schema.metadata_locks) and end it; change tables at quiet times, with a short lock_wait_timeout, or by a tool that copies them (gh-ost, pt-online-schema-change); take backups without FLUSH TABLES WITH READ LOCK.
advice-table-locks-postgresql = Find who holds the lock (pg_blocking_pids, pg_locks) and end it; change tables with a short lock_timeout, build indexes with CREATE INDEX CONCURRENTLY, and let no transaction stay open (idle_in_transaction_session_timeout).
advice-slow-statement = Make this statement faster (see its execution plan), run it less often, or cache its result. It is called in { $code }.
advice-slow-database = Find out what the database does in { $code }: its slow statements, its CPU, its locks.
advice-many-round-trips = Ask for all keys of a request in one call ({ $proposed }) in { $code }.
advice-slow-command = Use a command that works on less data: SCAN instead of KEYS, parts of large hashes and lists, smaller values. It is called in { $code }.
advice-cache-misses = Look at what is asked for: keys that never exist, too short a time to live, a cold cache.
advice-polled-lock = { $keys ->
    [one] All requests want the same key: lock only what must not happen twice (one key for each user, order or item), or let the store do it in one step (INCR, a script, a conditional UPDATE).
   *[several] Lock only what must not happen twice, or let the store do it in one step (INCR, a script, a conditional UPDATE).
} Hold the lock for less time, without calls to other systems; and wait to be told that it is free (Redisson’s locks, BLPOP) instead of asking in fixed steps.
advice-cache-loses = Look at the time to live that it is given{ $protocol ->
        [memcached] : memcached takes more than 2,592,000 seconds (30 days) for a date, long past, so that the item expires at once (milliseconds instead of seconds, for example)
       *[other] : milliseconds where seconds are meant, or the other way round (PX, EX; SETEX, PSETEX)
    }. Otherwise something deletes it (an update that clears too much), or too little memory evicts it ({ $protocol ->
        [memcached] `stats`: evictions
       *[other] INFO: evicted_keys, expired_keys
    }).
advice-cache-refuses = { $why ->
        [too_large] Keep the item in smaller parts, or compressed; { $protocol ->
            [memcached] `memcached -I 4m` (the largest item; 1 MiB by default) takes larger ones
           *[other] `proto-max-bulk-len` limits one value
        }. Have the client log what the cache responds: it is an error that most of them swallow.
        [out_of_memory] { $protocol ->
            [memcached] Give it more memory (`memcached -m`), and allow it to evict (no `-M`)
           *[other] Give it more memory (`maxmemory`), and a policy that evicts (`maxmemory-policy allkeys-lru`)
        }.
        [read_only] Write to the primary, not to a replica; if saving to the disk failed, mend that (`stop-writes-on-bgsave-error`).
       *[other] Look at the error that the cache responds with: most clients swallow it.
    }
advice-cache-evictions = More memory holds more keys; or use a shorter time to live for what is not worth keeping.
advice-compress = Compressed text has a fifth to a tenth of the bytes; it costs CPU, and there is CPU to spare.
advice-network-full = Send less: smaller pages, fewer fields, cached responses; or use a faster or a second link.
advice-packet-loss = Look for overflowing queues, duplex mismatch, overloaded links or hosts on the path.
advice-upstream-keepalive = In the block `{ $block }`: the number of idle connections each worker process keeps. It takes effect only with `proxy_http_version 1.1;` and `proxy_set_header Connection "";` next to proxy_pass.
advice-close-wait = Always close the socket once the client has: after end of stream, after a timeout, after an exception (try-with-resources).
advice-access-log = One line per request is one write call; turn the log off, sample it, or write it with `buffer=64k flush=1s`.
advice-proxy-workers = One worker process per CPU; more only take turns.
advice-proxy-keepalive = The number is per worker process: it should be above the number of requests a worker process has in flight to the upstream.
advice-worker-connections = The number covers connections on both sides of each worker process; worker_rlimit_nofile must be above it.
advice-session-leak = Create a session only for users who log in: getSession(false), session creation policy STATELESS for APIs.
advice-session-timeout = Until then a short timeout limits how many are held: sessions held = rate × timeout.
advice-heap-full = More memory helps if usage stays level; if it keeps growing, find what holds it (the dominators in a heap dump).
advice-gc-pauses = A larger heap makes collections rarer; so does allocating less per request.
advice-explicit-gc = The JVM then ignores such calls; or remove the call from { $code }. Where memory outside the heap relies on collections (direct buffers), -XX:+ExplicitGCInvokesConcurrent is the gentler setting.
advice-swapping = Reduce heaps and pools until everything fits into memory, or add memory.
advice-oom-kill = Heap, stacks, buffers and page cache together must fit into the limit.
advice-growing-file = Do not read the whole file on every request in { $code }: keep an index in memory, and rotate the file.
advice-disk-busy = Write less (logs, flushes), write in larger blocks, or use a faster disk.
advice-memory-throttled = Heap, stacks, buffers and page cache together must fit; or let the process need less.
advice-conntrack-full = Raise it, or keep connections open, shorten net.netfilter.nf_conntrack_tcp_timeout_time_wait, or exempt this traffic from tracking (notrack).
advice-tasks-limit = Threads count, too. Raise it where the runtime needs that many; otherwise use smaller thread pools.
advice-listen-queue = More workers, threads or processes accept sooner if a CPU is free for them; otherwise look at what those that there are wait for. A longer queue helps nothing.
advice-connections-sent-again = Keep connections open (keep-alive on both sides), make the listen queue longer (backlog, net.core.somaxconn), and accept faster.
advice-disk-full = Rotate and delete logs; put data on its own file system.
advice-descriptors-left-open = Find where { $kind ->
        [socket] sockets (responses that are not read to their end, clients that are not closed)
        [file] files
        [pipe] pipes (child processes)
       *[other] they
    } are opened, and close them on every path, errors included; `lsof -p` shows what they are of.
advice-file-descriptors = A busy server needs one per connection on both sides, plus more for files.
advice-hop-latency = Look at this hop first: give it CPU, or do less per request there.
advice-hop-alone = Look at this hop first: what it computes, and what it waits for, in a single request. Neither larger pools nor more threads make a single request faster.

event-of-target-restart = restarts of { $name }
event-of-target-full-gc = full garbage collections of { $name }
event-of-target-accept-queue = overflows of an accept queue on { $name }
event-of-target-no-port = shortages of local ports on { $name }
event-of-target-pool-timeout = timeouts of a connection pool of { $name }
exhibit-demand-steps = { $name }: a request needs { $first } ms of it at load { $from } and { $last } ms at { $to }; by the lighter loads it bounds the throughput to { $bound }/s, and at most { $largest }/s were reached{ $predicts ->
    [1] : this is the bottleneck.
   *[other] .
}
exhibit-demand-grows = { $name }: what a request needs of it grows with the load, from { $first } ms at { $from } to { $last } ms at { $to } (by { $growth } %): contention. The lighter loads promised { $bound }/s; { $largest }/s were reached{ $predicts ->
    [1] : this is the bottleneck.
   *[other] .
}
exhibit-jfr-samples = From { $count } CPU samples of JDK Flight Recorder, which do not wait for safepoints.
exhibit-profile-samples = From { $count } CPU samples of async-profiler.
exhibit-kernel-samples = From { $count } CPU samples taken by the kernel; the callers are from the thread dumps.
exhibit-stack-samples = From { $count } CPU samples taken by the kernel, with the stacks of all calls.
exhibit-retries = { $process } serves { $requests } requests a second and sends { $calls } calls a second to { $server }, of which { $failed } ({ $percent } %) fail (HTTP 5xx, 429, 408).
exhibit-given-up = { $number } of the failed calls a second got no response at all: { $process } gave them up (a time-out).
exhibit-spread = Half of the requests take at most { $p50 } ms, 5 % take { $p95 } ms or more; the mean is { $mean } ms.
exhibit-slow-replica = { $process } calls { $server } ({ $percent } % of these calls) as it calls { $others } others: { $ms } ms there, { $others_ms } ms with the others.
exhibit-slow-label = { $share } % of the requests are of { $label } and take { $ms } ms on average; half of all take at most { $p50 } ms.
exhibit-slow-part = { $part }: { $ms } ms of the slowest requests, { $all_ms } ms of all on average. That is { $percent } % of what the slowest take longer.
exhibit-stood-still = From { $from } s to { $to } s no response came, where { $usual } a second are usual; { $waiting } requests waited on average.
exhibit-stood-still-cpu = Meanwhile the watched processes used { $cpus } CPUs; over the whole stretch { $usual }.{ $how ->
        [idle] {" "}They did not compute: they were stopped, or waited for something.
       *[busy] {""}
    }
exhibit-blocked-io = { $ms } of { $of } ms of each request ({ $percent } %) pass so: on average { $syncs } threads sync a file, { $waits } read or write one. Below: files and how often a thread was seen waiting for them.
exhibit-calls-in-series = { $process } has a request for { $stay } ms, { $all } of them in calls: { $called }.
exhibit-calls-at-once = Made at the same time, the calls take as long as the longest: of { $ms } ms { $left } would be left at best.
exhibit-never-at-once = At no moment were more of these calls under way than requests: those of one request do not overlap.
exhibit-waits-in-queue = { $how ->
        [relays] { $waiting } requests of { $process } on average wait; a response goes out just after a message from { $server }, and that comes just after one of { $worker } to { $server }.
       *[takes] { $waiting } requests of { $process } on average wait at { $server } in commands that end when another client puts a value there; it was { $worker } that did.
    }
exhibit-queue-takers = { $worker } takes work on { $takers } { $takers ->
        [one] connection
       *[other] connections
    }, { $busy } of which have some on average: { $rate } a second, { $each } ms each.
exhibit-rows-waited-for = { $waiting } transactions of { $process } at a time wait for their write to { $table }, each { $wait } ms{ $known ->
    [yes] ; the database works on { $worked } of them
   *[no] ; nobody looked into the database, so they may be slow themselves
}.
exhibit-rows-held = From the response to that write to its end a transaction takes { $each } ms, { $outside } of them without a statement under way: { $held } at a time, { $rate } a second.
exhibit-rate-even = In each second { $least } to { $most } responses, { $rate } on average: by chance they would differ { $times } times as much.
exhibit-rate-idle = Meanwhile { $busy } of one request at a time are worked on, in { $process } (CPU, disk, threads that wait) and in all that it calls: the place stands free for the rest of the time.
exhibit-rate-alone = A request that found nobody before it took { $ms } ms; at { $rate } requests a second such requests are { $share } at a time.
exhibit-files-waited-for = Below: files of the process for which a thread was seen waiting for the disk, and how often.
exhibit-blocked-io-at = { $threads } threads on average do so in { $code } (by { $call }).
exhibit-connection-limit = At most { $peak } connections at a time, { $limit } are allowed; { $refused } were refused.
exhibit-ports-kept = Closed connections keep their port for a minute: at this rate { $count } of { $limit } local ports ({ $percent } %).
exhibit-descriptors-grow = { $count } more { $kind ->
        [socket] sockets
        [file] files
        [pipe] pipes
       *[other] descriptors
    } are open at the end than at the beginning: { $each } for each request.
exhibit-descriptors-left = At this rate the limit is reached in { $minutes } min.
exhibit-own-login-refused = The watcher's own login was refused from { $from } s { $until ->
        [open] on
       *[other] to { $until } s
    }: { $reason }
exhibit-logged-errors = { $count } lines of the error log are of “{ $class }”: { $percent } % of the failed requests.
exhibit-created = { $percent } % of the working threads are in { $what }, called from { $code }.
exhibit-created-with = { $each } new { $what ->
        [threads] threads
       *[connections] connections of the host
    } for each request.
exhibit-cache-loads = { $percent } % of the working threads load for the cache, or wait for a load, in { $code }.
exhibit-held-by-nobody = { $used } connections are in use while no thread is seen that works with one.
exhibit-loops-held = { $busy } of { $limit } event loops are in code of requests, mostly in { $code }.
exhibit-link-others = The requests move { $own } MB/s of the { $all } MB/s: the rest is somebody else's, so that the link does not limit them.
exhibit-waits-at = On average { $threads } of its { $who ->
        [goroutines] goroutines
       *[threads] threads
    } wait in { $code } (by { $call }), { $state ->
        [futex] for another thread
        [read] for a response
        [write] to send
        [connect] for a connection
        [fsync] for the disk
        [sleep] for time to pass
        [lock_file] for a file's lock
       *[other] in the kernel
    }.
exhibit-is-past = { $threads } others have passed that place and are in { $code }, { $state ->
        [cpu] computing
        [running] computing
        [futex] waiting for another thread
        [read] waiting for a response
        [write] waiting to send
        [connect] waiting for a connection
        [fsync] waiting for the disk
        [sleep] waiting for time to pass
        [lock_file] waiting for a file's lock
       *[other] waiting in the kernel
    }: they hold it.
exhibit-jfr-waits = JDK Flight Recorder saw { $count } waits to enter { $class }: { $waiting } threads waited on average, { $percent } % of the requests in flight.
exhibit-profile-waits = async-profiler saw { $waiting } threads on average wait for { $class } ({ $percent } % of the requests in flight).
exhibit-errors-with-event = { $percent } % of the errors fall into the seconds of { $event } ({ $count } times), which are { $expected } % of the time; p = { $p } by permutation (shifting one against the other).
advice-event-restart = Find out why it ended: its own log, the kernel's log (out of memory), its supervisor. Restart behind a load balancer that drains running requests.
advice-event-full-gc = While everything is paused, requests time out: make full GCs rarer (heap size, what is held) or shorter (another collector).
advice-event-accept-queue = Accept faster (threads, keep-alive) or let more connections wait (accept count, net.core.somaxconn).
advice-event-no-port = Use keep-alive to the systems behind, or more addresses.
advice-event-pool-timeout = Find out what holds connections for long in these seconds; more connections help only if the system behind has room.
advice-retries = Find out why { $server } fails (its status and log) and mend that first. Until then limit retries: few, with a growing random pause, only for what may be repeated, and none while most calls fail (a circuit breaker).
advice-slow-replica = Take { $server } out of the rotation or find out what is different about it: its host, its neighbours, its data, a cold cache. Give calls to it a time limit, and let the proxy choose the server with the fewest requests.
advice-slow-label = Look at what { $label } does that the others do not: its own statements, files and calls. Measure it alone.
advice-slow-part = { $how ->
        [peer] Give calls to { $of } a time limit well below what a user waits, and find out which of them are slow there.
       *[process] Look inside { $of } while slow requests are there: a cold entry, a lock, a collection, a quota that stops it.
    }
advice-stood-still = Find out what stopped it then: its log and that of the kernel (journalctl -k) at that second, a virtual machine or container that was paused or migrated, a signal (SIGSTOP), a debugger or profiler, a lock or a disk that everybody waited for.
advice-blocked-io = { $how ->
        [sync] Sync less often: several changes in one commit or one sync (group commit), or leave it to the system where a lost second can be borne. Faster storage makes each sync shorter.
       *[file] Keep what is read in memory (a larger cache of the database or the system), read less, or put the files on a faster disk.
    }
advice-connection-limit = Each connection costs memory there: first let clients keep fewer, or put a pool between them; then raise the limit.
advice-logged-errors = { $class ->
        [upstream_timed_out] Find out what keeps the requests in the server behind it; a longer time limit only hides that.
        [upstream_refused] Check that the server behind it runs and listens, and whether it was restarted or killed.
        [upstream_closed_early] Check the log of the server behind it: it ends requests or itself; or its keep-alive time is shorter than that of the proxy.
        [connection_reset] Check the log of the server behind it, and its limits of connections and of time.
        [resource_unavailable] Let the server behind that socket take more connections (its backlog), or give it more workers.
        [upstream_header_too_big] Raise proxy_buffer_size (or fastcgi_buffer_size), or make the head smaller.
        [body_too_large] Raise client_max_body_size, if bodies of that size are meant to be sent.
        [host_not_resolved] Check the resolver and the name.
        [disk_full] Make room on the file system that the line names.
        [permission_denied] Give the proxy's user the right that the line names.
        [worker_died] Look for what the worker died of: its core, its memory, its modules.
        [out_of_memory] Give it more memory, or smaller buffers and zones.
        [tls_handshake] Check certificates and protocol versions on both sides.
        [file_not_found] Check the path that the line names.
        [too_many_open_files] Raise worker_rlimit_nofile and LimitNOFILE.
       *[other] Read the line and mend what it names.
    }
advice-created = Make { $what } once (a field, a singleton, a bean) and share it; { $code } then only uses it.
advice-blocked-place = { $how ->
        [call] Whoever is past the place waits for another system ({ $code }): make the call before taking the lock, or hold a narrower one.
        [pause] Whoever is past the place pauses ({ $code }): move the pause out of it.
        [cpu] Whoever is past the place computes ({ $code }): do that before taking the lock or after it, or make it narrower (one for each key).
        [disk] Whoever is past the place waits for the disk ({ $code }): write or sync outside of it, or less often.
       *[other] Hold it for a shorter time ({ $code }), make it narrower (one for each key), or let more pass at a time if what it guards has room.
    }
advice-calls-in-series = Ask those that do not need each other's response at the same time (in nginx with Lua capture_multi, else futures or threads), the longest ({ $longest }) first; keep what changes seldom in a cache, and leave out what the page does not need.
advice-queue-workers = { $how ->
        [relays] Look in { $worker } for what takes its time and how many messages it works on at a time: handle them side by side (tasks, threads, a prefetch above 1), run more instances of it, or make each shorter. A job whose result nobody has to wait for needs no waiting request.
       *[takes] Run more takers than { $takers } in { $worker } (its concurrency, threads or processes), or more instances of it, and let each job be shorter: what it waits for itself can often be done for several jobs at once. A job whose result nobody has to wait for needs no waiting request.
    }
advice-held-row-locks = { $how ->
        [call] Ask { $peer } before the transaction begins or behind its end, so that nothing is locked meanwhile; write last, and commit at once.
        [client] Move what { $process } does between the write and the end of the transaction out of it; write last, and commit at once.
       *[database] Let the transaction have fewer statements behind its first write to the row, write to it last, or spread what is counted in one row over several.
    }
advice-rate-limit-delay = { $server ->
        [nginx] Raise rate= of limit_req_zone, or give limit_req nodelay (then what is above burst= is refused at once and the rest is passed on without waiting).
        [haproxy] Look for tarpit, set-bandwidth-limit and rate-limit sessions in the configuration, and raise what is meant.
       *[other] Look for a token bucket, a pacer, a throttle or a pause between tasks in { $process } and its libraries, with about { $rate } a second ({ $gap } ms each), and raise it, if the systems behind it bear more.
    }
advice-cache-loads = Look at the key (does it hold something that differs in each request?), the size and the time to live of the cache; then at what { $code } costs. Let one load serve all who want the same.
advice-connection-leak = Look for code that takes a connection and does not close it on every way out (try-with-resources, defer, finally), and for open transactions that nobody ends. HikariCP names the place with leakDetectionThreshold.
advice-connection-pool-limit = A larger pool does not help: { $name } takes no more than { $limit } connections, and all are taken. Raise that limit first, or let others keep fewer.
advice-heap-leak = Find who holds { $class ->
        [other] what grows
       *[named] { $class }
    }{ $holder ->
        [other] {""}
       *[named] , by the { $holder } that came with it: a map, list or cache that nothing is taken out of
    } (a heap dump shows the path to its root), and let it go or bound it. A larger heap only fills a little later.
advice-accept-queue-listen = Let the server listen with a longer queue (backlog of listen(2)), and net.core.somaxconn with it.
advice-accept-queue-serve = A longer queue alone only makes clients wait instead of fail: let the server take connections faster (more workers, or less work where it accepts).
advice-concurrency-limit = { $place ->
        [hop] Look for the setting in { $process } that allows { $number ->
            [one] one connection or call
           *[other] { $number } connections or calls
        } to { $peer } at a time (a pool, a semaphore, a bulkhead) and double it, as far as { $peer } can bear; or make each call shorter.
        [threads] Give { $process } more than { $number ->
            [one] one thread
           *[other] { $number } threads
        } (named { $peer }), or let them wait for less.
        [children] Give { $process } more than { $number ->
            [one] one worker
           *[other] { $number } workers
        }, as far as memory allows, or workers that serve several requests each.
       *[inside] Look in { $process } for what lets { $number ->
            [one] about one request
           *[other] about { $number } requests
        } work at a time: a semaphore, a bulkhead, a pool, a lock; and widen it or hold it for less time.
    }
advice-pool-setting = { $runtime ->
        [python] The pool's size is set where the client is made: `pool_size` and `max_overflow` (SQLAlchemy), `max_size` (psycopg_pool, asyncpg), `max_connections` (redis-py), `limits` (httpx), `limit` of aiohttp's connector.
        [node] The pool's size is set where the client is made: `max` (pg), `connectionLimit` (mysql2), `maxSockets` of `http.Agent`, `connections` (undici).
        [php] Each child has connections of its own: there are as many as children (`pm.max_children`).
        [ruby] The pool's size is `pool` in `database.yml`, or `size` of `ConnectionPool`; there is a pool in each process.
        [java] The pool's size is set where it is made: `maximumPoolSize` (HikariCP), `maxActive` (Druid), `maxTotal` (DBCP, Jedis), `setMaxConnPerRoute` (HttpClient).
        [pgbouncer] The pool's size is `default_pool_size` in pgbouncer.ini, or `pool_size` of the database. With `pool_mode = session` a client keeps its connection as long as it stays connected, whatever it does meanwhile: `transaction` lets others have it between transactions.
        [haproxy] The number is `maxconn` of the server line, or of `default-server`.
        [envoy] The number is `max_connections` and `max_requests` of the cluster's circuit breakers.
        [dotnet] The pool's size is `Max Pool Size` in the connection string, or `MaxConnectionsPerServer` of the HTTP handler.
       *[other] The pool's size is set where the client is made: in Go `SetMaxOpenConns` (database/sql), `MaxConns` (pgxpool), `PoolSize` (go-redis), `MaxConnsPerHost` (http.Transport); in Rust `max_connections` (sqlx), `max_size` (deadpool, bb8).
    }
advice-event-loop = { $how ->
        [asleep] Let it look for more work at once as long as it finds some, and wait for a word instead of a time when there is none (a blocking pop such as BLPOP, LISTEN and NOTIFY, a condition); take more at a time, or run several of it. A pause within the work belongs out of the request.
        [blocked] Take the blocking call off the event loop: await an asynchronous call in its place, or hand it to a pool of threads. More processes, each with an event loop of its own, only help by their number.
        [wanting] Give it a CPU: stop or move what else runs on those that it may use, or let it use more of them.
       *[running] Move the computing off the event loop to workers, make it cheaper, or run one process for each CPU.
    }
advice-waits-elsewhere = { $process ->
        [none] The load itself sends requests to { $peer }: watch it as well (an agent on its host, or `--watch`), or load each of the two alone.
       *[other] Watch { $peer } as well (an agent on its host, or `--watch`), call it less often, in parallel, or with a cache before it.
    }
advice-name-lookups = { $how ->
        [lost] See why { $server } does not respond (or what drops its packets); until then shorten the wait in /etc/resolv.conf (`options timeout:1 attempts:2`).
        [searched] End names with a dot, or lower `ndots` and shorten `search` in /etc/resolv.conf (Kubernetes: dnsConfig, ndots: 5 asks for several names that there are not).
       *[slow] See why { $server } takes so long (a caching resolver on the host responds in less than 1 ms).
    } Keep connections to the host that is called, so that nothing is looked up; keep what was looked up for as long as its TTL says (of Java networkaddress.cache.ttl; nginx: resolver … valid=; Node: a caching lookup; Go, Python, PHP: none of their own, so nscd, systemd-resolved, dnsmasq).
advice-known-work = { $what ->
        [scan] Create an index for the condition, or write the condition so that an index serves it (no wildcard at the beginning, no function around the column, no value of another type than the column: a number against a text converts every row); read only the rows that are needed.
        [sort] Create an index in that order, or sort less: only the rows and columns that are needed.
        [planning] Prepare statements once and keep them (the driver's statement cache), or fetch with one statement what many fetch now.
        [json-parse] Parse it once and keep the result, as far as it may be kept; or parse less.
        [json-write] Keep the serialized text, as far as it may be kept; or serialize less: fewer fields, pages instead of everything.
        [pattern] Write the expression so that it cannot backtrack (possessive or atomic groups, no nested repetition), or search for plain text first.
        [json] Read it once and keep the result, or keep the serialized text, as far as it may be kept; or read and write less.
        [xml] Read it once and keep the result, or keep the serialized text, as far as it may be kept; or read and write less.
        [compression] Use a lower level (gzip 1 to 4, Brotli 4), compress what hardly changes once (files made beforehand, a cache behind the compression), and leave out what is small or compressed already.
        [cryptography] Keep connections so that handshakes are few, resume TLS sessions, verify a password once for a session instead of for each request, and choose a cost that fits the load.
        [images] Make sizes and formats once and keep them, or leave them to a service of their own.
        [compiling] PostgreSQL compiles statements whose estimated cost is above jit_above_cost: set jit = off, or raise that cost (EXPLAIN ANALYZE tells the time of JIT). PHP: opcache.enable = 1, enough opcache.memory_consumption, and opcache.validate_timestamps = 0 in production. Elsewhere: compile templates, expressions and scripts once and keep them (Twig: cache; Smarty, Blade: a folder for what is compiled that can be written to).
        [copying] Ask for the part that is needed instead of the whole, look it up where it is (ets:lookup_element, persistent_term for what hardly changes), or send large binaries, which are shared, instead of terms.
       *[collection] Allocate fewer objects for each request, or give the heap more room.
    }
advice-many-calls = { $kind ->
        [sql] Fetch all rows with one statement (a join, IN, a batch), or let the mapper load what belongs together (fetch join, batch size, eager loading).
        [redis] Send the commands together: a pipeline, MGET and MSET, HMGET, or a script.
        [http] Ask for all at once (a batch endpoint, a list of ids), keep what hardly changes, and send what does not depend on each other in parallel.
       *[other] Ask for all at once, or keep what hardly changes.
    }
advice-call-connections = { $product ->
        [nginx] In nginx: `keepalive 32;` in an `upstream` block for { $server }, `proxy_http_version 1.1;` and `proxy_set_header Connection "";`
        [haproxy] In HAProxy: `http-reuse safe` (or `always`) for the backend, and no `option httpclose` or `http-server-close`
        [apache] In Apache: no `disablereuse=On` and no `proxy-nokeepalive`; workers with `keepalive=On`
        [envoy] In Envoy: no `max_requests_per_connection: 1`, and HTTP/2 to { $server } where it can do that
        [php] In PHP: persistent connections (PDO::ATTR_PERSISTENT, pfsockopen, predis `persistent`), or a proxy on the host that keeps them
        [python] In Python: one requests.Session, httpx.Client or aiohttp.ClientSession for the process, not one for each request; a pool for databases
        [node] In Node: one http.Agent with `keepAlive: true` (or undici's Pool) for the process; a pool for databases
        [java] In Java: one client for the process with its pool (HttpClient, OkHttp; HikariCP for databases), not one for each request
       *[other] Make one client with a pool for the process, not one for each request, and let it keep as many idle connections as are in use at a time (Go keeps 2 unless it is told more: SetMaxIdleConns of database/sql, MaxIdleConnsPerHost of http.Transport)
    }; { $server } must not close them after each response (`keepalive_timeout`, `keepalive_requests`).{ $how ->
        [tls] {" "}Until then let sessions be resumed (nginx: `proxy_ssl_session_reuse on`, `ssl_session_cache`), and use an ECDSA key: it signs at a small part of the cost of RSA.
       *[other] {""}
    }
advice-cpu-stolen = Use a machine whose CPUs are its own (a dedicated or non-burstable type of instance, pinned vCPUs, less overcommitment of the host). For instances with CPU credits the cloud's monitoring shows how many are left. `vmstat 1` shows the steal (`st`).
advice-cpu-shared = Give each its own CPUs (`taskset`, `cpuset.cpus`, `CPUAffinity=` of systemd; Kubernetes: the static CPU manager), let it use the idle ones too, or put the others behind it: `SCHED_IDLE` (`chrt -i 0`), `nice`, `cpu.weight` of their control group.
advice-idle-replicas = { $setting ->
        [ip_hash] `ip_hash` sends all clients behind one address to one server: use `least_conn`, or hash what tells users apart (`hash $cookie_session consistent`).
        [hash] What is hashed is the same for all requests: hash what tells users apart, or use `least_conn`.
        [balance] `balance source` sends all clients behind one address to one server, `uri` and `hdr` those with the same text: use `balance leastconn` or `roundrobin`, or hash what tells users apart.
       *[other] Look at weights, at health checks, and at connections that are kept and carry all requests.
    }
advice-many-commits = Put the statements of one request into one transaction (BEGIN … COMMIT; autocommit off), or insert all rows with one statement. What may be lost in a crash need not wait: `synchronous_commit = off` for that transaction; `commit_delay` where many commit at a time; a faster disk for the log.
advice-concurrency-held-up = More of them would wait, too: find out { $what ->
        [lock-file] who has the lock on the file, and why for so long (`lslocks` names it)
       *[disk] what is read or written, and why it takes so long
    }.
advice-concurrency-cpu = The threads of { $process } are taken since they have no CPU: more of them would wait for it, too. Make the work cheaper (see the code in the evidence), or add CPUs.

## How it is shown.

diagnosis-title = Bottleneck
diagnosis-next = Evidence, advice and an experiment:
diagnosis-demands = Service demand of each resource, over the loads (D = U / X)
diagnosis-explains = explains
diagnosis-share = about { $percent } % of the { $of }; confidence { $confidence } %
diagnosis-of-response-time = response time
diagnosis-of-throughput = lost throughput
diagnosis-of-errors = failed requests
diagnosis-of-measurement = measurement
diagnosis-layer = kind
diagnosis-layer-measurement = the measurement itself
diagnosis-layer-cause = a cause
diagnosis-layer-resource = a saturated resource
diagnosis-layer-hint = a side note: not the bottleneck
diagnosis-experiment = To confirm: { $text }
diagnosis-capture = capture { $number }
diagnosis-unknown = unknown
diagnosis-source = Rule: { $source }
diagnose-evidence-saved = Evidence written: { $path }
diagnose-evidence-damaged = { $path } holds no readable evidence: { $reason }. Write it with `plimsoll diagnose RUN --save-evidence FILE`.

## Where rules come from

source-little = Little's law
source-little-dumps = Little's law over thread dumps
source-little-stacks = Little's law over stacks of waiting threads
source-cpu-samples = CPU samples of the kernel (perf_event_open(2))
source-own-functions = names of the programs' own functions
source-sampling-stacks = sampling of stacks
source-calls-on-wire = requests and their calls counted on the wire
source-little-in-flight = Little's law over requests in flight
source-loop-states = utilization law over the states of the event loop's thread
source-little-waiting = Little's law: waiting at once = seconds of wait a second
source-little-connections = Little's law: connections busy = rate × time
source-little-threads = Little's law: busy threads = throughput × time
source-little-jfr = jdk.JavaMonitorEnter, Little's law over its waits
source-little-profiler = async-profiler's lock profile, Little's law over its waits
source-query-for-each-row = one query for each row (N+1)
source-trip-for-each-key = one round trip for each key (N+1)
source-digests = performance_schema's statement digests, SUM_NO_INDEX_USED
source-scans = Handler_read_rnd_next and Select_scan
source-phases = the client's own times of each phase
source-kinds = the client's own errors by kind
source-use = USE method, Gregg 2012
source-children = cutime and cstime in proc_pid_stat(5)
source-one-thread = commands run one after the other: utilization of one thread
source-utilization = utilization law
source-utilization-paper = utilization law, Denning and Buzen 1978
source-hop-alone = time of a hop loaded alone less that of the next
source-hops = nested times of the hops
source-permutation = permutation test over shifts in time, Besag and Clifford 1989
source-responds = RFC 9110, section 15: a server that serves responds
source-close-wait = RFC 9293, section 3.3.2: CLOSE-WAIT waits for the local user
source-delayed = RFC 1122, section 4.2.3.2 (delayed acknowledgements)
source-bytes-read = bytes read for each request over time
source-dispersion = index of dispersion, Cox and Lewis 1966
source-rule-of-thumb = rule of thumb
source-worker-connections = nginx, ngx_core_module: worker_connections counts both sides
source-iostat = iostat(1), %util and await
source-run-delay = run_delay in /proc/PID/task/TID/schedstat
source-limit-modules = nginx, ngx_http_limit_req_module and ngx_http_limit_conn_module
source-nginx-modules = nginx, ngx_core_module and ngx_http_upstream_module
source-listen-overflows = SNMP counter TcpExt ListenOverflows
source-retransmissions = SNMP counter Tcp RetransSegs
source-status-codes = RFC 9110, section 15
source-retransmission-timer = RFC 6298, section 2
source-persistence = RFC 9112, section 9.3
source-too-many-requests = RFC 6585, section 4
source-sampling = sampling: thread dumps
source-sessions = sessions kept = rate × time-out (Little's law)
source-safepoints = share of time at safepoints for GC
source-explicit-gc = java.lang.System.gc, HotSpot's DisableExplicitGC
