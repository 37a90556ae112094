# What the workbench says: its problems, and `plimsoll serve`.

serve-begins = The workbench is at { $url }. Ctrl-C ends it.
serve-cut-short = The server before this one was killed; these runs were cut short, and all seconds that had ended are there: { $runs }

problem-not-found = Not found
problem-bad-request = Wrong request
problem-conflict = Not possible now
problem-internal = Failure of the server
problem-plan = The plan has mistakes
problem-store = The folder of the runs failed
problem-run-unreadable = The run cannot be read
problem-host = Wrong host
problem-origin = Another site may change nothing
problem-method = No such method here
problem-too-long = Too long
problem-media-type = Wrong media type
problem-too-slow = Too slow
problem-too-many = Too many connections
server-too-slow = What was sent came too slowly. A request’s body may take { $seconds } s, and a second more for each KiB.
server-no-place-of-one = There are { $most } connections from your address already, and no more are served. Close some, and try again.
server-no-place = There are { $most } connections already, and no more are served. Try again in a few seconds.

server-internal = The server failed at this request. Please report it, with what the terminal of `plimsoll serve` shows.
server-refused = { $reason }
server-detail = { $detail }
server-plan-rejected = { $count ->
    [one] The plan has a mistake, and no run was begun.
   *[other] The plan has { $count } mistakes, and no run was begun.
}
server-foreign-host = This server is not called “{ $host }”. Call it by one of: { $hosts }
server-header-twice = The request has the header { $name } more than once.
server-foreign-origin = A page of { $origin } may change nothing here. Open the workbench by its own address.
server-no-ui = This binary was built without the pages. Build them with “make web” (Node.js 20 or newer), then plimsoll again. The API works all the same:
server-no-path = There is nothing at { $path }. The API is below /api/v1 and described in /api/v1/openapi.json.
server-no-run = There is no run “{ $run }”. GET /api/v1/runs lists all.
server-no-label = The run has no label “{ $label }”. GET /api/v1/runs/RUN/labels lists all.
server-bad-second = “{ $name }” is { $value }; it is seconds from the start of the run, 0 or more.
server-empty-stretch = The stretch from { $from } s to { $to } s is empty: to_s must be after from_s.
server-bad-limit = “limit” must be 1 to { $most }.
server-bad-points = The number of points must be 1 to { $most }.
server-bad-event-id = “{ $id }” is no id of an event of this server; leave Last-Event-ID out to hear all.
server-bad-value = “{ $name }” is “{ $value }”; it is written as in “{ $example }”.
server-bad-extension = “by_s” must be more than 0 and at most 604800 seconds (a week).
server-users-or-rate = Give “users” (a number) or “rate” (such as “50/s”), and not both.
server-plan-or-url = Give “plan” (the text of a plan) or “url”, and not both.
server-no-url = “{ $url }” is no URL; it begins with http:// or https://.
server-note-too-long = The note is too long, or has characters in it that cannot be seen: { $most } bytes at most.
server-bad-tags = Tags must not be empty, nor have characters in them that cannot be seen: { $most } at most, of { $bytes } bytes each.
server-cannot-keep = It could not be written: { $reason }. See whether the folder of the runs is full or read-only.
server-run-waits = { $run } has not begun yet; others are made before it.
server-run-elsewhere = { $run } was started by another process, which alone can end or change it. Use the terminal that it was started in.
server-run-over = { $run } is over.
server-run-lost = { $run } was waiting when the server ended, and was never begun. Ask for it again.
server-run-taken-back = { $run } was taken back before it began.
server-folder-taken = Another server serves { $path }: { $by }. End it first, or name another folder with --out.
server-cannot-listen = It was not possible to listen on { $address }: { $reason }. Name another port with --listen, or 0 for one that is free.
server-sides = Give runs in “a” and in “b”, with commas between them: 1 to { $most } on each side.
server-run-is-there = A run { $run } is there already; nothing was moved.
server-run-goes-on = { $run } goes on. End it first.
server-not-in-trash = { $run } was not thrown away; GET /api/v1/trash lists what was.
server-no-capture = The run { $run } has no capture { $number }. GET /api/v1/runs/RUN/evidence/captures lists all.
server-no-view = Capture { $number } is a “{ $kind }” and cannot be looked at as “{ $view }”, but as: { $known }
server-no-flame = Capture { $number } has no flame graph of “{ $of }”, but of: { $known }
server-capture-unreadable = Capture { $number } cannot be read: { $reason }.
server-bundle-lost = The file did not come to its end: { $reason }. Send it again.
server-bundle-broken = This is no run as /export gives it, or it is cut short or damaged: { $reason }. Export it again where it came from.
server-bundle-foreign = “{ $name }” belongs to no run; nothing was taken in. Send a file as GET /api/v1/runs/RUN/export gives it.
server-bundle-no-run = This file holds no run. Send a file as GET /api/v1/runs/RUN/export gives it.
server-bundle-newer = The file has form { $form }; this version reads forms up to { $known }. Use a newer Plimsoll.
server-bundle-too-long = The file holds more than a run may have ({ $most } bytes), or far more than it is long; nothing was taken in.
server-bundle-damaged = The run in this file cannot be read: { $reason }. Nothing was taken in.
server-import-type = A run is sent as application/gzip, not as { $type }.
server-import-busy = { $most } runs are being taken in already. Try again when one of them is there.
server-no-kind = There are no captures of kind “{ $kind }”; there are: { $known }

