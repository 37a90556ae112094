# Texts of `plimsoll tune` and of its studies.

## Mistakes in a study

study-empty = the study is empty
    .remedy = A small study has “plan”, “components” and “knobs”; see docs/tune.md.
study-not-a-mapping = a study is a mapping of keys to values
study-without-components = a study without components
    .remedy = Say under “components” how the target is started, or that it is running already.
study-without-knobs = a study without knobs
    .remedy = Say under “knobs” what may be changed: a key of a file, an argument, an environment variable, a command, a statement.
study-running-without-reload = a component that is running already and has no “reload”
    .remedy = Add “reload”, the command with which it reads its settings again, or use “start”.
study-only-with = “{ $key }” belongs to “{ $other }”, which is not there
    .remedy = Add “{ $other }” or remove “{ $key }”.
study-knob-without-values = this knob does not say what it may be
    .remedy = Add “range”, such as 8..200, or “values”, a list.
study-value-twice = “{ $value }” is in “values” already
    .remedy = Each value stands once.
study-cannot-judge = with “{ $key }: { $value }” nothing can be judged
    .remedy = { $what ->
        [error-rate] Give more than 0 % and at most 50 %: how often a study without anything to gain may keep something (5 % if left out).
        [smallest-gain] Give less than 100 %: what is to fall cannot fall by more than all of it (3 % if left out).
        [measure] Give at least 1s: how long the run that counts takes (20s if left out).
        [time] Give more than 0s: the most time of all trials, such as 2h; leave it out for no limit.
       *[ready-within] Give more than 0s: how long the component may take to be ready (60s if left out).
    }
study-no-place-for-value = “{ $text }” has no place for the value
    .remedy = Write {"{}"} where the value stands, as in { $place ->
        [sql] SET GLOBAL innodb_io_capacity = {"{}"}
        [command] sysctl -w net.core.somaxconn={"{}"}
       *[argument] -Xmx{"{}"}m
    }.
study-read-back-nothing = Write {"{"}nothing: true{"}"}.
study-unknown-component = no component is called “{ $name }”
    .remedy = The study has: { $known }.
study-knob-of-which = the knob “{ $name }” does not say which component it belongs to
    .remedy = Add “of” with one of: { $known }.
study-says-the-agent = “{ $key }” of a component on another host is not the study's to say
    .remedy = Remove “{ $key }” here; it stands in the file of the agent there (plimsoll agent --tune FILE).
agent-scope-chained = the component “{ $name }” of an agent's file is on another agent
    .remedy = Say how it is started or reloaded here; a study asks the other agent itself.
agent-scope-lease-short = the lease is too short
    .remedy = Give at least { $least } s: how long after a study was last heard of everything is restored.
agent-scope-unreadable = { $path } cannot be read: { $reason }
tune-agent-not-here = components on other hosts are changed from the command line only: plimsoll tune study.yaml
tune-agent-says-where = the knob “{ $name }” is on another host, and the study says where it stands
    .remedy = Leave only its name, its range or values here; the file of the agent there says the rest.
tune-bad-range = “{ $range }” is no range
    .remedy = Write two numbers with the smaller first, such as 8..200; a unit goes to “unit”.
tune-range-too-large = the range { $range } is too large: its numbers could not be told apart to the last unit
    .remedy = Keep both ends between -9007199254740991 and 9007199254740991, list “values”, or use a larger “unit” (unit: m in place of bytes).
tune-bad-step = the step does not fit the range { $range }
    .remedy = A step is a number above 0 that is no larger than the range is wide.
tune-ratio-of-nothing = the range { $range } begins at 0 or below, so that there are no ratios in it
    .remedy = Begin the range above 0, or leave “by-ratio” out.
tune-not-by-shell = “{ $word }” is for a shell, and this command does not go through one
    .remedy = Use “folder” and “environment” of the component, or write sh -c '…'. Where it is meant as it stands, put it in single quotes.
tune-bad-command = this is no command: { $text }
    .remedy = Close its quotes. It does not go through a shell: for pipes and variables write sh -c '…'.
tune-ready-https = “ready” does not work with an https address
    .remedy = Write host:port, or a command such as curl -kfsS https://….
tune-read-back-https = “read-back” does not work with an https address
    .remedy = Write an http address, or a command such as curl -kfsS https://….
tune-without-ready = “ready” is missing for the component “{ $name }”
    .remedy = Add “ready”: an http address, host:port, or a command.
