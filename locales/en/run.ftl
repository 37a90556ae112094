# What is said while a run goes on, and when it ends.

event-setup-failed = The setup steps failed; the load was not begun.
event-outside-failed = { $count } requests of the setup or teardown steps failed: { $kind }.
event-thread-lost = A load thread ended by an error of the program; its last second is lost. Please report this.
event-thread-failed = A load thread could not start: { $reason }
event-labels-folded = More than { $limit } different labels: all further ones are counted as { $other }. Give requests with variables in their address a fixed label.
event-user-failed = A user could not start: { $reason }
event-scenario-stopped-by-plan = A step of the plan ended the scenario { $scenario }.
event-user-lost = A user of the load was lost by an error of Plimsoll itself; please report it. Its last request is not in the result.
event-not-started = All { $limit } users allowed at once in scenario { $scenario } are busy: arrivals that find no free user are counted as not started (max-in-flight).
event-stopping = Stopping: { $in_flight } requests are still in flight and have { $seconds } s to end. Ctrl-C again cuts them off.
event-stopped-by-plan = A step of the plan ended the run.
event-step-failed = A step outside the requests failed in scenario { $scenario }; its iteration was left: { $reason }
event-interrupted = Interrupted: no new requests; those in flight may finish. Once more cuts them off.
event-unreachable = The target cannot be reached: every request of the first second failed to connect.
event-guard = Guard broken for { $seconds } s, the run is ended: { $name } (observed { $value }).
event-goal-abort = Goal missed for { $seconds } s, the run is ended: { $name } (observed { $value }).
event-diagnosis = So far: { $title }
event-store-failed = The run can no longer be written to disk and goes on in memory: { $reason }
event-jtl-failed = The sample log { $path } can no longer be written: { $reason }
event-discarded = { $count } requests prepared what was measured; they are left out of the result.

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
run-bad-goal = The goal "{ $goal }" is wrong: { $reason }
    .remedy = Write [label:]metric op value unit, for example: p95 < 300ms, login:p99 < 1s, errors < 0.1%, throughput > 500/s
run-url-option = The option { $option } is for URLs only; a plan says it itself.
run-set-with-url = --set needs a plan: a URL has no variables.
