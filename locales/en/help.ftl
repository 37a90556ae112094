# The help of the command line. `help-<command>` says what a command does,
# `help-<command>-after` stands below its options. `help-<command>-<argument>` describes an
# argument there, `help-arg-<argument>` wherever it has no text of the command's own.

help-plimsoll = Loads a web service, measures it truthfully, and reports how it performed.
help-plimsoll-after =
    Examples:
      plimsoll run http://127.0.0.1:8080/hello --users 50 --duration 30s
      plimsoll run plan.yaml --set host=10.0.0.5 --goal "p95 < 300ms" --report out.html
      plimsoll once plan.yaml
      plimsoll help run

    Exit codes: 0 all goals met, 1 goals missed, 2 invalid plan or arguments, 3 target unreachable,
    4 the load generator was the bottleneck, 5 ended by a guard, 6 no request succeeded,
    7 the run could not be kept, 130 interrupted.
help-heading-arguments = Arguments
help-heading-options = Options
help-heading-begin = To load a service
help-heading-results = What came out of it
help-heading-how-much = How much load
help-heading-target = What the target does
help-heading-hosts = Many load hosts
help-heading-program = This program
help-man-title-name = NAME
help-man-title-synopsis = SYNOPSIS
help-man-title-notes = NOTES
help-man-title-see-also = SEE ALSO
help-usage = Usage
help-with-default = { $text } [default: { $default }]
help-with-values = { $text } [values: { $values }]
help-with-alias = { $text } [also: { $alias }]

help-run = Load a service and report how it performed.
help-run-after = The run is stored in a folder of its own, from which every report can be made again (plimsoll report, show, compare).
help-check = Check a plan: every mistake with its line; its load, duration, goals and requests.
help-check-after = Exit codes: 0 the plan is valid, 2 it is not.
help-once = One user, one iteration of each scenario, every request and response shown; nothing is stored.
help-once-after = Credentials, cookies, passwords and secret variables are masked. Exit codes: 0 every request succeeded, 1 one failed, 2 invalid plan, 3 target unreachable, 130 interrupted.
help-report = Write a run's report.
help-show = Show a run's aggregate report; several runs stand side by side.
help-captures = Show what was measured and captured on the target during a run.
help-list = List the runs, the newest last.
help-serve = Serve the workbench: runs in a browser, live, and an API over HTTP.
help-serve-after =
    Runs of the command line in the same folder appear by themselves. On loopback nobody logs in. On any other address, with --login or with --name there are TLS or a proxy
    with it, users and roles, and only hosts that were allowed can be loaded.
    Examples:
      plimsoll serve
      plimsoll serve --out /srv/runs --listen 127.0.0.1:9000 --open
      plimsoll serve --listen 0.0.0.0:8443 --allow-host '*.shop.test'
      plimsoll serve user add li --role run

    Exit codes: 0 ended by you, 2 invalid arguments, or it could not begin.
help-compare = Compare runs: is B different from A, and by how much.
help-compare-after =
    Examples:
      plimsoll compare last~1 -- last
      plimsoll compare a1 a2 a3 -- b1 b2 b3
      plimsoll compare --interleave old.yaml new.yaml --pairs 10

    With one run a side the difference is shown but not judged: repeat.
    Exit codes: 0 also when the sides differ, 1 B is worse (--fail-if-worse), 2 invalid arguments, 3 target unreachable, 130 interrupted.
    Exit codes: 0 also when the sides differ, 2 invalid arguments, 3 target unreachable, 130 interrupted.
help-tune = Change settings of the target, read them back, measure again, and keep what helps by test.
help-tune-after =
    Examples:
      plimsoll tune study.yaml --dry-run
      plimsoll tune study.yaml
      plimsoll tune plan.yaml --start 'java -jar app.jar'
      plimsoll tune --knobs tomcat
      plimsoll tune --restore

    The study says what may be changed; nothing else is. At the end all is as it was, unless --keep-best is given.
    Exit codes: 0 with a result, 1 the target as it was found could not be measured, 2 invalid study or something that could not be done, 5 nothing could be judged (trials or time too few, nothing to try, or nothing with changed settings could be measured), 130 interrupted.