tune-needs-start = the knob “{ $name }” is an argument or a variable of a component that Plimsoll does not start
    .remedy = Give the component “start”, or name the file that the setting stands in.
tune-command-without-default = the current value of the knob “{ $name }” is not known, so it could not be restored
    .remedy = Add “default”: the value that is brought back at the end.
tune-sql-without-database = the knob “{ $name }” is set or read back by a statement, and the component “{ $component }” has no “database”
    .remedy = Say where it takes statements: database: mysql://127.0.0.1:3306,user=tuner,password-env=PW
tune-bad-database = “{ $text }” is no address of a database
    .remedy = Write mysql://HOST:PORT or postgresql://HOST:PORT/DATABASE, then user=… and password-env=… or password-file=…, separated by commas. Passwords do not stand in the study.
tune-bad-database-key = “{ $text }” is none of user, password-env and password-file
    .remedy = Write mysql://HOST:PORT,user=NAME,password-env=NAME.
tune-database-password = the password of the database is not in “{ $text }”
    .remedy = Set that variable of the environment, or make the file readable.
tune-unknown-knob = no knob is called “{ $name }”
    .remedy = { $any ->
        [yes] Near it are: { $near }. All are listed by: plimsoll tune --knobs
       *[no] All knobs are listed by: plimsoll tune --knobs. One of your own says where it is: “file” and “key”, “argument”, “env”, “command” or “sql”.
    }
tune-knob-not-in-file = { $name } has no place in a file like { $path }
    .remedy = { $any ->
        [yes] Add “format” with one of: { $known }; or name another file.
       *[no] It stands in no file that is known: leave “file” out, so that it goes into the start command or its environment, or give “key” and “format” of your own.
    }
tune-knob-needs-file = { $name } has no place in the start command of the component
    .remedy = { $kernel ->
        [yes] Name the “file” in which it stands (its format is one of: { $known }).
       *[no] Name a “file” in which it stands (its format is one of: { $known }), or start the program itself: not by a script, and not within sh -c.
    }
tune-knob-of-another-program = { $name } is no setting of { $program }, which the component “{ $component }” starts
    .remedy = Say with “of” which component it belongs to.
tune-knob-wants-values = the study must say what { $name } may be
    .remedy = { $any ->
        [yes] Add “values”, a list. Any text is allowed.
       *[no] Add “values”, a list. Allowed: { $allowed }.
    }
tune-knob-value = { $number ->
        [yes] { $given } is outside of the range in which { $knob } is searched
       *[no] { $knob } cannot be { $given }
    }
    .remedy = { $number ->
        [yes] The range of the search is { $allowed }; write units at both ends, such as 256m..2g. For a value beyond it use a knob of your own (“file” and “key”).
       *[no] Allowed: { $allowed }.
    }
tune-capacity-without-goal = the capacity is the load that meets the constraints, and there are none
    .remedy = Add what must hold, such as constraints: [p99 < 300 ms, errors < 0.1 %].
tune-usage-of-nothing = “{ $what }” counts only processes that Plimsoll or an agent starts, and no component has “start” or “agent”
    .remedy = Start a component with “start” or “agent”, or take “{ $what }” out of the study.
tune-not-allowed = the knob “{ $name }” gives something up for speed: { $what }
    .remedy = If that may be given up here, add its name to “allow”: allow: [{ $name }]
tune-allows-nothing = “allow” names “{ $name }”, which is no knob
    .remedy = The study has: { $known }.
tune-file-unreadable = { $path } cannot be used: { $reason }
    .remedy = Name a file that is there and can be read; its path is relative to the study's folder.
tune-key-unusable = { $path }: { $reason }
    .remedy = Look at “key” and “format”: docs/tune.md says how each format names its values. Where the file has another form, or what its format does not allow (comments in JSON), “format: pattern” finds a value.
tune-key-in-included = This setting stands in { $other }, which { $path } takes in
    .remedy = Name that file: what is written into the other may be overruled by it.
tune-knob-overruled = { $name } has no effect while { $other } is in the start command
    .remedy = Make { $other } the knob, or take it out of the command.
tune-knob-unwritten = the knob “{ $name }” cannot be { $value } in { $path }: { $reason }
    .remedy = Correct “key”, “values” or the file, so that the value has a place there.
tune-range-of-no-number = “{ $found }” stands in line { $line } at the place of the knob “{ $name }”: a number of its range would be something else there
    .remedy = Say the “unit” of the range (unit: m), or list “values” as the file writes them.