problem-login = Please log in
problem-right = No right to do this
problem-csrf = The page is out of date
problem-too-often = Too many attempts
problem-not-allowed = Not allowed here

server-login-needed = Log in (POST /api/v1/session), or show a token: “Authorization: Bearer …”.
server-login-failed = User and password do not match.
server-too-often = Too many logins have failed. Try again in { $seconds } s.
server-no-right = This needs the role “{ $role ->
    [look] look
    [run] look and run
   *[other] administer
 }”; yours is “{ $own ->
    [look] look
    [run] look and run
   *[other] administer
 }”. An administrator can give it.
server-no-csrf = The request has no valid X-CSRF-Token. GET /api/v1/session says it; reload the page.
server-no-login = Nobody logs in here: the server listens on loopback, without --login.
server-needs-session = A password is changed by its user, who has logged in with it; a token cannot.
server-token-needs-session = Tokens are made and taken away by their user, who has logged in with a password; a token can take away itself alone.
server-not-first = There is a user already; log in, or ask an administrator.
server-bad-password = A password has { $least } to { $most } characters.
server-bad-user = “{ $user }” cannot be a user's name: 1 to 64 letters, digits, dots, hyphens, underscores or @.
server-user-there = There is a user “{ $user }” already.
server-no-user = There is no user “{ $user }”.
server-last-administrator = This is the last administrator. Make somebody else one first.
server-no-token = There is no token “{ $token }” of yours.
server-bad-token = A token has a name of 1 to 100 characters that can be seen, and lasts 1 to { $most } days.
server-too-many = There are as many as may be: { $most }.
server-bad-setting = “{ $name }” cannot be “{ $value }”.
server-bad-host = “{ $host }” is no host that can be allowed. Write shop.test, *.shop.test, 10.0.0.0/8 or [::1], each with :PORT or for all ports; * is any host.
server-certificate = The certificate of this server cannot be used ({ $path }): { $reason }. Give a certificate and its key with --tls-cert and --tls-key, both PEM.
server-plan-outputs = The plan names outputs. Here the server's settings alone say who hears of a run: take “outputs” out of the plan.
server-plan-watch = The plan watches “{ $source }”. Here a plan may watch “auto”, “host” and what the server's settings list under “monitor”.
server-over-limit = “{ $name }” is { $asked }, more than the { $most } that this server allows. An administrator can change that.
server-queue-full = As many runs wait as may: { $most }. Try again when one has begun.
server-bad-file = The file “{ $name }” cannot be kept: names are relative to the plan, without “..”, each once, and what a file holds is in base64.
server-files-too-long = The files of the plan are more than { $limit_mib } MiB together. Put large data files where the server was started.

serve-fingerprint = Its certificate: { $fingerprint }
serve-first-code = There is no user yet. Make the first one, who administers, in the browser with this code: { $code }
serve-loads-nothing = No host may be loaded yet. Allow some with --allow-host, or in the settings.
serve-user-added = { $user } was added; role: { $role }.
serve-user-changed = { $user } was changed.
serve-user-removed = { $user } was removed, and the tokens of that user.
serve-password = Password of { $user }:{" "}
serve-no-users = There are no users yet.
serve-user-how = “{ $what }” is nothing that can be done. Write one of: plimsoll serve user list; plimsoll serve user add NAME [--role look|run|administer]; … user role NAME --role ROLE; … user password NAME; … user remove NAME

