## What comes of a diagnosis.

diagnosis-found = What limits: { $title }
diagnosis-healthy = At its limit, as it should be: { $title }
diagnosis-nothing = Nothing limits: no resource and no pool of the target was used up.
diagnosis-insufficient = Not enough was watched to say what limits.
diagnosis-missing-all = The target was not watched. On its own host run with `--watch auto --watch-allow-capture`, from another with an agent there (`plimsoll agent`).
diagnosis-missing-stacks = No thread dumps under load: run with `--watch-allow-capture`, so that locks, pools and code can be named.
diagnosis-missing-plateau = Throughput stays at { $rate }/s from a load of { $from } to { $to }, and nothing that was watched is used up. What limits is where nobody looked: a lock or a pool inside a program that is no JVM, a system behind it, a limit of something between. Watch those, or load each hop alone (`plimsoll hops`).
diagnosis-missing-profile = { $name } is out of CPU, and its few thread dumps do not show where it goes: have it profiled, by `jfr: start` or `profiler: …` at a `jvm` of the plan's `watch`.
diagnosis-missing-database = { $name } was seen only as a process: name it with `--watch mysql=…` and a user, so that its statements can be told.

## Findings: title, meaning, experiment.

finding-generator-cpu = The load generator itself was out of CPU
finding-generator-cpu-means = Its threads could not send and receive in time: what was measured is partly the generator's own waiting. Nothing else can be concluded from this run.
finding-generator-cpu-experiment = Repeat with more CPUs or hosts for the generator; if throughput rises, the generator was the limit.
finding-generator-ports = The load generator ran out of local ports
finding-generator-ports-means = Every short connection keeps its port for 60 s (TIME_WAIT). When all are taken, connects fail on the generator before they reach the target.
finding-generator-ports-experiment = Repeat with kept connections or a wider port range; the failures must be gone.
finding-generator-late = Requests left the generator late
finding-generator-late-means = Requests were sent clearly later than intended, although the generator's CPU was not used up.
finding-generator-late-experiment = Repeat on a quiet generator host and compare the send lateness.
finding-generator-descriptors = The load generator ran out of file descriptors
finding-generator-descriptors-means = A connection needs a descriptor; without one it cannot be opened.
finding-generator-descriptors-experiment = Raise the limit of open files (`ulimit -n`) and repeat.
finding-generator-memory = The load generator ran out of memory
finding-generator-memory-means = The generator came up against its memory limit; its figures cannot be trusted.
finding-generator-memory-experiment = Repeat with more memory or fewer users.
finding-generator-starved = Something else took the CPU from the load generator
finding-generator-starved-means = The generator's threads were ready to run but had to wait for a CPU that another process used.
finding-generator-starved-experiment = End the other process or move the generator, and repeat.
finding-generator-near-limit = The load generator is near its own limit: { $percent } % of the most it was seen to do
finding-generator-near-limit-means = With so many load threads this machine did little more on a page that costs nothing (plimsoll calibrate). If throughput stays where it is under more load, that may be the generator's doing and not the target's.
finding-generator-near-limit-experiment = Load the same target from two machines, or with more CPUs: if throughput rises, the generator was the limit.

finding-cold-start = Measured before it was warm: throughput still rose by { $percent } %
finding-cold-start-means = Under an even load { $object } became faster and faster while the JIT compiled: the average says little about the steady state.
finding-cold-start-experiment = Repeat with the longer warm-up; beginning and end of the measured time must then agree.

finding-cpu = CPU bound: { $object } uses { $used } of { $limit } CPUs
finding-cpu-means = The processor does work for requests nearly all the time. More threads or larger pools only move the queue; less work for a request or more CPU lifts the limit.
finding-cpu-experiment = Give it more CPU and measure again: throughput should rise in proportion. Or profile the code named in the evidence.
finding-cpu-taken = Others on its host take the CPU: { $object } gets { $used } CPUs and wants more
finding-cpu-taken-means = The host's CPUs are used up, but not by this process: its threads are ready to run and wait for { $percent } % of the response time.
finding-cpu-taken-experiment = End what else runs on the host, or move it, and measure again: throughput should rise at once.
finding-host-cpu = The CPUs of the host { $host } are used up
finding-host-cpu-means = No process is at a limit of its own; together they use all that the host has.
finding-host-cpu-experiment = Move one of those that use much to another host, the load generator first, and measure again: throughput should rise.
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
finding-single-thread-experiment = Run a second process of it beside the first and share the load between them: throughput should nearly double.
finding-database-cpu = The database is out of CPU: { $object } uses { $used } of { $limit } CPUs
finding-database-cpu-means = The database computes nearly all the time. Applications before it can only wait.
finding-database-cpu-experiment = Give the database more CPU, or take its most expensive statement away, and measure again.
finding-proxy-cpu = The proxy is out of CPU: { $object } uses { $used } of { $limit } CPUs
finding-proxy-cpu-means = The proxy itself computes nearly all the time; what is behind it has room.
finding-proxy-cpu-experiment = Load what is behind the proxy directly: if that carries more, the proxy is the limit.
finding-cache-cpu = The cache is out of CPU: { $object } uses { $used } of { $limit } CPUs
finding-cache-cpu-means = The cache runs commands on one thread, and that is busy nearly all the time.
finding-cache-cpu-experiment = Use fewer or cheaper commands for a request and measure again.

finding-hot-code = { $by ->
        [samples] { $percent } % of the CPU time is spent in { $library }
       *[dumps] { $percent } % of the working threads are in { $library }
    }
finding-hot-code-means = The CPU is used up, and most of it by one library, called from { $own }. Work that is done several times, or by a slow library, can be saved.
finding-hot-code-experiment = Keep the result for the request or use a faster library, and measure again.

