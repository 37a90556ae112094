# Load from many machines: what the controller and the workers tell.

## The worker

fleet-worker-ready = Worker { $name } is ready. It accepts runs from anyone who may publish on its subjects; Ctrl-C ends it.
fleet-worker-prepared = Run { $run }: ready to begin.
fleet-worker-begins = Run { $run }: share { $share } of { $count }.
fleet-worker-finished = Run { $run } is over.
fleet-worker-forsaken = Run { $run }: its controller has been silent for too long; the run is given up.
fleet-worker-leaves = The shares are being given back and the last reports sent. Ctrl-C again ends at once.
fleet-worker-busy = Worker { $name } is busy with another run or about to end.
fleet-other-run = Worker { $name } has no part in this run.
fleet-not-ready = The worker is not ready for this run.
fleet-bad-order = An order that cannot be used: { $reason }.
fleet-bad-message = A response that cannot be used: { $reason }. Are all workers of the same version?
fleet-engine-failed = The plan could not be made ready: { $reason }.
fleet-report-too-long = A second's report cannot be sent: { $reason }. Fewer labels made from variables make it shorter.
fleet-bad-name = The name “{ $name }” cannot be used. Allowed are at most 64 letters, digits, “-” and “_”.
fleet-name-taken = Another worker is called { $name }: it runs on { $host }. Give this one another --name.
fleet-link-ended = The connection to NATS has ended.

## What a worker refuses

fleet-plan-rejected = The plan cannot be used on this worker: { $reason }
fleet-plan-rejected-at = The plan cannot be used on this worker (line { $line }): { $reason }

## The controller

fleet-too-few-workers = { $found } of { $wanted } workers are available{ $others }. Start more with “plimsoll worker”, or see “plimsoll workers”.
fleet-no-others = {""}
fleet-worker-gone = Worker { $name } is gone: it ended, or its host cannot be reached. See “plimsoll workers”.
fleet-worker-refused = Worker { $name } refuses: { $reason }
fleet-clock-unknown = The clock of worker { $name } is known only to within { $error_ms } ms; at most { $limit_ms } ms are allowed. Use a faster network path to it, or raise --clock-error.
fleet-start-too-slow = The workers did not receive the order to begin in time. Try again; if it persists, the network path to them is too slow.
fleet-cannot-share = The plan cannot be shared over workers: { $reason }. With --each every worker runs all of it.
fleet-no-runtime = The system refuses what the connection needs: { $reason }.
fleet-interrupted = Interrupted before the load began: no run was stored.
fleet-no-workers = A run over 0 workers makes no load: give --workers at least 1.
fleet-jtl-with-workers = With workers there is no single --jtl: samples stay where they are made. Start the workers with --jtl-dir DIR instead; each then writes its samples to a file there, which the run's result names.
fleet-bundle-unreadable = { $path }: { $reason }. It is named by the plan or by --bundle.
fleet-bundle-outside = { $path } lies outside the plan's folder { $folder }, so it is not sent to workers. Put it below that folder; a link there that leads out of it is sent if --bundle names it.
fleet-resumed = Run { $name } is resumed at { $at } s.
fleet-nothing-to-resume = { $name } has no data of workers: only a run with --workers can be resumed.
fleet-workers-gone = None of the run's workers responds.
fleet-shares-stay = If a worker is lost, its share will not move to another: { $reason }
fleet-workers-chosen = Workers: { $names }.

## What happens

event-fleet-silent = Worker { $name } has been silent since { $since } s.
event-fleet-back = Worker { $name } responds again.
event-fleet-moved = Share { $share } of { $count } moves from { $from } to { $to }; it continues at { $at } s.
event-fleet-unserved = Share { $share } of { $count } has had no worker since { $since } s, and none has room: the run continues with less load.
event-fleet-stays = Share { $share } of { $count } has had no worker since { $since } s, and shares of this plan cannot move: the run continues with less load.
event-fleet-released = Worker { $name } gave its share back.
event-fleet-clock = The clock of worker { $name } was known only to within { $error_ms } ms during the run.
event-fleet-store-waits = The run cannot be written: { $reason }. The reports stay in NATS until there is room.
event-fleet-store-goes-on = The run can be written again.
event-fleet-missing = Load was missing: { $part } of it ({ $name }) from { $from } s to { $to } s.
event-fleet-jtl = Worker { $name } writes its samples to { $path }.
event-fleet-withheld = { $count } arrivals were withheld while there was no lease, or after a pause of a load generator; they are not made up for.
event-fleet-lost = Samples of worker { $name } are lost: at most { $most }, between { $from } s and { $to } s.

## In reports

report-fleet = Workers
report-fleet-worker = Worker
report-fleet-host = Host
report-fleet-shares = Shares
report-fleet-clock = Clock offset
report-fleet-generator = Generator
report-fleet-limited = limited: { $reasons }
report-fleet-ok = not limited
report-fleet-missing = Load was missing: { $part } from { $from } s to { $to } s (worker { $name }).
report-fleet-lost = At most { $most } samples of worker { $name } are lost, between { $from } s and { $to } s: it was killed or never came back.
report-fleet-withheld = { $count } arrivals were withheld and not made up for.
report-fleet-incomplete = The load was not complete:

## plimsoll workers

workers-name = Name
workers-state = State
workers-cores = CPUs
workers-version = Version
workers-clock = Clock
workers-labels = Labels
workers-host = Host
workers-health = Health
workers-idle = idle
workers-busy = busy
workers-ending = ending
workers-healthy = healthy
workers-silent = no response
workers-clock-off = clock known only to ± { $error_ms } ms
workers-other-version = other version
workers-twin = name taken twice
workers-none = No worker responds. Start one with: plimsoll worker --nats ADDRESS --name NAME

event-fleet-not-changed = Worker { $name } does not make the changed load as it should: { $reason }
fleet-change-late = it heard of the change { $ms } ms too late and made the load of before until then
fleet-change-unread = it cannot read the change: { $reason }
