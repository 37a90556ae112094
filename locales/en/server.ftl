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

server-internal = The server failed at this request. Please report it, with what the terminal of `plimsoll serve` shows.
server-refused = { $reason }
server-plan-rejected = { $count ->
    [one] The plan has a mistake, and no run was begun.
   *[other] The plan has { $count } mistakes, and no run was begun.
}
server-foreign-host = This server is not called “{ $host }”. Call it by one of: { $hosts }
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
server-note-too-long = The note is too long: { $most } bytes at most.
server-bad-tags = Tags must not be empty: { $most } at most, of { $bytes } bytes each.
server-cannot-keep = It could not be written: { $reason }. See whether the folder of the runs is full or read-only.
server-run-waits = { $run } has not begun yet; others are made before it.
server-run-elsewhere = { $run } was started by another process, which alone can end or change it. Use the terminal that it was started in.
server-run-over = { $run } is over.
server-folder-taken = Another server serves { $path }: { $by }. End it first, or name another folder with --out.
server-only-loopback = { $address } can be reached from other hosts, and this server has no users who could log in. Listen on 127.0.0.1 or [::1]; from elsewhere go through an SSH tunnel.
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
