# What is said while a run goes on, and when it ends.

event-setup-failed = The setup steps failed; no load was started.
event-outside-failed = { $count } requests of the setup or teardown steps failed: { $kind }.
event-thread-lost = A load thread ended because of a bug in the program; its last second is lost. Please report this.
event-thread-failed = A load thread could not start: { $reason }
event-labels-folded = More than { $limit } different labels: all further ones are counted as { $other }. Give requests with variables in their URL a fixed label.
event-user-failed = A user could not start: { $reason }
event-scenario-stopped-by-plan = The plan ended the scenario { $scenario }: { $step }.
event-user-lost = A virtual user was lost because of a bug in Plimsoll; please report it. Its last request is not in the result.
event-rows-missing = Users of scenario { $scenario } ended at once: each needs a row of its own (order: unique), and the file has { $rows }. Fewer users were at work than the plan says.
event-dropped = All { $limit } users allowed at once in scenario { $scenario } are busy: arrivals that find no free user are counted as dropped iterations (max-in-flight).
event-lease-over = This share of the load has lost its lease, because nothing was heard from the controller in time: it starts no new work until the lease is renewed.
event-lease-back = The lease is renewed: this share of the load continues. It started nothing for { $seconds } s, and what was due meanwhile is not made up.
event-stopping = Stopping: { $in_flight } requests are still in flight and have { $seconds } s to complete. Ctrl-C again cuts them off.
event-stopped-by-plan = The plan ended the run, in scenario { $scenario }: { $step }.
event-step-named = at the step “{ $step }”
event-step-after = at a step after “{ $step }”
event-step-unnamed = at a step before any request
event-no-request = No request was made: { $reason }
no-request-no-step = the plan has no enabled step that sends one.
no-request-no-load = the load has no users and no arrivals.
no-request-warm-up = all of them fell into the warm-up of { $seconds } s, which is left out of the result. Shorten the warm-up or lengthen the load.
no-request-not-reached = every step that sends one stands inside { $steps }, and no iteration got there. Look at their conditions and values.
no-request-ended = no iteration got to a step that sends one before the load ended.
no-request-more = { $steps } and { $more } more
no-request-step = { $kind } (line { $line })
no-request-steps = { $first }, { $next }
no-request-kind-if = if
no-request-kind-while = while
no-request-kind-repeat = repeat
no-request-kind-for-each = for-each
no-request-kind-share = a share of passes
no-request-kind-runtime = a limited time
no-request-kind-choose = a choice
exchange-unknown = { $step } is a step that this build cannot make
exchange-messages-let-go = A WebSocket connection got more messages than its user waited for: beyond 1,024 messages (or 4 MiB) the oldest were let go, and no step saw them.
exchange-no-status = A message has neither status nor headers, so this check can never hold. Check its text, JSON, size or time.
exchange-close-code = { $code } is no code that a client may close with (allowed: 1000, and 3000 to 4999)
exchange-too-long = { $key }: { $bytes } bytes (allowed: { $most })
exchange-encoding = The message cannot be sent: { $reason }
exchange-rate-zero = A rate of 0 sends nothing: write how many messages a second are sent, for example 50/s.
exchange-not-compressed = The server at { $url } did not agree to compress messages: they are sent and received as they are.
event-step-failed = A step other than a request failed in scenario { $scenario }; its iteration was abandoned: { $reason }
event-interrupted = Interrupted: no new requests; those in flight may complete. A second interrupt cuts them off.
event-time-limit = Ended: this server lets a run last { $seconds } s at most. No new requests; those in flight may complete.
event-unreachable = The target cannot be reached: every request of the first second failed to connect.
event-guard = A guard was violated for { $seconds } s and ended the run: { $name } (observed { $value }).
event-goal-abort = A goal was missed for { $seconds } s and ended the run: { $name } (observed { $value }).
event-diagnosis = So far: { $title }
event-store-failed = The run can no longer be written to disk and goes on in memory: { $reason }
event-jtl-failed = The sample log { $path } can no longer be written: { $reason }
event-discarded = { $count } requests only prepared what was measured; they are left out of the result.

