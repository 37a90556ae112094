# plimsoll calibrate

calibrate-no-url = "{ $url }" is not a URL: calibrate loads a constant page, so give one that begins with http:// or https://, or none for the built-in page.
calibrate-no-page = The built-in page cannot be served: { $reason }. Name a constant page by its URL instead.
calibrate-unreachable = The page cannot be reached.
calibrate-page-fails = { $percent } % of the requests failed: a page that fails says nothing of the generator. Name one that answers every request, or none for the built-in page.
calibrate-nothing-measured = Nothing was measured: no request ended, or the system does not tell the CPU time of threads. Hold each step longer with --step-seconds.
calibrate-interrupted = Interrupted: nothing was kept.
calibrate-measuring = { $users ->
    [one] { $users } user
   *[other] { $users } users
}
calibrate-generator-cpus = Generator CPUs
calibrate-page-cpus = Page CPUs
calibrate-ceiling = This generator did { $measured } requests/s with { $threads ->
    [one] one load thread
   *[other] { $threads } load threads
} at { $users } users. A request costs it { $micros } µs of CPU: that is { $core } requests/s for each core, and { $all } for all it may use ({ $cpus }) if nothing else ran on them.
calibrate-limit-generator = The load threads used up their CPUs: this is the generator's own ceiling.
calibrate-limit-shared-cpus = The load threads waited for CPUs that others used, the page's server among them: the throughput is what the machine gives both; what the generator gives alone follows from its CPU for a request.
calibrate-limit-page = The page was the limit, not the generator: it can do at least so much; what it can do follows from its CPU for a request.
calibrate-limit-not-reached = Throughput still rose with the most users that were tried: it can do at least so much. Try more with --users.
calibrate-page-share = Serving the built-in page took { $percent } % of the CPU time of a request. A target on another machine takes none of it.
calibrate-waited = The load threads were ready and had no CPU for { $percent } % of the time: something else ran there (on few CPUs the page's server, too). Repeat on a quiet machine.
calibrate-kept = Kept in { $path }: runs on this machine are held against it.