help-capacity = Search for the capacity: the most load that meets the goals.
help-capacity-after =
    Load grows geometrically until a goal is missed, then the range is narrowed, then both ends
    are measured again. A measurement is a run like any other, judged by its steady seconds, and
    stopped as soon as a goal is out of reach. --from 10 searches users, --from 10/s a rate; by
    default what the plan has.
    Examples:
      plimsoll capacity plan.yaml --goal "p95 < 300ms" --goal "errors < 0.1%"
      plimsoll capacity http://127.0.0.1:8080/hello --goal "p95 < 50ms" --from 100/s --to 20000/s

    Exit codes: 0 there is a result, 1 no load meets the goals, 2 invalid plan or arguments,
    3 target unreachable, 4 the load generator was the bottleneck, 130 interrupted.
help-hops = Load each hop of a chain alone, and report what each adds to the response time.
help-hops-after =
    Name every hop that a request passes, the outermost first. An address without a path gets the
    plan's own requests; one with a path gets that request instead. Every hop is loaded by the same
    few users, in turn, round by round; what a hop adds is its time minus that of the next hop. For a
    plan that names its chain under “hops” this is done after each run.
    Examples:
      plimsoll hops http://10.0.0.1/orders --hop nginx=http://10.0.0.1 --hop gateway=http://10.0.0.2:8080 --hop stock=http://10.0.0.3:8081/stock
      plimsoll hops plan.yaml --keep-in last

    Exit codes: 0 all hops have times, 1 one mostly failed, 2 invalid plan or arguments, 3 a hop cannot
    be reached, 130 interrupted.
help-calibrate = Measure the most load that this generator can make.
help-calibrate-after =
    It loads a built-in page on other CPUs, or a constant page of yours, with more and more users until
    more of them no longer raise the throughput. The result is stored in the user's state folder
    (XDG_STATE_HOME); runs of this machine and version are compared with it, and a run near it is flagged.
    Examples:
      plimsoll calibrate
      plimsoll calibrate http://10.0.0.2/constant.html --users 1000

    Exit codes: 0 there is a result, 1 the page responds with errors, 2 invalid arguments,
    3 page unreachable, 130 interrupted.
help-size = Calculate the load to expect, and the users, threads and pools it needs.
help-size-after =
    Each figure comes with its formula and its source. Give what you know:
      plimsoll size --visits-per-day 1000000
      plimsoll size --tps 200/s --response-time 150ms --think-time 3s
      plimsoll size --users 500 --response-time 200ms --think-time 5s --cores 4 --memory 8GB

    Exit codes: 0 calculated, 2 invalid arguments.
help-convert = Convert a JMeter plan or a curl command line to a plan.
help-convert-after =
    Of a curl command line, values that look like secrets (passwords, tokens, cookies) are not written to
    the plan: it takes them from the environment. A JMeter plan becomes the same plan, with what is secret
    in it, which is said; init moves that to the environment, too.
    A file that is there is not overwritten without --force.
    Examples:
      plimsoll convert plan.jmx -o plan.yaml
      plimsoll convert -o plan.yaml curl -H 'Accept: text/html' http://127.0.0.1:8080/
help-schema = Print the JSON Schema of plans or of an output.
help-watch = Show what happens on the target, live and without load.
help-watch-after =
    On a terminal the display is updated in place; q ends it. Elsewhere a display is printed each time.
    Examples:
      plimsoll watch
      plimsoll watch --watch auto --target 127.0.0.1:8080
      plimsoll watch --watch agent=tls://web1:7077,fingerprint=sha256:…,token-file=agent.token

    Exit codes: 0 ended by you or after --once, 2 invalid arguments, 3 nothing could be watched.
help-worker = Make load for controllers on other hosts (plimsoll run --workers), over NATS.
help-worker-after =
    Anyone who may publish on the worker's subjects can make it send load: have NATS authenticate
    them (docs/fleet.md). Options that are not given are taken from PLIMSOLL_NATS, PLIMSOLL_NATS_USER,
    PLIMSOLL_NATS_PASSWORD_FILE and so on. Ctrl-C gives its shares back and ends it.
    Example:
      plimsoll worker --nats nats://10.0.0.1:4222 --name w1 --labels zone=a
help-workers = List the workers: state, CPUs, version, clock, labels, health.
help-agent = Let a controller on another host watch this one.
help-agent-after =
    The agent only watches, and responds to fixed queries; with --allow tune it also changes what its file names. Beyond loopback it speaks TLS with a
    certificate of its own, whose fingerprint it prints, and requires a token, from a file or from
    PLIMSOLL_AGENT_TOKEN.
    Examples:
      plimsoll agent
      plimsoll agent --listen 0.0.0.0:7077 --token-file agent.token
    It needs no root; with root it sees processes of all users.