finding-lock = A lock lets one request at a time pass: { $object }
finding-lock-means = { $waiting } threads wait at once to enter { $waits_in }. Whatever the number of users and threads, throughput is one divided by the time the lock is held.
finding-lock-experiment = Double the users: if throughput stays the same and the response time doubles, the lock is confirmed. Then take the slow part out of it and measure again.
finding-deadlock = Threads wait for each other for ever: { $object }
finding-deadlock-means = Each of them holds a lock that another one wants. They never end, and neither do their requests.
finding-deadlock-experiment = Take the locks in one order everywhere and repeat the load.

finding-errors-with-event = Errors come with { $event }: { $percent } % of them in the same seconds
finding-errors-with-event-means = The failed requests are not spread over the time: most fall into the seconds in which this happened, which chance would hardly do.
finding-errors-with-event-experiment = Bring it about once more on purpose, or keep it from happening, and repeat the load: the errors must come and go with it.

finding-log-level = The log level costs { $percent } % of the response time: { $object } writes debug events
finding-log-level-means = Each request writes many debug or trace events; formatting and writing them takes more than the work itself.
finding-log-level-experiment = Set the level to INFO while it runs (Spring Boot: /actuator/loggers) and measure again.
finding-log-appender = Logging costs { $percent } % of the response time: threads queue at the appender of { $object }
finding-log-appender-means = An appender lets one thread at a time write. Threads wait for it although CPU and disk have room.
finding-log-appender-experiment = Set the level to ERROR while it runs, or write asynchronously, and measure again.

finding-connection-pool = The connection pool { $object } is too small for what holds its connections
finding-connection-pool-means = Requests wait for a connection for { $percent } % of their time, while the database has room.
finding-connection-pool-experiment = Enlarge the pool (or give connections back sooner) and measure again: nobody should wait, and throughput should rise.
finding-outgoing-pool = { $object } has too few connections to the service that it calls
finding-outgoing-pool-means = Its threads wait for a free connection of the HTTP client for { $percent } % of their time, not for the service itself.
finding-outgoing-pool-experiment = Raise the client's connections per route and measure again.

finding-new-connections = { $made } % of the requests make a new connection
finding-new-connections-means = Looking up the name, connecting and the TLS handshake take { $percent } % of the time of a request, and cost the server CPU and ports. Either the server closes connections after the answer, or the plan makes users begin anew.
finding-new-connections-experiment = Keep connections open on both sides and measure again.
finding-rate-limit = Requests are held back by a rate limit: { $object }
finding-rate-limit-means = { $held } % of the requests came faster than somebody allows. What is measured is this limit and not what the service can carry.
finding-rate-limit-experiment = Raise or lift the limit for the test, or load from as many addresses or keys as real users have, and measure again.
finding-failed-requests = { $failed } % of the requests fail with status { $object }
finding-failed-requests-means = A failing answer often costs less than a right one: throughput and response time over all requests say little of the service.
finding-failed-requests-experiment = Send one such request by hand (plimsoll once, curl -i) and look into the service's log; measure again when it succeeds.
finding-semaphore = A semaphore lets { $inside } requests at a time pass: { $object }
finding-semaphore-means = { $waiting } threads wait at once for a permit. However many users and threads there are, throughput is the number of permits divided by the time that one is held.
finding-semaphore-experiment = Double the permits and measure again: if what is done with a permit has room, throughput should double. Doubling the users alone should only double the response time.
finding-full-queue = Requests wait at a full queue: { $object }
finding-full-queue-means = { $waiting } threads wait at once to put something into a queue that has no room. However many users there are, throughput is what empties it.
finding-full-queue-experiment = Empty the queue faster (more threads that take from it, several things at a time) and measure again: throughput should rise. A longer queue alone only fills later.
finding-object-pool = All that a pool holds is in use: { $object }
finding-object-pool-means = { $waiting } threads wait at once to take something out of an empty queue, while { $inside } others are at work with what they took. Throughput is the number of these things divided by the time that one is in use.
finding-object-pool-experiment = Put twice as many things into the pool and measure again: if what is done with them has room, throughput should double. Doubling the users alone should only double the response time.
finding-task-threads = All { $limit } threads of the pool { $object } are busy, and requests wait for their tasks
finding-task-threads-means = Requests hand work to a pool of threads and wait for it. The pool has fewer threads than requests wait, so tasks queue before it for { $percent } % of the response time.
finding-task-threads-experiment = Raise the number of the pool's threads and measure again: throughput should rise and the waiting go away.
finding-worker-threads = All { $limit } worker threads of { $object } are busy, and more requests wait
finding-worker-threads-means = A request waits for a free thread for { $percent } % of its time. What the threads do has room: they wait for something else, or CPUs are idle. More of them can serve more.
finding-worker-threads-experiment = Raise the number of threads and measure again: throughput should rise and the waiting go away.
finding-max-connections = All { $limit } connections that { $object } accepts are taken, by clients that keep them
finding-max-connections-means = Kept connections count even while they are idle. A client beyond the limit connects (the kernel answers) but is never served: it sees read timeouts, while worker threads are free.
finding-max-connections-experiment = Raise the limit and measure again: nobody should time out.
finding-accept-queue = The accept queue of port { $object } overflows
finding-accept-queue-means = More clients connect than the server accepts: threads, connections and the queue before them are all full. The kernel drops the rest, which see connect timeouts or wait for a retry.
finding-accept-queue-experiment = Raise threads and queue and measure again: overflows and connect timeouts must be gone.