tune-same-place = the knobs “{ $other }” and “{ $name }” are written at the same place, or one of them within the other
    .remedy = Keep one of them, or give each an “only-if” so that they never count together.
tune-bad-variable = “{ $name }” is no name of a variable
    .remedy = Write the name alone (WORKERS), of letters, digits and underscores; its values go into “values” or “range”.
tune-unknown-format = the format of this file is not known
    .remedy = Add “format” with one of: { $known }.
tune-never = the knob “{ $name }” would touch what the study never touches: { $never }
    .remedy = Remove the knob, or take it out of “never”.
tune-bad-only-if = “{ $text }” is no condition
    .remedy = Write a comparison with another knob, such as collector = G1 or threads > 100.
tune-bad-relation = “{ $text }” is not understood here
    .remedy = Write a comparison of sums and products, such as pool <= threads - 10. A minus stands between blanks.
tune-relation-units = the units in “{ $text }” cannot be compared
    .remedy = Use sizes (k, m, g, t) or times (us, ms, s, m or min, h, d, w) on both sides, or numbers without a unit.
tune-relation-of-nothing = “{ $name }” in “{ $text }” is no knob of the study
    .remedy = The study has: { $known }. A minus stands between blanks.
tune-relation-never = “{ $text }” holds for no values that the study may try, nor for those that were found
    .remedy = Look at the ranges of its knobs, or remove it.
tune-only-if-never = the knob “{ $name }” would never be tried: “{ $text }” holds for no values that the study may try, nor for those that were found
    .remedy = Look at the values and ranges of the knobs in it, or remove the condition.
tune-plan-no-study = this is a plan, and no study
    .remedy = With --start 'COMMAND' Plimsoll starts the target itself and tries what the findings advise; else write a study, which names this file as its “plan” (docs/tune.md has small ones).
tune-never-of-nothing = “{ $never }” in “never” is neither a file or folder nor a knob or key of this study: it protects nothing
    .remedy = { $any ->
        [yes] Did you mean { $near }?
       *[no] Write a path from the study's folder (a folder stands for all within it; patterns are not read), a key, or the name of a knob.
    }
tune-study-unreadable = the study { $path } cannot be read: { $reason }
    .remedy = Name a YAML file; docs/tune.md has small ones.

## While a study goes on

tune-why-too-large = it has { $mib } MiB, and a file that is changed may have { $limit_mib } (reading it takes some fifty times its size in memory). Move the settings into a file of their own that it includes, or set the knob by a “command”
tune-why-missing = there is no such file
tune-why-denied = Plimsoll may not read it
tune-why-folder = it is a folder
tune-why-no-file = it is a device or a pipe, not a regular file
tune-file-unwritten = { $path } cannot be changed: { $reason }
    .remedy = Whoever runs this must be allowed to write the file and its folder: run it as their owner, or as root.
tune-file-unread = { $path } cannot be read: { $reason }
    .remedy = Whoever runs this must be allowed to read the file: run it as its owner, or as root.
tune-still-answers = “{ $name }” was stopped, and at { $ready } process { $pid } ({ $command }) listens still: it does not carry the mark of the study, so that it is not ended, and would respond in the place of “{ $name }”
    .remedy = End it. Have “start” leave no process with an environment of its own, or give “stop” a command that ends it.
tune-journal-not-ours = { $path } belongs to another user, may be written by others, or is a link: what it says is not trusted, and nothing is brought back by it
    .remedy = Run this as the user who made the study. If you know that nobody else has written there: chown it to you, and chmod go-w.
tune-journal-unusable = The folder of the study, { $path }, cannot be read or kept: { $reason }
tune-journal-damaged = Line { $line } of { $path }/journal.jsonl cannot be read: it is damaged, or of another version of Plimsoll. What the other lines say is brought back.
tune-journal-lost = The journal in { $path } does not say what was changed, and copies of originals lie there: files may be changed still, and processes of the study may run (they have PLIMSOLL_TUNE in their environment). Call plimsoll tune STUDY --restore with the study's file: it names each original beside its files, and the command that puts it back. Then remove { $path }.
tune-file-several-names = { $path } is one file with { $count } names (hard links): a study would change it under this name alone, and under the others the old content would stay. Let the target read a copy that has one name, and give that one in the study; or remove the other names (find / -xdev -samefile FILE lists them).
tune-not-restored = { $path } has an original of another study beside it: that study goes on, or was killed. Wait for it, or bring the file back with: plimsoll tune --restore. If that finds nothing, because its folder of runs was removed, the original is { $original }; put it back with: { $command }
tune-nothing-stays = What --keep-best was to leave in place could not be left there as a whole, so nothing of it is: { $reason }
tune-another-default = The study says that the knob “{ $name }” is { $default } (“default”), and the target shows { $has }. At the end { $default } would be set there, so nothing is set at all. Write what the target has as “default”, or set it there first.
tune-changes-untold = The result stands, but its changes cannot be told line by line: { $reason }
tune-both = { $first }
    { $rest }