run-live = { $elapsed }  { $users } users  { $throughput }/s  p50 { $p50 }  p95 { $p95 }  errors { $errors }
run-live-waiting = { $elapsed }  { $users } users
run-stored = Run { $name } in { $path }
run-written = Written: { $path }
run-not-stored = The run is not stored: { $reason }
run-repeat = Run { $number } of { $count }
run-file-failed = { $path } cannot be written: { $reason }
run-cannot-start = The run cannot start: { $reason }
run-read-plan-failed = The plan { $path } cannot be read: { $reason }
    .remedy = Name a plan file (.yaml) or a URL that begins with http:// or https://.
run-bad-goal = The goal "{ $goal }" is not valid: { $reason }
    .remedy = Write [label:]metric op value unit, for example: p95 < 300ms, login:p99 < 1s, errors < 0.1%, throughput > 500/s
run-url-option = The option { $option } works only with a URL; a plan states this itself.
run-set-with-url = --set needs a plan: a URL has no variables.
run-file-in-use = Another run is writing { $path }. Name another file, or wait until that run has ended.
run-last-not-stored = The last run, started at { $started }, could not be stored. The newest stored run is { $newest }: name it if you mean that one.
stdout-failed = Standard output could not be written: { $reason }
run-reasons = { $first }; { $next }

# What is wrong with a goal.

goal-no-comparison = it has no comparison: write “[label:]metric op value unit”, with one of <, <=, >, >= as op
goal-unknown-metric = at character { $position }: unknown metric “{ $found }”: allowed are p<N> (such as p95 or p99.9), mean, min, max, errors, throughput, each but errors also with “ok.” before it
goal-percentile-range = at character { $position }: the percentile “{ $found }” is not above 0 and at most 100
goal-empty-label = at character { $position }: the label before “:” is empty: leave out the colon too
goal-bad-value = at character { $position }: “{ $found }” is not a number of 0 or more
goal-bad-unit = at character { $position }: the unit “{ $found }” does not fit { $metric }: allowed is { $allowed }

## outputs
output-unknown = There is no output { $name }; allowed are: { $allowed }. Write --output NAME=ADDRESS.
output-unknown-setting = The output { $output } has no setting { $name }; allowed are: { $allowed }.
output-no-address = The output { $output } needs an address: --output { $output }=ADDRESS.
output-bad-address = { $address } is not an address that can be written to; it looks like influxdb=http://HOST:8086/write?db=NAME.
output-no-certificate = { $path } has no certificate. ca-file names a file of PEM with the certificates of the authorities that the receiver's certificate is signed by.
output-environment = { $output }: the variable { $name } of the environment is not set. Set it before the run.
output-with-resume = --output cannot be used with --resume: an output has to hear a run from its begin. Leave it out; the run's own result has everything.
event-output-lost = { $output } did not take everything: { $seconds } s of the load, { $events } events and { $moments } looks at the target are missing there. The run's own result has them. The last reason: { $reason }

event-load-changed = The load is changed: { $what }
event-probe-begins = The result ends here, { $from } s after the start. { $how ->
    [lowered] The load goes on at half of what it was, to see whether requests wait for each other.
   *[raised] The load goes on and is raised to see what room there is.
}
event-probe-changed = { $how ->
    [lowered] The load is lowered by { $percent } %.
   *[raised] The load is raised by { $percent } %.
}
event-probe-refused = The load cannot be raised to see what room there is: { $reason }
load-changed-users = scenario { $scenario }: { $value } users
load-changed-rate = scenario { $scenario }: { $value } arrivals/s
load-changed-rate-times = scenario { $scenario }: arrival rates times { $value }
load-changed-longer = scenario { $scenario }: { $value } s longer