help-arg-server = The workbench that makes the runs, http://HOST:PORT or https://HOST:PORT. Its token stands in PLIMSOLL_SERVER_TOKEN, its certificate (a file or a fingerprint) in PLIMSOLL_SERVER_CERTIFICATE.
help-arg-lang = Language of messages and reports: en or zh; by default that of the environment.
help-arg-help = Print help.
help-arg-version = Print the version.
help-arg-source = A plan (.yaml, or JMeter's .jmx), or a URL that begins with http:// or https://.
help-arg-set = Set a variable of the plan; repeatable.
help-arg-allow-host = A further host that may be loaded, besides those the plan names.
help-arg-method = Method of the request (URL only).
help-arg-headers = A header of the request (URL only); repeatable.
help-arg-data = Body of the request, or @FILE (URL only).
help-arg-insecure = Do not check certificates (URL only).
help-arg-timeout = Timeout of a request, such as 500ms or 10s (URL only).
help-arg-users = Users of a closed load: each waits for its response before it continues.
help-arg-rate = Arrivals of an open load, such as 100/s or 600/min: they start whether or not responses come.
help-arg-ramp-up = Time from no load to the full load.
help-arg-warm-up = The first part of the load, left out of the result.
help-arg-duration = Duration of the whole load, such as 30s, 10m or 1h30m.
help-arg-iterations = Iterations of each user.
help-arg-max-in-flight = Most users at work at once; an arrival beyond that is a dropped iteration.
help-arg-threads = Load threads; by default one for each CPU allowed.
help-arg-pin = Keep each load thread on a CPU of its own.
help-arg-seed = Seed of all randomness.
help-arg-time-all-receives = Take the kernel's receive time of every response, instead of 1 in 64.
help-arg-goals = A goal, such as "p95 < 300ms", "login:p99 < 1s", "errors < 0.1%"; repeatable.
help-arg-watch = Watch this while the load runs, as in a plan: auto, host, process=8080, actuator=http://127.0.0.1:8081/actuator, mysql=mysql://db:3306,user=watch,password-env=PW; repeatable.
help-arg-outputs = Tell this how the run goes while it goes on; may be given several times: `influxdb=http://HOST:8086/write?db=NAME`, `prometheus=http://HOST:9090`, `otlp=http://HOST:4318`, `jsonl=FILE`. KEY=VALUE: `tag.NAME=VALUE`; but for files also `token-env=VARIABLE`, `user=NAME`, `password-env=VARIABLE`, `ca-file=FILE`. See docs/outputs.md.
help-arg-watch-allow-capture = Allow captures that disturb the target: attaching to JVMs, thread dumps, class histograms (each forces a full GC).
help-arg-probe = Raise the load at its end by a tenth and then by half, 5 s each unless a time is given (--probe=10s), to see what room there is. These seconds are not in the result.
help-arg-no-probe = Do not lower the load at its end. A watched load of 20 s or more goes on for about 5 s at half its size, to see whether requests wait for each other; these seconds are not in the result.
help-arg-out = Folder of the runs.
help-arg-quiet = No progress and no table; a line where the exit code is not 0.
help-arg-jmeter-property = A JMeter property for a .jmx plan, like JMeter's -J; repeatable.
help-arg-jmeter-global = Like -J; with workers, for all of them. Or a file of properties.
help-arg-jmeter-system = A Java system property, for the JVM companion and for functions that read it.
help-arg-jmeter-system-file = Java system properties from a file, like JMeter's -S; repeatable.
help-arg-addprop = Further JMeter properties from a file; repeatable.
help-arg-plugins = Look for a .jmx plan’s elements and functions in the jars of this folder, too; the JVM companion runs them; repeatable.
help-arg-allow-unsupported = Run a .jmx plan although some of its elements are not supported; they are left out, and named.

help-run-repeat = Run this many times.
help-run-summary-json = Write the summary as JSON.
help-run-jtl = Write every sample as JMeter does (CSV).
help-run-report = Write a report; its format follows from the file's name (.html, .md, .json, .csv, .xml); repeatable.
help-check-operations = Show the operations that the plan compiles to.
help-check-quiet = Only say whether the plan is valid.
help-once-body-bytes = Show at most this many bytes of each body; 0: all.
help-report-run = The run: a folder, a unique prefix of its name, last, or last~N for the N-th before it.
help-report-format = The format; by default it follows from the file's name, else html. One of: { $formats }.
help-report-errors = Print all errors: how many of each kind, code and check, when, and samples with request and response.
help-report-output = The file; by default report.html (or the format's own extension) in the run's folder; -: standard output.
help-show-run = The runs: folders, unique prefixes of their names, last, or last~N for the N-th before it; NAME=RUN shows a run under that name.
help-show-over = A further column: the share of samples whose response time was above this.
help-captures-run = The run: a folder, a unique prefix of its name, last, or last~N for the N-th before it.
help-captures-number = Write out the capture with that number.
help-captures-output = The file; by default standard output.
help-serve-listen = Address and port, of this host; port 0 takes one that is free.
help-serve-open = Open the page in the browser.
help-serve-what = Manages users instead: user add, list, role, password or remove, and a name.
help-serve-login = Whoever calls must log in, also from this host.
help-serve-names = A further name by which it is called, such as behind a proxy; then one must log in.
help-serve-tls-cert = The certificate of its TLS, PEM. Without it a server beyond loopback makes one itself.
help-serve-tls-key = The certificate's key, PEM.
help-serve-allow-hosts = A host that may be loaded, until an administrator sets others: shop.test, *.shop.test, 10.0.0.0/8, each with :PORT or for all ports; * is any.
help-serve-allows = What is allowed beside runs: tune (studies, which run commands), scripts, files, processes (of plans that were sent, whoever sent them; who may run scripts or processes can do all that the server's user can).
help-serve-allow-webhooks = A host of an own network that webhooks may be sent to, written as --allow-host has it; without it they go to the internet alone.
help-serve-monitor = Watch this without load, as plimsoll watch does, and keep the last hours; may be given several times.
help-serve-role = The role of a user that is added or changed: look, run or administer.
help-tune-study = The study: a YAML file, see docs/tune.md.
help-tune-start = Start the target with this command and tune it without a study: STUDY.yaml is then the plan or a URL. Only arguments and environment of the command change.
help-tune-knobs = List the settings a study can use by name: a table of all, or, with the name of a family or of a setting, all that is known of it.
help-tune-json = The list as JSON.
help-tune-objective = What is to become better, such as “minimise p99”, in place of the study's.
help-tune-measure = How long each run measures, in place of the study's.
help-tune-warm-up = The most that is waited for a steady state before each run, in place of the study's.
help-tune-restore = Bring back what a study that was killed has left; without a study or plan, of all studies in the folder of the runs.
help-tune-dry-run = Check study and plan, print the commands and changes that a study would make, and do nothing.
help-tune-resume = Go on where the study stopped, with the trials that it made.
help-tune-from = Start from the trials of an earlier study (its tune.json): the search knows them, the end does not rely on them.
help-tune-keep-best = Leave what is kept in files, databases and the kernel; copies of the original files stay in .tune/NAME/originals of the folder of the runs. Arguments and variables are listed among the changes.
help-tune-approve = Show each change and wait for a yes.
help-tune-trials = Trials at most, in place of the study's.
help-tune-time = Time at most, in place of the study's.
help-tune-seed = Seed of the search.
help-tune-output = The file for the result as JSON; by default tune.json in the folder of the runs.
help-tune-report = Write the report of the study there: HTML, Markdown or XLSX, by the end of the name (.html, .md, .xlsx). May be given several times.
help-tune-show = Show a result that is there already (tune.json) and, with --report, write its report, in any language and form; no trials are made.
help-tune-quiet = No progress, no result on the terminal.
help-tune-watch-allow-capture = Allow captures that disturb the target (thread dumps, packets, class histograms), in runs of their own that do not count: they show what limits, and so what to try.
help-capacity-from = The first load: users (50) or a rate (50/s); by default 1 user or 10/s.
help-capacity-to = The largest load that may be tried; by default 10000 users or 100000/s.
help-capacity-step-seconds = Seconds for which a measurement holds its load.
help-capacity-max-measurements = Most measurements to make.
help-capacity-precision = How wide the interval of the result may be, in percent.
help-capacity-repeats = How often each end of the interval is measured, while measurements are left.
help-capacity-cool-down = Time without load between measurements.
help-capacity-warm-up = Apply the first load for this long before anything is measured.
help-capacity-max-in-flight = Most users at work at once; an arrival beyond that is a dropped iteration (URL only).
help-capacity-output = The file for the result as JSON; by default capacity.json in the folder of the runs.
help-hops-hops = A hop and its address, the outermost first; repeatable; by default those of the plan.
help-hops-users = Users of each scenario, the same for all hops.
help-hops-rounds = Rounds that count; each loads every hop once.
help-hops-round-seconds = Seconds for which each hop is loaded in a round.
help-hops-keep-in = Store the times in this run, for its diagnosis and reports; without a name, in the last run.
help-hops-json = As JSON, for programs (plimsoll schema hops).
help-hops-output = The file for the times as JSON.
help-calibrate-url = A constant page to load in place of the built-in one.
help-calibrate-users = Most users to try.
help-calibrate-no-keep-alive = A new connection for each request.
help-calibrate-threads = Load threads; by default one for each CPU allowed, and half as many beside the built-in page.
help-calibrate-insecure = Do not check certificates.
help-calibrate-step-seconds = Seconds for which each number of users is held.
help-calibrate-json = Print JSON, for programs (plimsoll schema calibration).
help-calibrate-output = The file for the result as JSON.
help-calibrate-no-save = Store nothing: the result is only shown.
help-size-visits-per-day = Visits in a day; the target throughput follows from them.
help-size-busy-visits = The share of a day's visits that comes in the busy time, in percent.
help-size-busy-day = The share of the day that the busy time takes, in percent.
help-size-tps = Target throughput, if known, such as 200/s.
help-size-users = Concurrent users, if known.
help-size-response-time = Mean response time, such as 200ms.
help-size-think-time = Think time of a user between requests, such as 3s.
help-size-cores = Cores of the web server's host.
help-size-memory = Memory of the web server's host, such as 8GB.
help-size-json = Print JSON, for programs.
help-captures-take = Have a run in progress take captures now: those of one kind, or all.
help-compare-a = Runs of side A, the baseline.
help-compare-b = Runs of side B, which is judged, after --.
help-compare-interleave = Run two plans in turn (A, B, B, A, …) and compare the runs pair by pair.
help-compare-pairs = Pairs of runs.
help-compare-paired = The runs of both sides were interleaved: the n-th of A belongs to the n-th of B.
help-compare-format = The format.
help-convert-output = The file to write; by default standard output.
help-convert-force = Overwrite the file if it is there.
help-convert-command = A JMeter plan (.jmx); or a curl command line, as one argument or as many; none or -: that from standard input.
help-watch-watch = What to watch: host, auto, process=8080, actuator=http://127.0.0.1:8081/actuator, agent=127.0.0.1:7077 …; repeatable; by default this host.
help-watch-target = Where the service listens that auto should find.
help-watch-interval = Time between two displays.
help-watch-once = One display, as soon as rates are known.
help-watch-json = A line of JSON each time (plimsoll schema watch).
help-agent-listen = Where to listen.
help-agent-allow = What captures may do: observe only watches; capture also attaches to JVMs, dumps threads and counts classes (which forces a full GC); tune also lets studies change what --tune FILE says, over TLS and a token.
help-agent-allow-remote-sources = Controllers may name sources on other hosts.
help-agent-token-file = The file with the token that controllers must show; by default PLIMSOLL_AGENT_TOKEN in the environment.
help-agent-tls = Speak TLS also on loopback.
help-agent-state = The folder of the certificate and its key; by default plimsoll in the user's state folder.
help-agent-tune = The file that says what studies of plimsoll tune may change on this host; with --allow tune.
help-agent-watch = What to watch for controllers that name no sources, as in plimsoll watch; repeatable.
help-schema-output = The file to write; by default standard output. For plans it prints the line by which editors find it.
help-schema-name = Which schema.

help-diagnose = Name the bottleneck of a run: findings with evidence, advice and an experiment.
help-diagnose-run = The run: a folder, a unique prefix of its name, last, or last~N for the N-th before it. It may still be in progress.
help-diagnose-json = As JSON (schema/diagnosis.schema.json).
help-diagnose-evidence = Use saved evidence in place of a run.
help-diagnose-save-evidence = Save everything that the diagnosis is made from, packed.
help-report-form = The kind of report: run (all of one run) or acceptance (a report to hand in: goals, environment, each load of one or several runs, the bottleneck, the verdict; as html, markdown or xlsx).
help-report-title = Title of an acceptance report; by default the plan's name.
help-report-tester = Who tested; may be repeated.
help-report-goal = A goal of an acceptance report, in place of the plans' goals; may be repeated: 'p95 < 300 ms'.

help-arg-nats = A NATS server, as nats://HOST:PORT or tls://HOST:PORT; several may be given for a cluster. By default PLIMSOLL_NATS in the environment. Password and token: PLIMSOLL_NATS_PASSWORD_FILE, PLIMSOLL_NATS_TOKEN_FILE.
help-arg-nats-prefix = Prefix of all subjects, journals and stores on the server; by default plimsoll.
help-arg-nats-user = The user; its password comes from PLIMSOLL_NATS_PASSWORD_FILE or PLIMSOLL_NATS_PASSWORD.
help-arg-nats-nkey = The file with the seed of an nkey.
help-arg-nats-credentials = A credentials file, as nsc writes it.
help-arg-nats-ca = Certificates to trust in place of the system's (PEM).
help-arg-nats-certificate = This side's certificate (PEM).
help-arg-nats-key = The key of this side's certificate (PEM).
help-worker-name = The worker's name: letters, digits, - and _; no two workers may have the same. By default the host's name.
help-worker-labels = A label by which runs choose it; several are separated by commas.
help-worker-allow = What plans may do here beyond sending requests; several are separated by commas.
help-worker-folder = Where plans are unpacked while they run, and reports kept that do not fit in memory; by default the system's folder for temporary files.
help-worker-jtl-dir = Write every sample of each run as JMeter does (CSV), to a file of its own in this folder; the run's result names it. By default samples are only counted.
help-workers-json = As JSON (schema/workers.schema.json).
help-run-workers = Divide the load among this many workers (plimsoll worker): users, rates, iterations and rows are divided exactly.
help-run-workers-with = Only workers with this label; several are separated by commas.
help-run-workers-within = Wait this long for NATS and enough workers, such as 5m; by default the run fails at once if they are not there.
help-run-each = Every worker runs the whole plan, as JMeter's remote servers do: the load is multiplied.
help-run-bundle = A further file below the plan's folder that workers need; repeatable. Data files and bodies that the plan names are sent without being named here.
help-run-clock-error = A worker whose clock is known less precisely than this is refused.
help-run-lease = A worker that lost its controller starts no more work after this time; 4s to 10m.
help-run-resume = Resume a run with --workers whose controller was lost. No plan is named: the run knows it, and what it watched; --watch overrides that.

help-completions = Print what a shell completes the program's command lines by.
help-completions-after =
    Packages install them. By hand:
      plimsoll completions bash > ~/.local/share/bash-completion/completions/plimsoll
      plimsoll completions zsh > ~/.zfunc/_plimsoll
      plimsoll completions fish > ~/.config/fish/completions/plimsoll.fish

    Zsh reads the folder if ~/.zshrc has fpath+=~/.zfunc before compinit.
help-completions-shell = The shell.
help-man = Print a manual page, or write all of them.
help-man-after =
    Packages install them. By hand:
      plimsoll man run | man -l -
      plimsoll man -o ~/.local/share/man/man1
help-man-output = Write all pages into this folder.
help-help = Print the help of a command.
help-arg-topic = The command; by default the program.
help-doctor = Say what this host allows, what that costs, and the command that mends it.
help-doctor-after =
    Rights, ports, descriptors, clock, CPUs, memory, disk, network, certificates, the Java of JMeter plans, and
    NATS if one is named. Nothing is changed. A right is tried; a limit is read from the kernel.
    Exit codes: 0 runs can be made (with what is limited), 1 runs would fail or their figures be wrong.
help-doctor-json = For programs: JSON (plimsoll schema doctor).
help-init = Make a commented plan of a URL, a curl command line or a JMeter plan.
help-init-after =
    Without an argument it asks on a terminal, and reads standard input elsewhere. Curl command lines are
    taken as Bash has them and as browsers copy them, also for Windows (cmd) and several at once (“Copy all
    as cURL”): each becomes a step. Nothing is run, and other commands are refused. Values that look like
    secrets (passwords, tokens, cookies; in a .jmx, too) are not written to the plan: it takes them from
    the environment. They are told by name, place and form: look through the plan before you share it. A
    file that is there is not overwritten without --force.
    Examples:
      plimsoll init http://127.0.0.1:8080/hello
      plimsoll init -o cart.yaml curl -X POST -H 'Accept: text/html' -d sku=7 http://127.0.0.1:8080/cart
      plimsoll init plan.jmx

    Then: plimsoll check, once, run.
help-init-force = Overwrite the file if it is there.
help-init-output = The plan to write; by default plan.yaml, or beside a JMeter plan under its name. “-”: standard output.
help-init-command = A URL; a JMeter plan; a curl command line, as one argument or as many. “-”: that from standard input.
help-compare-fail-if-worse = Exit with 1 if B is shown to be worse than A in its total, by more than so many percent (=PERCENT; by default by anything): a gate for CI.