tune-file-not-as-left = { $path } is not any more what this study wrote or found there last: { $what ->
        [gone] it is gone
        [link] it is a symbolic link now
        [no_file] it is no regular file now
       *[changed] somebody else has changed it
    }. Nothing is written there, and the study ends.
tune-file-not-back = { $path } is not brought back: it is { $what ->
        [link] a symbolic link
       *[no_file] no regular file
    } now. Nothing was written there or to what it leads to. Its original is { $original }. Move away what is there and repeat: plimsoll tune --restore
tune-file-another-folder = { $path } is neither changed nor brought back: its folder is another one than when the study began (now { $now }). Its original is in the folder that was there, as { $original }. Put that folder back in its place and repeat: plimsoll tune --restore
tune-file-folder-gone = The folder of { $path } is gone, so that nothing is changed or brought back there. If it was moved, the file in it is as the study left it, and its original lies beside it as { $original }.
tune-file-never = { $path } lies by now where the study never changes anything: { $never }. Nothing is written there, and the study ends.
tune-original-changed = The original of { $path }, { $original }, was removed, replaced or changed by somebody else. The study ends.
tune-original-lost = { $path } is not brought back: its original { $original } is gone or was changed by somebody else, and the study has no copy of it. Write the file as it was and repeat: plimsoll tune --restore
tune-original-mended = { $path } is as it was, by the copy that the study had of it: its original { $original } was gone or had been changed by somebody else.
tune-others-kept = Somebody else has changed { $path } or its original since the study began. The original is back; their version is { $other }.
tune-ready-before-start = The component “{ $name }” is ready at { $ready } before it was started: something else is there{ $known ->
    [no] { "" }
   *[yes] { " " }(process { $pid }: { $command })
}. Stop it, or replace “start” by “running: true” and “reload: COMMAND”.
tune-ready-before-start-command = The target is up at { $ready } before its start command was run{ $known ->
    [no] { "" }
   *[yes] { " " }(process { $pid }: { $command })
}. With --start Plimsoll starts and stops the target itself, anew for each trial: stop what is there and call this again. If it must go on running, write a study instead, with a component that has “running: true” and “reload: COMMAND” (docs/tune.md).
tune-cannot-stop = The component “{ $name }” cannot be stopped
tune-busy = This study is already running in another process, which holds { $path }
tune-unknown-family = No knob or family of knobs is called “{ $name }”. Families: { $known }
tune-start-where = Plimsoll cannot tell when the target is ready: “{ $target }” is not a host with a port
    .remedy = Name the address in the plan, or write a study with “ready”.
