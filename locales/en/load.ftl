# load

## Functions of templates
function-argument = { $usage }: argument { $number } is "{ $found }" but must be { $wants }
function-wants-whole-number = a whole number
function-wants-length = a whole number from 0 to 10000000
function-wants-alphabet = at least one character
function-wants-zone = utc or local
function-wants-strftime = a format such as %Y-%m-%d %H:%M:%S
function-wants-time-unit = ms, s, us or ns
function-env-not-set = the environment variable { $name } is not set: set it, or give a default as in env({ $name }, value)
function-counter-unknown = the counter { $name } is not known: this is an error of the plan's compiler, please report it

## Scripts
script-engine = JavaScript cannot be started: { $reason }
script-unknown = script { $number } is not known: this is an error of the plan's compiler, please report it
script-failed = the script at line { $plan_line } of the plan failed in its line { $line }: { $thrown }
script-timed-out = the script at line { $plan_line } of the plan took longer than allowed and was stopped in its line { $line }: look for a loop that does not end
script-fail = the script at line { $plan_line } of the plan says: { $why }
script-fail-silent = the script at line { $plan_line } of the plan called fail() without a reason
