## What comes of a diagnosis.

diagnosis-found = What limits: { $title }
diagnosis-healthy = At its limit, as it should be: { $title }
diagnosis-nothing = Nothing limits: no resource and no pool of the target was used up.
diagnosis-insufficient = Not enough was watched to say what limits.
diagnosis-missing-all = The target was not watched. On its own host run with `--watch auto --watch-allow-capture`, from another with an agent there (`plimsoll agent`).
diagnosis-missing-stacks = No thread dumps under load: run with `--watch-allow-capture`, so that locks, pools and code can be named.
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

finding-cold-start = Measured before it was warm: throughput still rose by { $percent } %
finding-cold-start-means = Under an even load { $object } became faster and faster while the JIT compiled: the average says little about the steady state.
finding-cold-start-experiment = Repeat with the longer warm-up; beginning and end of the measured time must then agree.

finding-cpu = CPU bound: { $object } uses { $used } of { $limit } CPUs
finding-cpu-means = The processor does work for requests nearly all the time. More threads or larger pools only move the queue; less work for a request or more CPU lifts the limit.
finding-cpu-experiment = Give it more CPU and measure again: throughput should rise in proportion. Or profile the code named in the evidence.
finding-database-cpu = The database is out of CPU: { $object } uses { $used } of { $limit } CPUs
finding-database-cpu-means = The database computes nearly all the time. Applications before it can only wait.
finding-database-cpu-experiment = Give the database more CPU, or take its most expensive statement away, and measure again.
finding-proxy-cpu = The proxy is out of CPU: { $object } uses { $used } of { $limit } CPUs
finding-proxy-cpu-means = The proxy itself computes nearly all the time; what is behind it has room.
finding-proxy-cpu-experiment = Load what is behind the proxy directly: if that carries more, the proxy is the limit.
finding-cache-cpu = The cache is out of CPU: { $object } uses { $used } of { $limit } CPUs
finding-cache-cpu-means = The cache runs commands on one thread, and that is busy nearly all the time.
finding-cache-cpu-experiment = Use fewer or cheaper commands for a request and measure again.

finding-hot-code = { $percent } % of the working threads are in { $library }
finding-hot-code-means = The CPU is used up, and most of it by one library, called from { $own }. Work that is done several times, or by a slow library, can be saved.
finding-hot-code-experiment = Keep the result for the request or use a faster library, and measure again.

finding-lock = A lock lets one request at a time pass: { $object }
finding-lock-means = { $waiting } threads wait at once to enter { $waits_in }. Whatever the number of users and threads, throughput is one divided by the time the lock is held.
finding-lock-experiment = Double the users: if throughput stays the same and the response time doubles, the lock is confirmed. Then take the slow part out of it and measure again.
finding-deadlock = Threads wait for each other for ever: { $object }
finding-deadlock-means = Each of them holds a lock that another one wants. They never end, and neither do their requests.
finding-deadlock-experiment = Take the locks in one order everywhere and repeat the load.

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

finding-worker-threads = All { $limit } worker threads of { $object } are busy, and more requests wait
finding-worker-threads-means = A request waits for a free thread for { $percent } % of its time. The threads wait themselves for something that has room, so more of them can serve more.
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
finding-own-wait-means = { $percent } % of the time of a request is a pause of the code's own. Nothing is used up: more users bring more throughput.
finding-own-wait-experiment = Double the users: throughput should double at the same response time.

## Evidence.

exhibit-no-local-port = { $count } requests failed because the generator had no free local port (EADDRNOTAVAIL).
exhibit-generator-cpu = In { $percent } % of the seconds a load thread used over { $limit } of its CPU; at most { $worst }.
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
exhibit-hot = { $percent } % of the working threads are in { $name }.
exhibit-library = { $percent } % of the working threads compute in { $name }, called from { $own }.
exhibit-lock-waiters = { $count } threads at once ({ $percent } % of those that work) wait for a { $lock } in { $code }.
exhibit-lock-owner = The thread that holds it is in { $code }.
exhibit-deadlock = In a circle: { $threads }.
exhibit-logging = { $percent } % of the working threads are in the logging framework, { $waiting } % wait for its lock; called from { $code }.
exhibit-log-events = Log events for each request: { $debug } debug and trace, { $others } others.
exhibit-pool = { $used } of { $limit } connections are out, and { $pending } requests wait for one: { $percent } % of those in flight.
exhibit-pool-times = A connection is out for { $use } ms on average, and had after { $wait } ms.
exhibit-pool-waiters = { $count } threads at once ({ $percent } % of those that work) wait for a connection in { $code }.
exhibit-held-over-call = Threads that have a connection mostly wait for something else, in { $code }.
exhibit-full-below = { $name } is out of CPU: more before it would only wait there.
exhibit-workers = { $busy } of { $limit } threads are busy on average, with { $in_flight } requests in flight: a request waits for a thread for { $percent } % of its time.
exhibit-workers-wait = But { $percent } % of the threads wait for a lock or a connection themselves: more threads would wait there too.
exhibit-connections = { $open } of { $limit } connections are open, { $kept } of them between two requests.
exhibit-overflows = { $count } connections found the accept queue full.
exhibit-listen-queue = The queue of port { $port } held { $length } connections; its limit is { $limit }.
exhibit-dependency = { $percent } % of the working threads wait for an answer in { $code }.
exhibit-call-time = Calls to { $address } take { $ms } ms on average.
exhibit-own-wait = { $percent } % of the working threads pause in { $code }.

## Advice.

advice-generator-cpu = Give the generator more CPU, or load from several hosts.
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
advice-deadlock = Take locks in one order everywhere, or use one lock.
advice-log-level = Debug and trace events are not needed in production; formatting them costs CPU, writing them a lock.
advice-log-appender = Log less here, or put an asynchronous appender before the file, so that threads do not wait for each other.
advice-connection-held = Give the connection back before the call to another system ({ $code }), or make the call before the transaction.
advice-connection-pool = { $wanted } connections would be wanted at this load; the database must allow as many. Try doubling first and look whether the database gets busy.
advice-outgoing-pool = About { $wanted } connections would be wanted at this load. Apache HttpClient: setMaxConnPerRoute and setMaxConnTotal (default 5 and 25 in version 5, 2 and 20 in 4).
advice-worker-threads = { $in_flight } requests are in flight at this load; so many threads serve them at once. A thread costs about 1 MB of stack.
advice-max-connections = A kept connection costs little; the limit must be above the number of clients.
advice-accept-queue = The queue holds bursts that the server accepts a little later; the kernel's net.core.somaxconn is an upper limit.
advice-accept-queue-threads = A longer queue alone makes clients wait instead of fail: raise server.tomcat.threads.max and server.tomcat.max-connections too, if they are full.
advice-slow-dependency = Ask less often: keep the answers of { $code } for some seconds, ask in parallel, or have that system made faster.
advice-own-wait = If the pause is meant, nothing is wrong; else find out what the code waits for.

## How it is shown.

diagnosis-title = What limits
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