problem-waits = It waits
problem-not-made = It was never made
server-bad-columns = “columns” must be { $least } to { $most }.
remote-bad-address = “{ $address }” is no address of a workbench. Write --server https://HOST:PORT, or http://127.0.0.1:PORT.
remote-needs-tls = { $address } would be asked without TLS, which a workbench beyond this host does not take. Write https://…
remote-bad-token = { $variable } holds what no token can be.
remote-certificate = The certificate that { $variable } names cannot be used: { $reason }. Give a PEM file, or the fingerprint that the server printed at its start (sha256:…).
remote-lost = The workbench { $server } cannot be reached: { $reason }. Check the address and whether it runs; of a certificate that it made itself put the fingerprint into PLIMSOLL_SERVER_CERTIFICATE.
remote-refused = The workbench refuses (HTTP { $status }): { $reason }
remote-only-run = --server goes with “run” only.
remote-option = { $option } cannot be sent to a workbench. Leave it out, or run here.
remote-file-elsewhere = { $what } reads { $path }, which lies outside the plan's folder and so is not sent. Put the file beside the plan.
remote-waits = The workbench makes other runs first; this one waits as { $run }. Ctrl-C takes it back.
remote-gone = The connection to run { $run } broke again and again. The run goes on there.

server-no-measurement = There is no measurement “{ $id }”. GET /api/v1/measurements lists all.
server-measurement-cut = The server ended before it was done. Its runs are there as far as they got; begin it again.
server-measurement-withdrawn = It was taken back before it began.
server-say-most = This server limits the load of runs: say with “to” how far the search may go.
server-bad-last = “last_s” must be 10 to { $most } seconds.

server-tune-not-allowed = This server begins no studies, since they run commands. Start it with --allow tune.
server-no-study = There is no study “{ $name }”. GET /api/v1/studies lists all.
server-study-cut = The server ended before the study was done. The trials until then are there. If something is left to be brought back, “needs_restore” says so: POST /api/v1/studies/NAME/restore, or plimsoll tune --restore.
server-study-goes-on = The study “{ $name }” goes on. Stop it first.
server-study-of-command-line = The study “{ $name }” is made by plimsoll tune on the command line, not by this server. End it there: Ctrl-C brings all back as it was.
server-study-killed = The process of the study “{ $name }” was killed before the study was done. The trials until then are there. If something is left to be brought back, “needs_restore” says so: POST /api/v1/studies/NAME/restore, or plimsoll tune --restore.
server-study-over = The study “{ $name }” is over.
server-no-finding = There is no finding { $number } in this run: it has { $count }. They are counted from 1.
server-finding-no-setting = This finding advises no setting: what it says is to be changed elsewhere, such as in code or in a statement. So there is nothing that a study could change.
server-finding-unnamed = What this finding advises ({ $settings }) is no setting that is known by name, so no study is made of it. Write one with a knob of its own: its file and key, or its argument (docs/tune.md).
server-study-made = Made of a finding. A study starts the target itself: stop the one that runs before, and look at each line.
server-study-no-command = How the target is started was not seen in the run. Write: start: COMMAND
server-study-commands = Several processes were watched. Take the one that is the target:
server-study-masked = A secret was masked in this command. Write it again, or take it from the environment.
server-study-no-ready = When is it ready? Write: ready: HOST:PORT

server-bad-cron = “{ $cron }” is no time: { $reason }. Write minute, hour, day, month and weekday, such as 30 2 * * *.
server-cron-long = it is longer than { $most } characters
server-cron-fields = it has { $count } { $count ->
    [one] field
   *[other] fields
 } in place of 5
server-cron-field = the { $field ->
    [minute] minute (0 to 59)
    [hour] hour (0 to 23)
    [day] day of the month (1 to 31)
    [month] month (1 to 12, or JAN to DEC)
   *[weekday] weekday (0 to 7, or SUN to SAT)
 } cannot be “{ $value }”
