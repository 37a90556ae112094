# The link between a controller and its workers.

link-nobody = Nobody answers on { $subject }.
link-timed-out = { $what }: no answer within { $seconds } s.
link-missing = { $what } is not there (any more).
link-refused = { $what }: the server refused: { $reason }.
link-failed = { $what }: { $reason }.