tune-nothing-to-resume = There is nothing to go on with: { $begun ->
    [no] no study called “{ $name }” was begun with this folder of runs (--out)
   *[yes] the study “{ $name }” (with --objective, --measure, --warm-up, --seed and --from), its plan, a data file of the plan or a file that it changes is not as it was then (--keep-best changes files, too)
}. Leave out --resume.
tune-study-gone = Settings that commands had made are not brought back: the study cannot be read any more{ $any ->
    [no] { "" }
   *[yes] { ": " }{ $reason }
}
tune-knob-not-back = The knob “{ $name }” was { $was } and is not brought back: nothing says how any more. Write it into the study as it was and repeat plimsoll tune --restore, or set it by hand.
tune-component-not-back = The component “{ $name }” has not read its settings again: nothing says how any more. Write it into the study as it was and repeat plimsoll tune --restore, or reload it by hand.
tune-approve = Make this change? (y/n)
tune-approve-nobody = --approve waits for a yes, and nobody can say it: the standard input is no terminal. Run it in a terminal, or leave out --approve.
tune-url-without-start = { $url } is an address, no study. With --start 'COMMAND' Plimsoll starts the target itself and tries what the findings advise; else write a study that names the address as its plan (docs/tune.md).
tune-now-kept = What is kept is in force now, as far as files, databases and the kernel hold it. --restore brings nothing back: to undo it, take the lines that begin with “-”.
tune-now-restored-start = All is as it was. To use what is kept, put the arguments and variables above into your own start command.
tune-now-restored = All is as it was found again. To leave what is kept in files, databases and the kernel, use --keep-best; arguments and variables you take over yourself.
tune-trial = Trial { $number }/{ $of }: { $what } → { $result } (best { $best }, at most { $left } min left)
tune-trial-what = { $why } { $tried }
tune-why-baseline = as it was found
tune-why-incumbent = the best again:
tune-why-advice = advised by { $finding }:
tune-why-search = search:
tune-why-final = final comparison:
tune-why-put-back = without { $knob }:
tune-measured = { $value }
tune-measured-generator = { $value }, the load generator was the bottleneck
tune-measured-unsteady = { $value }, not steady
tune-measured-cut = { $value }, ended early
tune-measured-broken = { $value }, a constraint is broken: { $broken }
tune-void = void: { $knob } should be { $wanted }, but the target { $seen ->
    [no] does not show it
   *[yes] has { $has }
}
tune-does-not-start = does not start{ $any ->
    [no] { "" }
   *[yes] { ": " }{ $detail }
}
tune-hangs-in-start = not ready in time{ $any ->
    [no] { "" }
   *[yes] { ": " }{ $detail }
}
tune-died = died under load{ $any ->
    [no] { "" }
   *[yes] { ": " }{ $detail }
}
tune-no-success = no request succeeded (run { $detail })
tune-command-failed = a command failed: { $detail }
tune-not-approved = not approved
tune-interrupted = interrupted

## The result

tune-kept = Better: with { $values } { $metric } changes by { $share } ({ $interval } at { $confidence } % confidence, { $pairs } pairs)
tune-kept-to-meet = Kept because it meets constraints that the target as it was found breaks: { $values } ({ $metric }: { $share }, { $interval } at { $confidence } % confidence, { $pairs } pairs)
tune-better-breaks = With { $values } { $metric } changed by { $share } ({ $interval } at { $confidence } % confidence, { $pairs } pairs), but this broke a constraint in more than a fifth of its runs, or could not be measured again. Nothing is kept.
tune-effect-of = This was measured with { $values }. What was put back since then had its own test; nothing was left to measure the rest on its own.
tune-not-shown = No gain was shown: with { $values } { $metric } changed by { $share } ({ $interval } at { $confidence } % confidence, { $pairs } pairs), which may be chance. Nothing is kept.
tune-died-at-the-end = Nothing could be judged: in the final pairs { $any ->
    [no] the target as it was found
   *[yes] the target with { $values }
} could not be measured any more ({ $what }), after { $made ->
    [one] 1 pair
   *[other] { $made } pairs
}. Nothing is kept.
tune-note = { $kind ->
    [generator_limited] The load generator was the bottleneck in { $before } of the { $after } runs that decided: they tell little of the target. Free the machine that generates the load, or load from several, and repeat the study.
    [falls] Note: the throughput falls within the runs: in the second half it is { $after } % of the first half's, in place of { $before } %. What was measured may not last: measure for longer.
    [mix] Note: the mix of the samples is another one: { $text }. Figures over all labels change with it; put goals on labels.
    [p99] Note: the 99th percentile rises from { $before } to { $after } ms.
    [memory] Note: the memory rises from { $before } to { $after } MiB.
    [responses] Note: a response has { $after } bytes on average in place of { $before }. Whoever sends less may be quicker for that alone: look at the responses; a “check” in the plan makes sure of the right ones.
    [status] Note: most responses have another status: { $text }. Look at the responses; a “check” in the plan makes sure of the right ones.
    [errors] Note: { $after } % of the samples failed in place of { $before } %.
    [sent_again] Note: requests were sent again because their connections were closed: { $after } % of the samples in place of { $before } %.
    [baseline_moved] Note: the target as it was found is another one at the end: { $before } at first, { $after } in the final pairs. Something that trials leave behind, or that changed meanwhile, is in these figures. Where trials leave data behind, a “reset” that restores it mends that.
    [warm_up_short] Note: nobody can tell from { $before } s of warm-up whether the target was steady: it takes { $after } s or more (warm-up). Runtimes that compile while they run, and caches, take longer.
    [broken] Note: { $before } of { $after } runs with it broke a constraint: { $text }
    [not_confirmed] Note: nothing shows that the target has these values; they were written: { $text }
    [rare] Note: what is kept was measured { $before } times. What goes wrong in fewer than { $after } % of its starts may not have been among them (95 % confidence).
   *[other] Note: { $kind } { $text }
}
tune-not-better = Nothing better was found: with { $values } { $metric } changed by { $share } ({ $interval } at { $confidence } % confidence, { $pairs } pairs). Nothing is kept.
tune-not-judged = Nothing could be judged: the budget { $made ->
        [0] has no room for a pair of runs
        [one] has room for 1 pair of runs only
       *[other] has room for { $made } pairs of runs only
    }. By the noise and the time of a trial that were seen, a gain of { $gain } % takes { $pairs } pairs: about { $trials } trials, { $minutes } minutes in all (--trials, --time)
