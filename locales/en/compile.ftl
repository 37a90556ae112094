# What is found when a plan is compiled.

compile-no-scenario = The plan has no scenario: nothing would be loaded.
compile-set-unknown = --set { $name }: the plan neither defines nor uses a variable of this name.
compile-too-big = The scenario is too large: it needs more than 65,535 counters for loops and choices.
compile-too-many-users = { $users } users; at most { $limit } are possible
    .remedy = Each user is a connection with its own memory and descriptor. Use fewer users, a rate in place of users, or several runs side by side.
compile-too-high-rate = { $rate } arrivals a second; at most { $limit } are possible
    .remedy = Write a lower rate.
compile-too-deep = Steps are nested more than 100 deep.

compile-unclosed = “{ $text }” begins with { "${" } at character { $character } and never ends.
    .remedy = Close it with a brace, or write two dollar signs before the brace for the text itself.
compile-bad-name = “{ $text }” at character { $character } is neither a variable nor a function.
    .remedy = A name has letters, digits, “_”, “-” and “.”.
compile-bad-arguments = The arguments of “{ $text }” at character { $character } are not closed properly.
    .remedy = Arguments are separated by commas; put text with commas or brackets in quotes; close with a bracket and a brace.
compile-undefined = The variable “{ $name }” is not defined anywhere in the plan.
compile-did-you-mean = Did you mean: { $names }?
compile-known-variables = Defined are: { $names }. A variable that only a script sets must be defined in the plan too, for example as empty.
compile-no-variables = The plan defines no variables. Define it in the plan, or save it from a response.
compile-variable-later = “{ $name }” is defined further down; a value may use only the variables above it.
compile-unknown-function = There is no function “{ $name }”.
compile-known-functions = Functions are: { $names }.
compile-argument-count = { $name } does not take { $count } arguments.
compile-wrong-argument = { $name } cannot use “{ $argument }”.
compile-usage = Usage: { $usage }.
compile-no-environment = The environment has no variable “{ $name }”.
    .remedy = Set { $name }, or give a default as the second argument.
compile-not-fixed = { $what }: the value must be known before the run, but this one may change.
    .remedy = Use text, or variables of the plan that nothing sets (“{ $text }” is none).

compile-counter-differs = The counter “{ $name }” is defined elsewhere with another start or step.
compile-counter-format = The number format “{ $format }” is not supported yet, only zeros are.
compile-counter-step = A counter with an end needs a step other than 0.
compile-rows-differ = The data “{ $name }” shares a file with other data, but not the order or what happens at the end.
compile-rendezvous-differs = The rendezvous “{ $name }” is defined elsewhere with another number of users or timeout.
compile-rendezvous-never = The rendezvous “{ $name }” waits for { $users } users, but at most { $come } arrive.
    .remedy = Lower its users, raise the load, or give it a timeout.
compile-no-weight = All branches have weight 0: none could be chosen.
compile-random-order = A random order has at most 64 steps, this one has { $count }.
compile-spins = The loop never ends by itself, and nothing in it takes time.
    .remedy = Put a request or a think time in it, or limit it.
compile-not-a-count = “{ $text }” is not a number of times.
    .remedy = Use a whole number from 0.
compile-not-a-percentage = “{ $text }” is not a percentage from 0 to 100.
compile-extract-before = A value cannot be extracted from a response before the request.
compile-on-error-before = The reaction to a failure cannot be stated before the request.
compile-element = “{ $class }” works only on samplers that are elements, not on this request.
compile-not-beside-elements = This works only on requests (“get:”, “post:” …), but a sampler that is an element is in its scope too.
compile-script-sampler = A script that is a sample of its own is not supported yet.

compile-goal-label = A goal is for the label “{ $label }”, which no step has.
compile-known-labels = Labels are: { $names }.
compile-no-target = “{ $url }” is a path, but there is no target to join it to.
    .remedy = Set target: http://host:port for the plan, or write the whole address.
compile-bad-address = “{ $address }” is not an address that can be loaded.
    .remedy = An address is http://host:port/path or https://host:port/path.
compile-host-unknown = The host of this request is not known before the run, so it may be refused then.
    .remedy = List the hosts that may be loaded under hosts:, or with --allow-host.
compile-bad-host = “{ $host }” is not a host.
    .remedy = A host is a name or an address, with :port or without.
compile-header-name = “{ $name }” cannot be the name of a header.
compile-header-value = The value of the header “{ $name }” has a line break.
compile-regex = The regular expression “{ $pattern }” is not valid: { $reason }
compile-regex-group = The regular expression has { $groups } groups; there is no group { $group }.
compile-env-not-set = The environment variable { $env } is not set, and the variable { $name } has no default.
    .remedy = Set { $env }, give --set { $name }=…, or write a default: { $name }: {"{"} env: { $env }, default: … {"}"}
