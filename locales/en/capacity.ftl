# plimsoll capacity and plimsoll size

capacity-no-goal = No goal is given: say what must hold, for example --goal "p95 < 300 ms" --goal "errors < 0.1 %".
capacity-bad-goal = The goal "{ $goal }" is not a limit of load: more load does not break it. Give goals on response times or errors that say "at most", as p95 < 300 ms or errors < 0.1 %.
capacity-in-order = The plan's scenarios run one after the other: its load is not one number. Search each scenario in a plan of its own.
capacity-mixed = Some scenarios of the plan have users and some a rate: its load is not one number. Search each kind in a plan of its own.
capacity-no-load = The plan has no load to scale: none of its scenarios has users or a rate.
capacity-two-units = --from and --to must both be users (50) or both be rates (50/s).
capacity-from-above-to = --from is above --to.
capacity-interrupted = Interrupted: there is not an answer. The runs made so far are kept.
capacity-interrupted-missed = Interrupted after { $count } measurements. So far no load met the goals: they are missed at { $load } already.
capacity-interrupted-between = Interrupted after { $count } measurements. So far the limit lies between { $low } and { $high }.
capacity-interrupted-met = Interrupted after { $count } measurements. So far the goals are met at { $load }, and no load was seen to miss them.
capacity-unreachable = The target cannot be reached.
capacity-warm-up = Warming up for { $seconds } s.
capacity-measuring = Measurement { $number } (at most { $most }): { $load }, { $phase }
capacity-phase-bracket = looking for the range
capacity-phase-narrow = closing in
capacity-phase-repeat = making sure
capacity-worst = Nearest to its limit
capacity-outcome = Outcome
capacity-met = goals met
capacity-missed = missed
capacity-stopped-early = stopped early
capacity-fell-behind = fell behind
capacity-unsteady = not steady
capacity-limited = generator limited
capacity-found = The goals are met up to { $load } (95 % confidence interval { $low } to { $high }, { $apart } % apart; { $count } measurements).
capacity-not-as-asked = The ends lie further apart than the { $asked } % asked for: near the limit the figures scatter too much to tell loads apart. Hold each load longer (--step-seconds) or measure the ends more often (--repeats).
capacity-met-at-largest = The goals are still met at { $load }, the largest load that was tried: the limit lies above it. Raise --to.
capacity-missed-at-smallest = No load meets the goals: they are missed at { $load } already.
capacity-wide = The goals are met up to about { $load }, but the { $count } measurements ended first: the limit lies between { $low } and { $high }. Allow more with --max-measurements.
capacity-no-limit-seen = The goals are met at { $load }, and no load was seen to miss them: allow more with --max-measurements.
capacity-beyond = Just beyond it, at { $load }, "{ $goal }" is missed: { $observed } (run { $run }).
capacity-generator = The load generator was the limit there: this is its capacity, not the target's. Give it more CPU, or another host than the target's.
capacity-diagnosis = What limits it there:
event-out-of-reach = The goal "{ $name }" is out of reach: the measurement is ended so as not to hurt the target.
event-silent = Nothing has been answered for { $seconds } s: the measurement is ended.

size-nothing-known = Nothing is known to calculate from. Give --visits-per-day, --tps, --users or --cores; with --response-time also threads and pools. Example: plimsoll size --visits-per-day 1000000 --response-time 200ms --think-time 3s --cores 4
size-response-zero = --response-time must be above 0.
size-users-need-response = Throughput of users needs their response time: give --response-time, for example --response-time 200ms.
size-tps-of-visits =
    Target throughput: { $tps } requests/s, at least.
      ({ $share } % × { $visits } visits) / ({ $day } % × 86,400 s)
      Rule of thumb ({ $usual-share } % of a day's visits come in { $usual-day } % of the day). Count the requests of one visit yourself; a log of real traffic is better.
size-users =
    Users at once: { $users }.
      N = X · (R + Z) = { $tps }/s × ({ $response } s + { $think } s)
      Little's law (1961), with think time: a theorem.
size-tps-of-users =
    Throughput of { $users } users: { $tps } requests/s.
      X = N / (R + Z) = { $users } / ({ $response } s + { $think } s)
      Little's law (1961), with think time: a theorem.
size-threads =
    Worker threads: { $threads } to begin with; { $busy } are busy on average{ $cores ->
        [0] .
       *[other] , raised to a multiple of { $cores } cores.
    }
      X · R = { $tps }/s × { $response } s, which is TPS / (1000 ms / RT)
      Little's law (1961). It is a mean: bursts need more. Confirm by a test.
size-short-response = At a mean response time under { $limit } ms threads are seldom the limit (rule of thumb).
size-pool =
    Database connections: { $pool } to begin with.
      { $share } % of the worker threads
      Rule of thumb; adjust by a test.
size-needs-response = With --response-time, users, threads and pools are calculated too.
size-host =
    Web threads of a host with { $cores } cores: about { $threads }; their stacks take up to { $memory } MiB.
      { $each } × cores; { $stack } MiB of stack for each thread
      Rule of thumb (1 core 2 GB: 200; 4 cores 8 GB: 800; 8 cores 16 GB: 1,600), for threads that mostly wait.
size-memory-short = The stacks ({ $stacks } MiB) would take more than half of the host's memory ({ $memory } MiB): use fewer threads.
size-ramp =
    Ramp-up to { $users } users: careful { $careful } s (1 to 2 users/s), gentle { $gentle } s (3 to 6 users/s), fast { $fast } s (13 to 20 users/s).
      users / (users per second)
      Rule of thumb. Begin careful.
size-measure = These figures are where to begin. What holds for your service only a measurement tells: plimsoll capacity.