tune-nothing-better = Nothing better than the target as it was found was seen in what was tried
tune-nothing-tried = Nothing was tried: no finding advises one of these settings, and there is no other value to try (ranges and relations may leave none). Without a study only what findings advise is tried; with --watch-allow-capture they see more of the target
tune-none-measured = { $refused ->
    [yes] Nothing was compared: no change was approved
   *[no] Nothing could be compared: none of { $count } { $count ->
        [one] trial
       *[other] trials
    } with changed settings could be measured. The last: { $last }
}
tune-metric = { $name ->
    [mean] the mean response time
    [sum] the objective
   *[other] { $name }
}
tune-no-baseline = The target as it was found could not be measured{ $any ->
        [no] { "" }
       *[yes] { ": " }{ $what }
    }. { $mute ->
        [yes] Start the target by hand as the study does, make a run of the plan (plimsoll run PLAN) and look at its errors; once it succeeds, repeat the study.
       *[no] Start the target by hand as the study does, and make a run of the plan (plimsoll run PLAN); once it succeeds, repeat the study.
    }
tune-rate-decides = The plan's arrival rates fix the throughput ({ $load }): a target that keeps up cannot improve it. Ask for “maximise capacity” or “minimise p99”, or load with “users”.
tune-no-capacity = As it was found the target carries no load at all under the constraints: at the least that was tried it breaks { $broken }. Nothing can be compared with that. Loosen this constraint so that the target meets it under some load; or tune for something else first, such as “objective: minimise p99” without the constraint, apply what that keeps, and come back to the capacity.
tune-was-interrupted = Interrupted; all is as it was. Go on with --resume. The best so far: { $any ->
    [no] as it was found
   *[yes] { $values }
}
tune-knob-kept = { $knob }={ $value } is needed: by it { $metric } changes by { $share } ({ $interval })
tune-knob-needed = { $knob }={ $value } is needed: without it a constraint is broken, or the target cannot be measured
tune-knob-untested = { $knob }={ $value } is kept, not tested alone: no trial was left for that. --resume with more --trials tests it
tune-knob-put-back = { $knob }={ $value } is put back: its gain was not shown ({ $share }, { $interval })
tune-limits = { $healthy ->
    [1] What the time goes to now, with no fault in it: { $title }
   *[other] The bottleneck now: { $title }
}
tune-changes = The changes:
tune-spent = { $count ->
        [1] 1 trial
       *[other] { $count } trials
    } in { $minutes } minutes
tune-given-up = { $knob }={ $value } gives up { $what } for this
tune-limits-unknown = What limits now is not known: nothing that was watched names it. More is seen with more sources (“watch”, --watch) and with captures (--watch-allow-capture).
tune-knobs-of-family = plimsoll tune --knobs FAMILY tells where each is written, how it is read back, and its source
tune-before = before
tune-after = after
tune-candidate = candidate, not kept
tune-change = change
tune-throughput = throughput (/s)
tune-mean = mean response time (ms)
tune-p99 = p99 (ms)
tune-errors = errors (%)
tune-memory = memory (MiB)

## Bringing back

tune-restored = { $name }: { $count ->
    [0] no file had to be brought back
    [one] brought back { $files }
   *[other] brought back { $files }
}{ $processes ->
    [1] ; processes of the study were ended
   *[other] { "" }
}
tune-nothing-to-restore = There is nothing to bring back here. With a study (plimsoll tune STUDY --restore) it is also looked for originals beside its files.

## Dry run

