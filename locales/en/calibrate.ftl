# plimsoll calibrate

calibrate-no-url = "{ $url }" is not a URL. calibrate loads a page that never changes: give a URL that begins with http:// or https://, or none for the built-in page.
calibrate-no-page = The built-in page cannot be served: { $reason }. Give the URL of a constant page instead.
calibrate-unreachable = The page cannot be reached.
calibrate-page-fails = { $percent } % of the requests failed: a page that fails says nothing about the generator. Give one that responds to every request, or none for the built-in page.
calibrate-nothing-measured = Nothing was measured: no request completed, or the system does not report the CPU time of threads. Hold each step longer with --step-seconds.
calibrate-interrupted = Interrupted: nothing was stored.
calibrate-measuring = { $users ->
    [one] { $users } user
   *[other] { $users } users
}
calibrate-generator-cpus = Generator CPUs
calibrate-page-cpus = Page CPUs
calibrate-ceiling = This generator reached { $measured } requests/s with { $threads ->
    [one] one load thread
   *[other] { $threads } load threads
} at { $users } users. A request costs it { $micros } µs of CPU: that is { $core } requests/s for each core, and { $all } for all { $cpus } CPUs it may use if nothing else runs on them.
calibrate-limit-generator = The load threads saturated their CPUs: this is the generator's own ceiling.
calibrate-limit-shared-cpus = The load threads waited for CPUs that others used, the page's server among them. The throughput is what the machine gives both; what the generator can do alone follows from its CPU time per request.
calibrate-limit-page = The page was the bottleneck, not the generator. The generator can do at least this much; what it can do follows from its CPU time per request.
calibrate-limit-not-reached = Throughput still rose at the largest number of users tried: the generator can do at least this much. Try more with --users.
calibrate-page-share = Serving the built-in page took { $percent } % of the CPU time of a request. A target on another machine needs none of it.
calibrate-waited = The load threads were ready to run but had no CPU for { $percent } % of the time: something else ran there (with few CPUs, the page's server too). Repeat on an idle machine.
calibrate-kept = Stored in { $path }: runs on this machine are compared with it.
