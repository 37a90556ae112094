# The command `compare`. The comparison itself is in report.ftl.

compare-needs-runs = Both sides need at least one run: plimsoll compare A1 A2 -- B1 B2. To make the runs as well: plimsoll compare --interleave PLAN_A PLAN_B --pairs 10.
compare-unequal = --paired needs the same number of runs on both sides, but A has { $a } and B has { $b }. Leave out --paired unless the runs were interleaved.
compare-no-pairs = --pairs must be 1 or more; with fewer than about 5 pairs small differences do not show.
compare-pair = Pair { $number } of { $count }, side { $side }: { $plan }
compare-unreachable = The target could not be reached; the comparison ends.
compare-warn-unrelated = The two sides have no request in common (A: { $a }; B: { $b }): their difference is that of two workloads, not of one workload under two conditions.
compare-warn-other-load = The two sides were loaded differently, which alone can explain a difference (A: { $a }; B: { $b }).
compare-warn-running = Run { $run } is still in progress: its figures cover the time until now.
compare-warn-cut-short = Run { $run } was cut short: its figures cover the time until then.
compare-warn-limited = In run { $run } the load generator was the bottleneck: its figures say little about the target.
compare-warn-ended = Run { $run } did not end as planned: its figures cover the time until then.
compare-warn-empty = Run { $run } has no samples.
compare-warn-no-success = In run { $run } no request succeeded: its figures are those of failures.