server-cron-never = there is no such day
server-cron-unreadable = its fields do not fit together
server-bad-zone = “{ $zone }” is no time zone of this host. Write one such as Asia/Shanghai or UTC.
server-bad-name = The name is empty, longer than 200 letters, or has control characters.
server-no-schedule = There is no schedule “{ $name }”. GET /api/v1/schedules lists all.
server-schedule-no-right = Nothing was begun: “{ $user }”, who made the schedule, may not begin runs any more. Somebody who may is to make it again.

server-bad-webhook = “{ $name }” cannot be “{ $value }”. A webhook has a url that begins with https:// or http:// and has no user in it, one event at least (begin, end, verdict, finding), a language en or zh, and names variables that begin with PLIMSOLL_WEBHOOK_ alone.
server-no-webhook = There is no webhook “{ $name }”. GET /api/v1/webhooks lists all.
server-webhook-no-address = This is no address that a webhook can be sent to, once its variables are filled in.
server-webhook-no-variable = { $name } is not set in the server's environment. Set it, and start the server anew.
server-webhook-own-network = { $name } leads to this host or to a private network, which webhooks are not sent to unless the server is started with --allow-webhook.
server-webhook-no-host = { $name } is not known: { $reason }.
server-webhook-no-connection = No connection to { $name }: { $reason }.
server-webhook-slow = There was no response within { $seconds } s.
server-webhook-no-response = There was no response: { $reason }.
server-webhook-status = The receiver did not take it: status { $status }.
server-webhook-chat = The receiver did not take it: { $said }.
webhook-begin = Plimsoll: the run “{ $name }” has begun. Target: { $target }; run { $run }.
webhook-end = Plimsoll: the run “{ $name }” is over: { $verdict }. { $throughput }/s, p95 { $p95 } ms, errors { $errors } %. Target: { $target }; run { $run }.
webhook-verdict = Plimsoll: the run “{ $name }” did not pass: { $verdict }. { $throughput }/s, p95 { $p95 } ms, errors { $errors } %. Target: { $target }; run { $run }.
webhook-finding = Plimsoll: what limits the target in the run “{ $name }”: { $finding }. { $throughput }/s, p95 { $p95 } ms. Target: { $target }; run { $run }.
webhook-undertaking-begin = Plimsoll: { $kind ->
        [repeat] repeated runs of
        [capacity] the measurement of the capacity of
        [hops] the measurement of hops of
        [interleave] the comparison in turn of
       *[study] the study
    } “{ $name }” { $kind ->
        [repeat] have begun
       *[other] has begun
    } ({ $run }).
webhook-undertaking-end = Plimsoll: { $kind ->
        [repeat] repeated runs of
        [capacity] the measurement of the capacity of
        [hops] the measurement of hops of
        [interleave] the comparison in turn of
       *[study] the study
    } “{ $name }” ({ $run }): over, { $state }.
webhook-undertaking-verdict = Plimsoll: { $kind ->
        [repeat] repeated runs of
        [capacity] the measurement of the capacity of
        [hops] the measurement of hops of
        [interleave] the comparison in turn of
       *[study] the study
    } “{ $name }” ({ $run }) failed: there is no result.
webhook-test = Plimsoll: this is a test. Whoever reads it hears of runs.

server-wrong-type = What is sent must be JSON, with “Content-Type: application/json”.
server-body-too-long = What was sent is longer than it may be.
server-body-lost = What was sent did not come to its end. Send it again.
server-not-utf-8 = What was sent is no UTF-8.
server-unreadable-request = { $place ->
    [json] The JSON that was sent cannot be used
    [query] What stands after “?” in the address cannot be used
   *[path] The address cannot be used
 }: { $what }.
server-mistake-at = line { $line }, column { $column }: { $what }
server-mistake-of = “{ $field }”: { $what }
server-mistake-field = there is no field “{ $name }”; there are: { $known }
server-mistake-missing = “{ $name }” is missing
server-mistake-twice = “{ $name }” is there twice
server-mistake-value = “{ $value }” cannot be; one of these can: { $known }
server-mistake-end = it ends too early
server-mistake-other = { $what }
server-mistake-kind = “{ $found }” cannot be; { $wanted ->
    [text] a text in quotation marks is wanted
    [boolean] true or false is wanted
    [list] a list is wanted
    [object] an object in braces is wanted
    [number] a number is wanted
    [whole-number] a whole number is wanted, 0 or more where nothing may be negative
   *[other] see /api/v1/openapi.json for what can
 }
server-too-many-of = “{ $name }” has { $count } entries; { $most } are as many as may be.
