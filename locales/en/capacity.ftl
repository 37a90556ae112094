# plimsoll capacity and plimsoll size

capacity-no-goal = No goal is given. Say what must hold, for example --goal "p95 < 300 ms" --goal "errors < 0.1 %".
capacity-bad-goal = The goal "{ $goal }" does not limit the load: more load does not break it. Give upper limits on response times or errors, such as p95 < 300 ms or errors < 0.1 %.
capacity-in-order = The plan's scenarios run one after another, so its load is not one number. Search each scenario in a plan of its own.
capacity-mixed = Some scenarios of the plan have users and some a rate, so its load is not one number. Search each kind in a plan of its own.
capacity-no-load = The plan has no load to scale: none of its scenarios has users or a rate.
capacity-two-units = --from and --to must both be users (50) or both be rates (50/s).
capacity-from-above-to = --from is above --to.
capacity-interrupted = Interrupted: there is no result. The runs made so far are kept.
capacity-interrupted-missed = Interrupted after { $count ->
        [1] 1 measurement
       *[other] { $count } measurements
    }. So far no load met the goals: they are already missed at { $load }.
capacity-interrupted-between = Interrupted after { $count ->
        [1] 1 measurement
       *[other] { $count } measurements
    }. So far the capacity lies between { $low } and { $high }.
capacity-interrupted-met = Interrupted after { $count ->
        [1] 1 measurement
       *[other] { $count } measurements
    }. So far the goals are met at { $load }, and no load missed them.
capacity-unreachable = The target cannot be reached.
capacity-warm-up = Warming up for { $seconds } s.
capacity-measuring = Measurement { $number } (at most { $most }): { $load }, { $phase }
capacity-phase-bracket = finding the range
capacity-phase-narrow = narrowing
capacity-phase-repeat = repeating
capacity-worst = Nearest to its limit
capacity-outcome = Outcome
capacity-met = goals met
capacity-missed = missed
capacity-stopped-early = stopped early
capacity-fell-behind = fell behind
capacity-unclear = may fall behind
capacity-unsteady = not steady
capacity-limited = generator was the bottleneck
capacity-found = The goals are met up to { $load } (95 % confidence interval { $low } to { $high }, { $apart } % wide; { $count } measurements).
capacity-not-as-asked = The interval is wider than the { $asked } % asked for: near the limit the figures scatter too much to tell loads apart. Hold each load longer (--step-seconds) or measure the ends more often (--repeats).
capacity-met-at-largest = The goals are still met at { $load }, the largest load tried: the capacity lies above it. Raise --to.
capacity-missed-at-smallest = No load meets the goals: they are already missed at { $load }.
capacity-wide = The goals are met up to about { $load }, but the { $count } measurements ran out first: the capacity lies between { $low } and { $high }. Allow more with --max-measurements.
capacity-no-limit-seen = The goals are met at { $load }, and no load missed them. Allow more measurements with --max-measurements.
capacity-beyond = Just beyond it, at { $load }, "{ $goal }" is missed: { $observed } (run { $run }).
capacity-beyond-behind = Just beyond it, at { $load }, the target falls behind: ever more requests are in flight, although "{ $goal }" was still met in the measured time (run { $run }).
capacity-beyond-unclear = Just beyond it, at { $load }, it cannot be told whether the target keeps up: requests in flight rose, but no more than chance allows in so short a time. Hold each load longer (--step-seconds; run { $run }).
capacity-generator = The load generator was the bottleneck there: this is its capacity, not the target's. Give it more CPU, or run it on another host than the target's.
capacity-diagnosis = The bottleneck there:
event-out-of-reach = The goal "{ $name }" can no longer be met: the measurement ends early, to spare the target.
event-silent = There has been no response for { $seconds } s: the measurement ends.

size-nothing-known = There is nothing to calculate from. Give --visits-per-day, --tps, --users or --cores; --response-time adds threads and pools. Example: plimsoll size --visits-per-day 1000000 --response-time 200ms --think-time 3s --cores 4
size-response-zero = --response-time must be above 0.
size-users-need-response = The throughput of users depends on their response time: give --response-time, for example --response-time 200ms.
size-tps-of-visits =
    Target throughput: { $tps } requests/s, at least.
      ({ $share } % × { $visits } visits) / ({ $day } % × 86,400 s)
      Rule of thumb ({ $usual-share } % of a day's visits come in { $usual-day } % of the day). Multiply by the requests of one visit; a log of real traffic is better.
size-users =
    Concurrent users: { $users }.
      N = X · (R + Z) = { $tps }/s × ({ $response } s + { $think } s)
      Little's law (1961), with think time: a theorem.
size-tps-of-users =
    Throughput of { $users } users: { $tps } requests/s.
      X = N / (R + Z) = { $users } / ({ $response } s + { $think } s)
      Little's law (1961), with think time: a theorem.
size-threads =
    Worker threads: start with { $threads }; { $busy } are busy on average{ $cores ->
        [0] .
       *[other] , rounded up to a multiple of { $cores } cores.
    }
      X · R = { $tps }/s × { $response } s, which is TPS / (1000 ms / RT)
      Little's law (1961). It is a mean: bursts need more. Confirm it with a load test.
size-short-response = At a mean response time under { $limit } ms threads are seldom the bottleneck (rule of thumb).
size-pool =
    Database connections: start with { $pool }.
      { $share } % of the worker threads
      Rule of thumb; tune it with a load test.
size-needs-response = With --response-time, users, threads and pools are calculated too.
size-host =
    Web threads of a host with { $cores } cores: about { $threads }; their stacks take up to { $memory } MiB.
      { $each } × cores; { $stack } MiB of stack for each thread
      Rule of thumb (1 core 2 GB: 200; 4 cores 8 GB: 800; 8 cores 16 GB: 1,600), for threads that mostly wait.
size-memory-short = The stacks ({ $stacks } MiB) would take more than half of the host's memory ({ $memory } MiB): use fewer threads.
size-ramp =
    Ramp-up to { $users } users: cautious { $careful } s (1 to 2 users/s), moderate { $gentle } s (3 to 6 users/s), fast { $fast } s (13 to 20 users/s).
      users / (users per second)
      Rule of thumb. Start with the cautious one.
size-measure = These figures are a starting point. What holds for your service, only a measurement tells: plimsoll capacity.
