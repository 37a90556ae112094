# load

## Functions of templates
function-argument = { $usage }: argument { $number } is "{ $found }" but must be { $wants }
function-wants-whole-number = a whole number
function-wants-length = a whole number from 0 to 10000000
function-wants-alphabet = at least one character
function-wants-zone = utc or local
function-wants-strftime = a format such as %Y-%m-%d %H:%M:%S
function-wants-time-unit = ms, s, us or ns
function-variable-not-set = { $variable } has no value here: no step before has set it (give it a first value under “variables”, or set it in all branches before)
function-text-too-long = the text is longer than { $limit_mib } MiB, which is the most that a template may make. A variable that takes itself in at each pass grows without end
function-env-not-set = the environment variable { $name } is not set: set it, or give a default as in env({ $name }, value)
function-counter-unknown = the counter { $name } is not known: this is an error of the plan's compiler, please report it
function-unknown-here = the function { $name } is not known here: nothing was given that runs it
value-waits = the value must be asked for first
extension-missing = nothing was given that runs { $what }: hand the engine an extension that knows it

## Files of requests
request-file-unreadable = the file { $path } cannot be read: { $reason } (paths start from the plan's folder)
request-tls-files = the files of “tls” cannot be used: { $reason } (paths start from the plan's folder)

## Scripts
script-engine = JavaScript cannot be started: { $reason }
script-unknown = script { $number } is not known: this is an error of the plan's compiler, please report it
script-failed = the script at line { $plan_line } of the plan failed in its line { $line }: { $thrown }
script-timed-out = the script at line { $plan_line } of the plan took longer than allowed and was stopped in its line { $line }: look for an endless loop
script-fail = the script at line { $plan_line } of the plan says: { $why }
script-fail-silent = the script at line { $plan_line } of the plan called fail() without a reason

## Values taken from responses
extract-json-path = JSONPath { $what }
extract-regex = the regular expression { $what }
extract-css = the CSS selector { $what }
extract-xpath = XPath { $what }
extract-header = the header { $what }
extract-cookie = the cookie { $what }
extract-boundary = the text between two boundaries
extract-body = the body
extract-status = the status
extract-url = the address
extract-nothing = no value for { $name }: { $how } found nothing in the response (give a default if that may happen)
extract-impossible = no value for { $name } by { $how }: { $why }
extract-not-json = the body is not JSON: { $reason }
extract-json-path-too-much = the path could look at more than { $limit } values of this response: name what is wanted instead of repeating `..`, selectors in brackets or a `$` in a filter
extract-xpath-failed = XPath could not be evaluated: { $reason }
extract-css-failed = the CSS selector could not be evaluated: { $reason }
extract-too-much = the matches for { $name } are longer than { $limit_mib } MiB together: take fewer of them
extract-regex-gave-up = the regular expression took too long and was stopped: { $reason }. Look-around and back-references are slow on long responses
extract-patterns-too-long = the regular expressions of the plan up to here took { $most } ms of CPU time to compile: take fewer, or smaller repetitions such as \w{"{"}1,300{"}"}
extract-bad-json-path = "{ $pattern }" is not a JSONPath (RFC 9535), at its character { $column }: { $reason }. An example: $.items[0].id
extract-bad-regex = "{ $pattern }" is not a regular expression: { $reason }
extract-regex-no-group = the regular expression "{ $pattern }" has no group { $group }, only { $groups }: put the wanted part in parentheses
extract-bad-css = "{ $pattern }" is not a CSS selector: { $reason }
extract-bad-xpath = "{ $pattern }" is not an XPath 1.0 expression: { $reason }. An example: //item[@id='1']/name

## Checks
check-failed = { $of } must { $test }, but is: { $found }
check-nothing = { $of } must { $test }, but there is none
check-wanted = { $of } must { $test }
check-impossible = { $of } cannot be checked: { $why }
check-of-count = the number of matches of { $what }
check-of-size = the size of the body in bytes
check-of-time = the service time in milliseconds
check-of-script = the value of the script
test-status-in = be { $ranges }
test-equal = be equal to "{ $with }"
test-not-equal = be other than "{ $with }"
test-less = be less than { $with }
test-at-most = be at most { $with }
test-greater = be greater than { $with }
test-at-least = be at least { $with }
test-contains = contain "{ $with }"
test-matches = match the regular expression "{ $with }"
test-exists = exist
test-truthy = be true
test-not = not hold: { $test }

## Data files
data-not-found = the file { $file } does not exist: paths start from the plan's folder
data-unreadable = the file { $file } cannot be read: { $reason }
data-unknown-encoding = { $file }: the encoding { $encoding } is not known: use for example utf-8, gbk, gb18030 or utf-16le
data-wrong-encoding = { $file }: line { $line } is not { $encoding }: name the file's encoding in the plan, for example encoding: gb18030
data-malformed = { $file } is not a CSV file: { $reason }
data-wrong-width = { $file }:{ $line }: { $found } fields, but the rows before have { $wanted }: a field that holds the delimiter must be in quotation marks
data-empty = the file { $file } has no rows of data
data-too-large = the file { $file } is too large: at most 4 GiB of text can be kept
data-no-column = { $file } has no column { $column }; it has: { $columns }
data-missing-remedy = Without its rows the users that want them end at once, as JMeter's threads do. Put the file where the plan names it.
data-unknown = data { $number } is not known: this is an error of the plan's compiler, please report it

## Loads that several machines share
share-lock = The lock "{ $name }" lets one user in at a time, which machines that do not coordinate cannot do. Run the whole plan on every machine (--each), or on one machine only.
share-meeting = Users wait for each other at the rendezvous "{ $name }", which is not possible over several machines. Run the whole plan on every machine (--each), or on one machine only.
share-in-flight = Scenario { $name } may have { $limit } users in flight, which cannot be divided into { $shares } shares. Raise max-in-flight to at least { $shares }, or use fewer workers.
share-in-order = The scenarios run one after the other, but no machine knows when the others have finished one. Let them start at fixed times (start-delay), or run the whole plan on every machine (--each).
share-setup-groups = The plan has setUp thread groups: the other groups wait for them, and what they set is known only on their own machine. Run the whole plan on every machine (--each).
late-iterations = Scenario { $name } ends after a number of iterations: a worker that takes over a share cannot know how many were done.
late-counter = The plan counts over all users: a worker that takes over a share would give the same numbers again.
late-rows = Each row of { $name } is used once: a worker that takes over a share would use some of them again.
late-passes = The plan does something only in the first passes of all users: a worker that takes over a share would do it again.
late-in-order = Parts of the plan wait for others to end: a worker that takes over a share cannot know when that was.

# Changes of a load while it runs.
change-not-begun = The load cannot be changed: it has not begun, or the run was taken up again.
change-over = The load cannot be changed: it is over, or will be before everybody could hear of it.
change-no-scenario = The plan has no scenario "{ $name }".
change-which-scenario = Several scenarios have a load of that kind: name one.
change-other-model = The load of scenario "{ $name }" is counted in something else: users of a closed load, a rate of an open one.
change-not-by-time = The load of scenario "{ $name }" is not ended by time, so that it cannot end later.
change-in-order = The load cannot be changed: when each scenario begins is not known before.
change-users = { $users } users are more than a scenario may have: { $most } at most.
change-rate = A scenario may have { $most } arrivals a second at most.
change-factor = The rate cannot be multiplied by { $factor }; allowed: 0 to 1000.
change-few-users = The plan has fewer users than there are workers: more of them need a plan that begins with more.
event-change-late = A load thread heard of a change too late; scenario { $scenario } made the load of before until then.