tune-plan-agent = { "  " }by the agent { $agent }, as its own file says
tune-plan-component = Component { $name }:
tune-plan-reset = In each trial, before the load:
tune-plan-advice-only = Of the settings below only those that a finding advises are changed, within these bounds (what the program does not have is never advised):
tune-plan-knob = Knob { $name }:
tune-plan-present = { "  " }{ $value } (as it is now)
tune-plan-of = { $kind ->
    [start] { $name }: start command
    [environment] { $name }: environment
   *[commands] { $name }: commands
}
tune-plan-added = { "  " }(not written there yet: it is added)

## Keys of a study

plan-object-study = study
plan-object-study-component = component
plan-object-agent-scope = file of an agent
plan-object-study-knob = knob
plan-object-read-back = way to read a value back
plan-object-read-back-http = way to read a value back
plan-object-read-back-command = way to read a value back
plan-object-read-back-sql = way to read a value back
plan-object-read-back-nothing = way to read a value back
plan-kind-objective = what is to become better: “maximise throughput”, “maximise capacity”, “minimise p99” (or p50, p90, p95, p99.9), “minimise mean”, “minimise memory”, or a sum with weights such as “maximise throughput * 1 - p99 * 0.5”
plan-doc-study-name = Name of the study; by default the file's.
plan-doc-study-plan = The plan (relative to the study's folder), or a URL.
plan-doc-study-objective = What is to become better.
plan-doc-study-constraints = Goals that a configuration must meet to be kept.
plan-doc-study-most-memory = The most resident memory of all components that Plimsoll starts, together.
plan-doc-study-most-cpu = The most processor time that all components that Plimsoll starts may use together while they are measured, in CPUs: 1.5 is one and a half.
plan-doc-study-components = What the target is made of, by name, in the order in which it is started.
plan-doc-study-knobs = What may be changed, by name.
plan-doc-study-relations = What must hold between knobs, such as pool <= threads - 10.
plan-doc-study-allow = What may be given up for speed, by the names of knobs.
plan-doc-study-never = Files, folders, keys and knobs that are never touched.
plan-doc-study-reset = The command that resets data: it runs in each trial once the target is ready, before any load.
plan-doc-study-search = How it is looked for, after what findings advise.
plan-doc-study-users = Users of each run, in place of the plan's.
plan-doc-study-measure = How long each run measures; for a capacity, how long each step is, 5 s if it is not given.
plan-doc-study-warm-up = The most that is waited for a steady state before each run.
plan-doc-study-trials = Trials at most.
plan-doc-study-time = Time at most.
plan-doc-study-error-rate = False-positive rate of the whole study: the probability that it keeps a change although none helps.
plan-doc-study-smallest-gain = Smaller gains do not matter.
plan-doc-study-seed = Seed of the search.
plan-doc-component-start = The command that starts it; it stays in the foreground or leaves a daemon. It does not go through a shell.
plan-doc-component-systemd = The unit that systemd runs it as.
plan-doc-component-compose = The service that Docker Compose runs it as.
plan-doc-component-agent = The agent on its host that changes it, as its own file says: tls://HOST:PORT,fingerprint=…,token-file=….
plan-doc-agent-scope-lease = How long after a study was last heard of everything is restored.
plan-doc-component-running = It is running already and is only reloaded.
plan-doc-component-compose-file = The file of Docker Compose.
plan-doc-component-folder = Its working folder, relative to the study's folder.
plan-doc-component-environment = Its environment, beside the one that is there.
plan-doc-component-stop = The command that stops it; by default a signal does. Only with “start”.
plan-doc-component-reload = The command with which it reads its settings again.
plan-doc-component-ready = When it is ready: an http address, host:port, or a command that then succeeds.
plan-doc-component-ready-within = How long it may take to be ready.
plan-doc-component-stop-within = How long it may take to stop, before it is made to.
plan-doc-component-watch = What shows its settings and is watched while it is loaded, such as actuator=http://127.0.0.1:8081 or mysql=127.0.0.1:3306,user=app.
plan-doc-component-database = Where it takes statements: mysql://127.0.0.1:3306,user=tuner,password-env=PW, or postgresql://….
plan-doc-knob-knob = One of the knobs that plimsoll tune --knobs lists; by default the one that has its name.
plan-doc-knob-key = Its key in the file.
plan-doc-knob-argument = The argument of the start command, with {"{}"} for the value, such as -Xmx{"{}"}m.
plan-doc-knob-env = The environment variable of the component.
plan-doc-knob-command = The command that sets it, with {"{}"} for the value.
plan-doc-knob-sql = The statement that sets it in the component's database, with {"{}"} for the value, such as SET GLOBAL innodb_io_capacity = {"{}"}.
plan-doc-knob-of = The component that it belongs to, where there are several.
plan-doc-knob-file = The file that it stands in, relative to the study's folder.
plan-doc-knob-format = The form of the file, where its name does not say it.
plan-doc-knob-range = The range of a number, such as 8..200.
plan-doc-knob-step = The step within the range.
plan-doc-knob-unit = What stands behind the number, such as m.
plan-doc-knob-by-ratio = Values are spaced by ratio, as for counts and sizes.
plan-doc-knob-values = The values of a choice.
plan-doc-knob-default = What it is now, where that cannot be read.
plan-doc-knob-only-if = What must hold for it to count, such as collector = g1.
plan-doc-knob-by-reload = A reload of the component is enough.
plan-doc-knob-read-back = How the value is read from the running target.
plan-doc-read-back-http = The http address that shows it.
plan-doc-read-back-pointer = Where in its JSON, as a JSON pointer; without one the whole body.
plan-doc-read-back-command = The command that prints it.
plan-doc-read-back-sql = The query whose first row has it in its last column, such as SELECT @@innodb_io_capacity.
plan-doc-read-back-nothing = Nothing can show it.

## The story of a study

tune-story-title = Tuning: { $name }
tune-story-before-after = Before and after
tune-story-figure = figure
tune-story-runs = { $kept ->
    [yes] Means of the runs of the final pairs: { $before } before, { $after } after.
   *[no] Means over { $before } runs of the target as it was found and { $after } of the candidate, which is not kept.
}
tune-story-kept = What each change brings
tune-story-knob = knob
tune-story-found = was
tune-story-value = value
tune-story-alone = brings
tune-story-interval = interval
tune-story-verdict = verdict
tune-story-needed = ✓ kept
tune-story-untested = ○ kept, not tested alone
tune-story-untested-note = ○: only the changes together were compared with the target as it was found. There was no trial left to put this one back alone, or another change needs it, or they were shown to bring the gain only together.
tune-story-put-back = put back
tune-story-alone-note = How much better it is with this change than without it, all others in place: by new runs in pairs. A change that brings nothing that could be shown is put back.
tune-story-changes = The changes
tune-story-limits = The bottleneck now
tune-story-way = The way to the best
tune-story-each-trial = each trial
tune-story-best-so-far = the best mean so far
tune-story-number = trial
tune-story-effects = What each knob did
tune-story-level = set to
tune-story-count = trials
tune-story-effect = effect
tune-story-less = less than before
tune-story-more = more than before
tune-story-changed = any value
tune-story-effects-note = Over all measured trials, each with the others taken out (an additive model, intervals at 95 % for all of them together); a dash where other knobs were always changed with it, or where the trials say nothing of it. This describes the trials. What is kept was decided by its own runs.
tune-story-effects-matched = These settings act together: what they do does not add up (F test of lack of fit at 5 %). So each row compares only trials that differ in nothing else (mean with an interval, at 95 % for all of them together); a dash where there are none, or where they say nothing of it. This describes the trials. What is kept was decided by its own runs.
tune-story-unmeasured = Void trials and failures
tune-story-trials = All trials
tune-story-tried = tried
tune-story-result = result
tune-story-why = why
tune-story-read-back = read back
tune-story-seconds = seconds
tune-story-void = void
tune-story-not-confirmed = { $knob }: written, not confirmed
tune-story-facts = The study
tune-story-plan = plan
tune-story-load = load of each run
tune-story-objective = objective
tune-story-error-rate = false-positive rate of the whole study
tune-story-smallest-gain = smallest gain that matters
tune-story-noise = noise of one run
tune-story-seed = seed
tune-story-took = took
tune-story-knobs = knobs as they were found
tune-does-not-start-short = does not start
tune-hangs-in-start-short = not ready in time
tune-died-short = died under load
tune-no-success-short = no request succeeded
tune-command-failed-short = a command failed
tune-shown-unreadable = { $path } is no result of plimsoll tune: { $reason }
tune-earlier-other-objective = The earlier study asked for something else: “{ $earlier }” in place of “{ $objective }”. Leave out --from.
tune-earlier-without-baseline = The earlier study has no run of the target as it was found with the knobs of this one. Leave out --from.
tune-too-few-trials = { $trials } trials can judge nothing: the end alone takes 10, the target as it was found is measured twice before, and there must be something to try. Give it { $least } or more (trials: { $least }, or --trials { $least }); where the figures are noisy it takes more.
