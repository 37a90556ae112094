# Settings of servers: what they are, what is wrong with a value, what a running target shows.

knobs-head-knob = knob
knobs-head-range = range
knobs-head-default = default
knobs-head-applies = takes effect
knobs-head-gives = gives up
knobs-applies-at-once = at once
knobs-applies-reload = after a reload
knobs-applies-restart = after a restart
knobs-gives-durability = durability
knobs-gives-isolation = isolation
knobs-gives-data = data
knobs-gives-logs = log lines
knobs-gives-security = security

knobs-value = { $knob } cannot be { $given }. Allowed: { $allowed }

knobs-edit-at = Line { $line }, column { $column }: { $fault }
knobs-edit-not-text = The file is no text whose letters are ASCII's: it has zero bytes or is UTF-16. Save it as UTF-8.
knobs-edit-too-long = The file is longer than { $limit_mib } MiB, which no configuration is.
knobs-edit-syntax = The file cannot be read: { $detail }. Correct it, then try again.
knobs-edit-too-deep = The file is nested deeper than { $limit } levels.
knobs-edit-address = { $given } names no place in this kind of file. It must look like: { $form }
knobs-edit-no-parent = There is no { $name } in the file, where the value belongs. Add it, or name another file.
knobs-edit-several = The value stands in several places (lines { $lines }). Say which is meant.
knobs-edit-shared = { $name } is shared by an anchor or an alias, so that a change would change other values, too. Write it out where it is used.
knobs-edit-not-single = { $name } is no single value, but a list or a block. Name a value in it.
knobs-edit-value = { $given } cannot be written there: { $why }
knobs-edit-not-kept = The file would not be read with the value { $value } afterwards, so it was not changed.
knobs-why-control = it has a line end or a control character
knobs-why-outer-space = white space at its ends would be lost
knobs-why-interpolated = it would be taken for a variable
knobs-why-not-utf8 = the file is not UTF-8, so that only ASCII can be added

knobs-confirmed = { $knob } is { $has } ({ $by }).
knobs-differs = { $knob } was set to { $wanted }, but the target has { $has } ({ $by }).
knobs-not-visible = { $knob } was set to { $wanted }: written, not confirmed.
knobs-no-way = This target has no such view.
knobs-hidden = { $by } does not show it.
knobs-look-failed = { $by }: { $detail }

knobs-family-tomcat = Tomcat
knob-tomcat-threads-max = Worker threads: how many requests are handled at once
knob-tomcat-threads-min-spare = Worker threads that are kept when idle