finding-slow-dependency = Requests wait for another system: { $object }
finding-slow-dependency-means = { $percent } % of the time of a request is spent in { $code }, waiting for its answer.
finding-slow-dependency-experiment = Load that system alone; keep its answers for some seconds, or replace it by a stub, and measure again.
finding-own-wait = The code itself waits: { $object }
finding-own-wait-means = { $how ->
        [pause] { $percent } % of the time of a request is a pause of the code's own. Nothing is used up: more users bring more throughput.
       *[wait] { $percent } % of the time of a request the code waits for something that other threads or processes do. A second, heavier load shows whether more users bring more throughput.
    }
finding-own-wait-experiment = Double the users: throughput should double at the same response time.
finding-new-threads = { $each } threads are started for each request: { $object }
finding-new-threads-means = A thread costs memory for its stack, a trip through the kernel and a turn at the JVM's list of threads; a pool keeps them.
finding-new-threads-experiment = Run the same tasks in a pool of threads and measure again: CPU for a request must fall.
finding-child-processes = Programs that requests start use { $used } CPUs: { $object }
finding-child-processes-means = The server starts another program for a request and waits for it. These programs, and starting them, take the CPU; more threads only start more of them at once.
finding-child-processes-experiment = Replace the program by one that ends at once, and measure again: if throughput rises, it is confirmed.
finding-unanswered-requests = { $unanswered } % of the requests get no answer: { $object }
finding-unanswered-requests-means = The server accepts them or not, and then does not answer; nothing that was watched is used up and says why.
finding-unanswered-requests-experiment = Send one request by hand while the load runs, and one after it: a server that answers neither does not work any more, and its log says since when.
finding-split-answers = Each answer comes in two pieces, { $ms } ms apart
finding-split-answers-means = { $percent } % of the response time is no work: the server holds the rest of an answer back until its first piece is acknowledged (Nagle's algorithm), and the client acknowledges late, as TCP allows. Real clients wait as long.
finding-split-answers-experiment = Send head and body of an answer at once, or without delay (TCP_NODELAY), and measure again: the time to receive must be near 0.

finding-full-scan = A statement reads the whole table { $object } again and again
finding-full-scan-means = Each execution looks at { $examined } rows and finds no index that serves its condition. { $percent } % of the time of a request goes there.
finding-full-scan-experiment = Ask for the plan (EXPLAIN); create the index or rewrite the condition, and measure again: rows examined must fall, throughput rise.
finding-many-queries = { $count } statements of one form on { $object } for each request
finding-many-queries-means = None of them is slow, but each costs a round trip and work on both sides: { $percent } % of the time of a request.
finding-many-queries-experiment = Fetch the rows with one statement (IN, a join, a batch) and measure again: statements for a request must fall, throughput rise.
finding-row-locks = Transactions wait for rows of { $object } that others have locked
finding-row-locks-means = { $percent } % of the time of a request is waiting for row locks. More users or connections only wait there too.
finding-row-locks-experiment = Commit earlier or spread the writes over more rows, and measure again: waits for row locks must fall.
finding-table-locks = Statements wait for the whole table { $object }
finding-table-locks-means = A statement that changes or locks the table waits for a transaction that still uses it, and all that come after wait behind it: { $percent } % of the time of a request.
finding-table-locks-experiment = End the transaction or the change (KILL its connection) and measure again: the waiting must end at once.
finding-slow-statement = A statement on { $object } takes { $ms } ms
finding-slow-statement-means = Requests spend { $percent } % of their time in it, although the database has CPU to spare.
finding-slow-statement-experiment = Run the statement alone with EXPLAIN ANALYZE; change it or keep its result, and measure again.
finding-slow-database = Requests wait for a database: { $object }
finding-slow-database-means = { $percent } % of the time of a request is spent waiting for its answers. Why it takes so long was not watched.
finding-slow-database-experiment = Watch the database too (`--watch mysql=…`) and repeat; or answer from a stub and compare.

finding-many-round-trips = { $count } times { $object } for each request
finding-many-round-trips-means = No call is slow, but each waits for a round trip to the cache: { $percent } % of the time of a request.
finding-many-round-trips-experiment = Ask for all keys in one call and measure again: calls for a request must fall, throughput rise.
finding-slow-command = The command { $object } keeps the cache busy: { $ms } ms for each call
finding-slow-command-means = The cache runs one command after the other: while this one runs, all others wait.
finding-slow-command-experiment = Replace the command or make what it works on smaller, and measure again.
finding-cache-misses = Keys are mostly looked for in vain in { $object }
finding-cache-misses-means = A miss costs a round trip and then the way to the source that the cache should spare.
finding-cache-misses-experiment = Warm the cache, or keep keys longer, and compare the misses.
finding-cache-evictions = { $object } throws keys out because its memory is full
finding-cache-evictions-means = What is thrown out is missed later.
finding-cache-evictions-experiment = Give it more memory and compare the misses.

finding-network-full = The link { $object } is full
finding-network-full-means = It carries { $percent } % of what it can: bytes of an answer times answers a second reach the rate of the link.
finding-network-full-experiment = Make answers smaller (compress them) and measure again: throughput should rise by the same factor.
finding-packet-loss = TCP sends segments again on { $object }
finding-packet-loss-means = Packets are lost or late; each loss makes a request wait for a timer or a repetition.
finding-packet-loss-experiment = Measure again with less load: if the repetitions go away, a link or queue is overloaded.
finding-upstream-short-connections = { $object } opens a new connection to its upstream for each request
finding-upstream-short-connections-means = Each one costs CPU on both sides and leaves a socket in TIME_WAIT for 60 s; when local ports run out, requests fail. It explains about { $percent } %.
finding-upstream-short-connections-experiment = Keep connections to the upstream and measure again: connections opened a second must fall to nearly none.
finding-close-wait = { $object } does not close connections that its clients have ended: { $count } in CLOSE_WAIT
finding-close-wait-means = Each keeps a descriptor for ever. When there are none left, no connection is accepted any more.
finding-close-wait-experiment = Close the socket when reading ends, repeat, and look whether CLOSE_WAIT stays near zero.

finding-proxy-settings = Settings of { $object } cost it a good part of its CPU
finding-proxy-settings-means = The proxy is out of CPU, and these settings take about { $percent } % of it, by rule of thumb.
finding-proxy-settings-experiment = Change one setting at a time and measure again.
finding-proxy-connections = { $object } has no connection left for more clients
finding-proxy-connections-means = A proxied request takes two connections of a worker. Beyond the limit clients are cut off.
finding-proxy-connections-experiment = Raise the limit and measure again: the message must be gone from the error log.

finding-session-leak = Every request leaves a session behind: { $count } are kept
finding-session-leak-means = Sessions stay until they time out, and the heap fills with them: { $object }. Collections take longer and longer and free nothing.
finding-session-leak-experiment = Make no session for such requests (or let them end after a minute) and repeat for longer: sessions and the heap after GC must stay level.
finding-heap-full = The heap is full: { $object }
finding-heap-full-means = { $how ->
        [exhausted] After each collection it is still full: a thread that wants memory gets none and ends (OutOfMemoryError), and requests get no answer.
       *[pauses] After each collection it is still full, so { $paused } % of the time goes to pauses.
    }
finding-heap-full-experiment = Repeat with twice the heap: if it fills again, it is a leak; compare class histograms. If it stays level, it was too small.
finding-gc-pauses = { $object } stands still for { $paused } % of the time to collect garbage
finding-gc-pauses-means = The heap is nearly empty after each collection: it is not a leak, but memory is used up faster than it is collected cheaply.
finding-gc-pauses-experiment = Repeat with twice the heap or another collector, and compare the share of pauses.
finding-explicit-gc = The program itself asks for collections: { $object }
finding-explicit-gc-means = { $paused } % of the time everything stands still for collections that code asks for by System.gc(), while the heap has room.
finding-explicit-gc-experiment = Start the JVM with -XX:+DisableExplicitGC, or take the call out, and measure again: the pauses must be gone.
finding-swapping = { $object } swaps
finding-swapping-means = Memory is used up; pages are written to and read from the disk while requests wait.
finding-swapping-experiment = Give processes less or the host more memory and measure again: no page must be swapped.
finding-oom-kill = The kernel ended a process for want of memory: { $object }
finding-oom-kill-means = Requests that were in it failed, and those until it was up again.
finding-oom-kill-experiment = Raise the memory limit or lower the heap, and repeat.

finding-growing-file = A file that is read for each request grows with each request: { $object }
finding-growing-file-means = Reading it takes { $percent } % of the time of a request, and more from second to second.
finding-growing-file-experiment = Move the file away while it runs: throughput must jump back to where it began.
finding-disk-busy = The disk { $object } is busy nearly all the time
finding-disk-busy-means = { $percent } % of the time of a request is waiting for files.
finding-disk-busy-experiment = Move logs or data to another disk, or write less, and measure again.
finding-disk-full = The file system { $object } is full
finding-disk-full-means = Writes will fail soon, if they do not already.
finding-disk-full-experiment = Make room and repeat.
finding-file-descriptors = { $object } has no file descriptor left
finding-file-descriptors-means = Every connection and file needs one; what cannot be opened fails.
finding-file-descriptors-experiment = Raise the limit and repeat; if they are used up again, something does not close what it opens.

finding-hop-latency = The hop that adds most: { $object } with { $ms } ms
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
exhibit-generator-cpu = In { $percent } % of the seconds a load thread used over { $limit } of its CPU; at most { $worst }.
exhibit-generator-ceiling = { $rate } requests/s were done; calibrated on { $date }, its load threads do { $most } at most ({ $micros } µs of CPU for a request).
exhibit-generator-lateness = In { $percent } % of the seconds the p99 of the send lateness was over { $limit } ms; at most { $worst } ms.
exhibit-generator-receive_lag = In { $percent } % of the seconds answers were noticed over { $limit } ms late on average; at most { $worst } ms.
exhibit-generator-ports = In { $percent } % of the seconds no local port was free.
exhibit-generator-fds = In { $percent } % of the seconds no file descriptor was free.
exhibit-generator-memory = In { $percent } % of the seconds { $worst } of the memory limit was used.
exhibit-generator-starved = In { $percent } % of the seconds load threads waited for a CPU for over { $limit } of the time; most was taken by { $competitor }.
exhibit-rising = Throughput under an even load: { $early }/s in the first third, { $late }/s in the last.
exhibit-compiling = { $percent } % of the CPU of the first third went to the JIT compiler.
exhibit-cpu-used = { $used } of { $limit } CPUs were used ({ $percent } %).
exhibit-throttled = Its quota stopped it in { $percent } % of the periods.
exhibit-cpu-waits = Its threads waited for a CPU for { $seconds } s in each second.
exhibit-demand = Service demand D = U / X = { $ms } ms of CPU for a request: by the utilisation law no more than { $bound }/s can be served.
exhibit-hot = { $by ->
        [samples] { $percent } % of the CPU time of requests is spent in { $name }.
       *[dumps] { $percent } % of the working threads are in { $name }.
    }
exhibit-library = { $by ->
        [samples] { $percent } % of the CPU time of requests is spent in { $name }, called from { $own }.
       *[dumps] { $percent } % of the working threads compute in { $name }, called from { $own }.
    }
exhibit-lock-waiters = { $count } threads at once ({ $percent } % of those that work) wait for a { $lock } in { $code }.
exhibit-lock-owner = The thread that holds it is in { $code }.
exhibit-deadlock = In a circle: { $threads }.
exhibit-logging = { $percent } % of the working threads are in the logging framework, { $waiting } % wait for its lock; called from { $code }.
exhibit-logging-computes = { $percent } % of the threads that compute are in the logging framework, while { $name } has no CPU left; called from { $code }.
exhibit-log-events = Log events for each request: { $debug } debug and trace, { $others } others.
exhibit-pool = { $used } of { $limit } connections are out, and { $pending } requests wait for one: { $percent } % of those in flight.
exhibit-pool-times = A connection is out for { $use } ms on average, and had after { $wait } ms.
exhibit-pool-waiters = { $count } threads at once ({ $percent } % of those that work) wait for a connection in { $code }.
exhibit-held-over-call = Threads that have a connection mostly wait for something else, in { $code }.
exhibit-full-below = { $name } is out of CPU: more before it would only wait there.
exhibit-workers = { $busy } of { $limit } threads are busy on average, with { $in_flight } requests in flight: a request waits for a thread for { $percent } % of its time.
exhibit-workers-wait = But { $percent } % of the threads wait for a lock, a connection or a task themselves: more threads would wait there too.
exhibit-cpu-taken = The host's CPUs are used to { $percent } %: { $watched } by what is watched, { $others } by others.
exhibit-new-connections = { $made } % of the requests connected; for a request of all: name { $dns } ms, connecting { $connect } ms, TLS { $tls } ms.
exhibit-cpu-of = { $name } uses { $used } CPUs.
exhibit-limiting = nginx's error log tells of { $count } requests that were held back.
exhibit-limit-zones = As set: { $zones }.
exhibit-answers = { $percent } % of the requests were answered with status { $code }.
exhibit-semaphore-waiters = { $count } threads at once ({ $percent } % of those that work) wait for a permit in { $code }.
exhibit-semaphore-inside = { $count } threads at once have one, in { $code }.
exhibit-full-queue = { $count } threads at once ({ $percent } % of those that work) wait for room in a queue in { $code }.
exhibit-queue-emptier = A thread that may be who empties it: { $thread }, in { $code }.
exhibit-object-pool = { $count } threads at once ({ $percent } % of those that work) wait for something out of a queue in { $code }.
exhibit-object-pool-inside = { $count } threads at once are past it, in { $code }.
exhibit-unanswered = { $percent } % of the requests end with { $kind }.
exhibit-not-reached = { $busy } threads of { $name } serve a request, while { $in_flight } requests are in flight: the others do not get as far as a thread.
exhibit-split-answers = The rest of an answer comes { $ms } ms after its first byte, { $percent } % of the time; { $rate } acknowledgements a second are sent late.
exhibit-explicit-gc = { $count } threads at once ask for a collection in { $code }.
exhibit-new-threads = { $rate } threads a second are started, { $each } for each request.
exhibit-starts-threads = { $percent } % of the working threads are about to start one.
exhibit-child-processes = Programs that it started, and that have ended, used { $used } CPUs, the process itself { $own } of { $limit }.
exhibit-child-started = A thread that starts one, or waits for it, in { $code }.
exhibit-single-thread = { $how ->
        [turns] All threads together use { $used } CPUs, none of them a whole one; the process may use { $limit }.
       *[threads] { $cpus ->
            [one] The thread { $thread } uses { $used } of the one CPU that it can use; the process may use { $limit }.
           *[other] { $cpus } threads such as { $thread } use { $used } CPUs together; the process may use { $limit }.
        }
    }
exhibit-tasks = { $waiting } threads at once ({ $percent } % of those that work) wait for tasks in { $code }; all { $threads } threads of { $pool } run one.
exhibit-tasks-in-work = The tasks are in { $code }.
exhibit-connections = { $open } of { $limit } connections are open, { $kept } of them between two requests.
exhibit-overflows = { $count } connections found the accept queue full.
exhibit-listen-queue = The queue of port { $port } held { $length } connections; its limit is { $limit }.
exhibit-dependency = { $percent } % of the working threads wait for an answer in { $code }.
exhibit-call-time = Calls to { $address } take { $ms } ms on average.
exhibit-own-wait = { $percent } % of the working threads pause or wait in { $code }.
exhibit-statement = { $rate } a second, { $ms } ms each, { $running } at once; rows examined { $examined }, sent { $sent } by each; { $no_index } % without index.
exhibit-plan = Its plan (EXPLAIN).
exhibit-running = It was seen running.
exhibit-database-code = { $percent } % of the working threads are in calls to the database, mostly in { $code }.
exhibit-database-waits = { $percent } % of the working threads wait for an answer of a database in { $code }.
exhibit-rows-scanned = { $rows } rows a second are read by scans, { $per_scan } for each scan.
exhibit-queries-per-request = { $count } statements for each request.
exhibit-row-locks = { $waiting } transactions wait for a row lock at once; { $waits } waits a second of { $ms } ms.
exhibit-table-locks = { $waiting } connections at once wait for a lock on a table.
exhibit-table-waits = They were seen waiting.
exhibit-lock-waits = A wait in InnoDB's status.
exhibit-commands-per-request = { $command }: { $count } for each request, { $rate } a second.
exhibit-cache-code = { $percent } % of the working threads are in calls to the cache, mostly in { $code }.
exhibit-slow-command = { $command } takes { $ms } ms a call and keeps the thread that runs all commands busy for { $percent } % of the time.
exhibit-cache-misses = { $percent } % of the lookups find nothing: { $rate } a second.
exhibit-cache-evictions = { $rate } keys a second are thrown out.
exhibit-link = { $rate } of { $limit } MB/s ({ $percent } %).
exhibit-link-limit = The limit is the link's or the shaper's own.
exhibit-fuller-cpu = The CPU of { $name } is used up still more: { $percent } %.
exhibit-link-drops = { $overlimits } packets found the limit reached, { $dropped } were dropped.
exhibit-answer-size = An answer has { $bytes } bytes: by its size alone the link carries no more than { $bound }/s.
exhibit-retransmits = { $rate } segments a second are sent again: { $percent } %.
exhibit-upstream-opens = { $opens } connections are opened for each of { $rate } requests a second.
exhibit-upstream-no-port = { $count } connects to the upstream failed: no local port was free.
exhibit-time-wait = { $count } sockets are in TIME_WAIT.
exhibit-ports = { $used } of { $limit } local ports are in use towards one upstream ({ $percent } %).
exhibit-close-wait = Connections in CLOSE_WAIT: { $first } at the beginning, { $last } at the end.
exhibit-descriptors = { $open } of { $limit } file descriptors are open.
exhibit-proxy-cpu = { $used } of { $limit } CPUs are used: { $micros } µs for each request.
exhibit-access-log = Each request is written to the access log at once: { $value }.
exhibit-workers-cpus = { $workers } workers share { $cpus } CPUs.
exhibit-kept = Each worker keeps { $kept } connections, and needs { $at_once } at once.
exhibit-worker-connections = The error log says { $count } times: worker_connections are not enough.
exhibit-sessions = { $grew } sessions were added ({ $per_request } for each request), none ended; { $now } are kept.
exhibit-gc-pauses = { $percent } % of the time is pauses for garbage collection; { $full } full collections a minute.
exhibit-after-gc = { $percent } % of the long-lived part of the heap is in use after a collection.
exhibit-class-growth = { $class }: { $objects } objects more at the end than at the beginning, { $megabytes } MB without what they refer to.
exhibit-falling = In the last quarter { $percent } % less was served than in the best.
exhibit-swapping = { $rate } pages a second are swapped; for { $percent } % of the time some task waits for memory.
exhibit-oom-kill = { $count } processes were ended by the kernel for want of memory.
exhibit-read-grows = A request reads { $early } kB in the first third of the time, { $late } kB in the last.
exhibit-file-readers = { $percent } % of the working threads read a file in { $code }.
exhibit-disk = Busy for { $percent } % of the time; { $rate } operations a second of { $ms } ms each, waiting included.
exhibit-disk-full = { $mount } is { $percent } % full, { $free } GB are free.
exhibit-hop = { $hop }: { $total } ms for each request, { $own } ms of it its own ({ $percent } %); called { $calls } times for a request.
exhibit-hop-alone = { $hop }, loaded alone ({ $users } at once): { $total } ms for each request, { $own } ms (± { $half }) of it its own.
exhibit-hop-fails = { $hop }, loaded alone: mostly failed, or what is behind it did; what it adds is not known.
exhibit-hop-waits = Under load { $hop } adds { $loaded } ms, alone { $alone } ms: { $percent } % of its time under load is waiting in line.

## Advice.

advice-generator-cpu = Give the generator more CPU, or load from several hosts.
advice-generator-near-limit = Load from several hosts or with more CPUs before you conclude anything from the largest throughput.
advice-generator-ports = Keep connections open, widen net.ipv4.ip_local_port_range, ramp up more slowly, or load from several addresses.
advice-generator-late = Look at what else runs on the generator's host; pin the generator to CPUs of its own.
advice-generator-descriptors = Raise the limit of open files of the generator.
advice-generator-memory = Give the generator more memory, or use fewer users on it.
advice-generator-starved = Give the generator CPUs of its own.
advice-warm-up = Leave out the time until throughput is steady.
advice-cpu = Do less work for a request (see the code in the evidence), or add CPUs or hosts. More threads do not help.
advice-cpu-quota = The process is held back by its quota: give it more, or do less work for a request. More threads do not help.
advice-hot-code = Do this work once for a request (or keep its result longer), or use a faster library for it.
advice-hot-code-slow = This library is known to be slow; { $faster } does the same in a fraction of the time. Or do the work once for a request.
advice-lock = Hold the lock for a shorter time, split it, or do without it.
advice-lock-held-over-call = The lock is held while another system is asked ({ $code }): take the call out of the lock.
advice-lock-held-over-wait = The lock is held over a pause ({ $code }): take the pause out of the lock.
advice-lock-held-over-pool = The lock is held while waiting for a connection ({ $code }): get the connection before the lock.
advice-lock-shared = One request at a time gets this lock, on all servers together ({ $code }): lock a narrower key, do less while it is held, or let the store decide at once (an atomic command, an UPDATE with a condition).
advice-deadlock = Take locks in one order everywhere, or use one lock.
advice-log-level = Debug and trace events are not needed in production; formatting them costs CPU, writing them a lock.
advice-log-appender = Log less here, or put an asynchronous appender before the file, so that threads do not wait for each other.
advice-connection-held = Give the connection back before the call to another system ({ $code }), or make the call before the transaction.
advice-connection-pool = { $wanted } connections would be wanted at this load; the database must allow as many. Try doubling first and look whether the database gets busy.
advice-outgoing-pool = About { $wanted } connections would be wanted at this load. Apache HttpClient: setMaxConnPerRoute and setMaxConnTotal (default 5 and 25 in version 5, 2 and 20 in 4).
advice-cpu-taken = Move what else runs on the host (the load generator too, if it runs there), or bound it (a CPU quota of its control group, nice); `top` or `pidstat 1` names it.
advice-new-connections = Let the server keep connections (nginx: keepalive_timeout, keepalive_requests; Tomcat: keep-alive-timeout, max-keep-alive-requests; no `Connection: close`), and the plan too, if real clients do; with TLS, sessions that are resumed (ssl_session_cache).
advice-rate-limit = If the limit is meant, nothing is wrong, and this is the load that is let through; else raise it to what the service was found to carry.
advice-failed-requests = { $code ->
        [status401] The request carries no valid credentials: a login before it, or a token that is not expired.
        [status403] The server forbids it: a permission, a firewall for applications, or a check of the origin.
        [status404] The path is not there: look at the plan's paths and the server's context path.
        [status500] The service fails by itself: its log has the exception.
        [status502] The proxy got no valid answer from behind: the service is down, restarts, or closes connections (the proxy's error log says which).
        [status503] The service or the proxy says that it is overloaded or has nobody to serve it: look for a full pool or queue, a circuit breaker, or a limit of the proxy.
        [status504] The proxy waited in vain for an answer from behind: what is behind is too slow for its time limit.
       *[other] The service's log has the reason.
    }
advice-semaphore = Hand out more permits (about { $wanted } would be wanted at this load) if what they guard has room, or hold one for a shorter time ({ $code }).
advice-full-queue = Find who takes from the queue that { $code } fills, and make that faster or give it more threads. A longer queue only helps with short bursts; where a loss is allowed, do not wait (offer).
advice-object-pool = Put more things into the pool (about { $wanted } would be wanted at this load) if what they stand for has room, or use one for a shorter time ({ $code }).
advice-unanswered-requests = { $kind ->
        [connection_refused] Nobody listens at that port, or the accept queue is full and refuses (net.ipv4.tcp_abort_on_overflow): look whether the process lives, and since when.
        [connect_timeout] Connections are not made: a firewall, a full accept queue, or a host that is not there.
        [read_timeout] Take thread dumps (--watch-allow-capture) and read the server's log: a thread that died of an error (OutOfMemoryError), a dispatcher that is held up, or another system that does not answer.
       *[other] The server, or what is before it, closes connections: read its log, and compare its time-outs and limits with the clients'.
    }
advice-split-answers = Write head and body of an answer at once, or switch off the holding back: TCP_NODELAY on the server's sockets (nginx: tcp_nodelay on; Java: Socket.setTcpNoDelay(true)).
advice-new-threads = Hand the tasks to a pool that lives as long as the server (an ExecutorService, Spring's TaskExecutor with a bound), or use virtual threads (JDK 21).
advice-child-processes = Do the work inside the server (a library in place of the program), keep its result, or hand it to a few workers that stay alive ({ $code }).
advice-slow-names = Names are looked up in { $code } for each request: keep the answers (networkaddress.cache.ttl and networkaddress.cache.negative.ttl in java.security; a caching resolver on the host), look at the name servers and search domains in /etc/resolv.conf (in Kubernetes ndots: 5 asks several times for each name), and switch off reverse lookups (Tomcat: enableLookups).
advice-single-thread = { $program ->
        [nginx] One worker for each CPU.
        [node] Run one process for each CPU: the cluster module, PM2's cluster mode (instances: max), or several instances behind the proxy; take computing out of the event loop (worker_threads).
        [python] Run one process for each CPU: gunicorn or uvicorn --workers, uWSGI processes, or several instances behind the proxy.
        [ruby] Run one process for each CPU: Puma's workers, Unicorn's worker_processes, or several instances behind the proxy.
        [redis] Send fewer or cheaper commands for a request (MGET, pipelines), read from replicas, or spread the keys over several instances (Redis Cluster); io-threads help where large values are carried.
        [valkey] Send fewer or cheaper commands for a request (MGET, pipelines), read from replicas, or spread the keys over several instances (cluster mode); io-threads help where large values are carried.
       *[other] Let several threads or processes do this work, one for each CPU; or do less of it for a request.
    }
advice-task-threads = { $wanted } tasks are wanted at once at this load. Tasks that wait want a pool of their own: one that is shared by the whole JVM is as large as the number of CPUs.
advice-worker-threads = { $in_flight } requests are in flight at this load; so many threads serve them at once. A thread costs about 1 MB of stack.
advice-max-connections = A kept connection costs little; the limit must be above the number of clients.
advice-accept-queue = The queue holds bursts that the server accepts a little later; the kernel's net.core.somaxconn is an upper limit.
advice-accept-queue-threads = A longer queue alone makes clients wait instead of fail: raise server.tomcat.threads.max and server.tomcat.max-connections too, if they are full.
advice-slow-dependency = Ask less often: keep the answers of { $code } for some seconds, ask in parallel, or have that system made faster.
advice-own-wait = If the pause is meant, nothing is wrong; else find out what the code waits for.
advice-full-scan = Create an index on the columns of the condition, or write the condition so that an index can serve it (no function on the column, no <>, no leading wildcard). It is called in { $code }.
advice-many-queries = Fetch all rows with one statement: IN, a join, a batch, the mapper's fetch join or batch size. They are sent in { $code }.
advice-row-locks = Keep transactions short, touch hot rows last, spread counters over several rows, and have an index for every condition of an UPDATE.
advice-table-locks = Find the transaction that uses the table for long (information_schema.INNODB_TRX by trx_started; performance_schema.metadata_locks) and end it; change tables at quiet times, with a short lock_wait_timeout, or by a tool that copies them (gh-ost, pt-online-schema-change); take backups without FLUSH TABLES WITH READ LOCK.
advice-slow-statement = Make this statement faster (see its plan), run it less often, or keep its result. It is called in { $code }.
advice-slow-database = Find out what the database does in { $code }: its slow statements, its CPU, its locks.
advice-many-round-trips = Ask for all keys of a request in one call ({ $proposed }) in { $code }.
advice-slow-command = Use a command that works on less: SCAN for KEYS, parts of large hashes and lists, smaller values. It is called in { $code }.
advice-cache-misses = Look at what is asked for: keys that never exist, times to live that are too short, a cold cache.
advice-cache-evictions = More memory keeps more keys; or a shorter time to live for what is not worth it.
advice-compress = Compressed text has a fifth to a tenth of the bytes; it costs CPU, of which there is room.
advice-network-full = Send less: smaller pages, fewer fields, cached answers; or take a faster or a second link.
advice-packet-loss = Look for queues that overflow, duplex mismatch, overloaded links or hosts on the way.
advice-upstream-keepalive = In the block `{ $block }`: so many idle connections are kept by each worker. It takes effect only with `proxy_http_version 1.1;` and `proxy_set_header Connection "";` beside proxy_pass.
advice-close-wait = Close the socket in every case when the client has ended: after the end of the stream, after a timeout, after an exception (try-with-resources).
advice-access-log = A line for each request is a write call; switch the log off, sample it, or write it with `buffer=64k flush=1s`.
advice-proxy-workers = One worker for each CPU; more only take turns.
advice-proxy-keepalive = The number counts for each worker: it should be above the requests that a worker has with the upstream at once.
advice-worker-connections = The number counts connections of both sides of each worker; worker_rlimit_nofile must be above it.
advice-session-leak = Make a session only for those who log in: getSession(false), session creation policy STATELESS for interfaces.
advice-session-timeout = Until then a short time-out limits what is kept: sessions kept = rate × time-out.
advice-heap-full = More memory helps if it stays level; if the class above grows on, find who keeps it (a heap dump's dominators).
advice-gc-pauses = More room makes collections rarer; allocating less for a request makes them rarer too.
advice-explicit-gc = The JVM then ignores such calls; or take the call out of { $code }. Where memory outside the heap waits for collections (direct buffers), -XX:+ExplicitGCInvokesConcurrent is the gentler setting.
advice-swapping = Lower heaps and pools until all fits into memory, or add memory.
advice-oom-kill = Heap, stacks, buffers and page cache together must fit into the limit.
advice-growing-file = Do not read the whole file for each request in { $code }: keep an index in memory, and rotate the file.
advice-disk-busy = Write less (logs, flushes), write in larger pieces, or take a faster disk.
advice-disk-full = Rotate and delete logs; give data a file system of its own.
advice-file-descriptors = A busy server needs one for each connection, both sides, and more for files.
advice-hop-latency = Look at this hop first: give it CPU, or do less there for a request.
advice-hop-alone = Look at this hop first: what it computes, and whom it waits for, in one request. No larger pool or more threads make a single request quicker.

event-of-target-restart = restarts of { $name }
event-of-target-full-gc = full garbage collections of { $name }
event-of-target-accept-queue = overflows of an accept queue on { $name }
event-of-target-no-port = missing local ports of { $name }
event-of-target-pool-timeout = time-outs of a connection pool of { $name }
exhibit-demand-steps = { $name }: a request needs { $first } ms of it at load { $from } and { $last } ms at { $to }; by the lighter loads it bounds the throughput to { $bound }/s, and at most { $largest }/s were reached{ $predicts ->
    [1] : this is what limits.
   *[other] .
}
exhibit-demand-grows = { $name }: what a request needs of it grows with the load, from { $first } ms at { $from } to { $last } ms at { $to } (by { $growth } %): contention. The lighter loads promised { $bound }/s; { $largest }/s were reached{ $predicts ->
    [1] : this is what limits.
   *[other] .
}
exhibit-jfr-samples = From { $count } CPU samples of the flight recorder, which do not wait for safepoints.
exhibit-profile-samples = { $count } CPU samples of async-profiler say so.
exhibit-kernel-samples = { $count } CPU samples, taken by the kernel, say so; who calls it is from the thread dumps.
exhibit-jfr-waits = The flight recorder saw { $count } waits to enter { $class }: { $waiting } threads waited on average, { $percent } % of the requests in flight.
exhibit-profile-waits = async-profiler saw { $waiting } threads on average wait for { $class } ({ $percent } % of the requests in flight).
exhibit-errors-with-event = { $percent } % of the errors fall into the seconds of { $event } ({ $count } times), which are { $expected } % of the time; p = { $p } by shifting one against the other.
advice-event-restart = Find out why it ended: its own log, the kernel's (out of memory), its supervisor. Restart behind a load balancer that waits for running requests.
advice-event-full-gc = While everything stands still requests run into time-outs: make full collections rarer (heap, what it keeps) or shorter (another collector).
advice-event-accept-queue = Accept faster (threads, keep-alive) or let more wait (accept count, net.core.somaxconn).
advice-event-no-port = Keep connections open to what is behind, or use more addresses.
advice-event-pool-timeout = See who holds connections for long in these seconds; more connections help only if what is behind has room.

## How it is shown.

diagnosis-title = What limits
diagnosis-demands = What a request needs of each resource, over the loads (D = U / X)
diagnosis-explains = explains
diagnosis-share = about { $percent } % of the { $of }; confidence { $confidence } %
diagnosis-of-response-time = response time
diagnosis-of-throughput = throughput that is lost
diagnosis-of-errors = failed requests
diagnosis-of-measurement = measurement
diagnosis-layer = kind
diagnosis-layer-measurement = the measurement itself
diagnosis-layer-cause = a cause
diagnosis-layer-resource = a resource that is used up
diagnosis-layer-hint = a side remark: it does not limit
diagnosis-experiment = To confirm: { $text }
diagnosis-capture = capture { $number }
diagnosis-unknown = unknown
diagnosis-source = Rule: { $source }
diagnose-evidence-saved = Evidence written: { $path }
diagnose-evidence-damaged = { $path } holds no evidence that can be read: { $reason }. Write it with `plimsoll diagnose RUN --save-evidence FILE`.
