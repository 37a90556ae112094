# plimsoll hops: the hops of a chain, each loaded alone

hops-none = No hop is given. Name each, outermost first: --hop gateway=http://10.0.0.2:8080 --hop stock=http://10.0.0.3:8081, or under “hops” in the plan.
hops-needs-path = The plan's requests cannot be sent to the hop “{ $name }”: their address cannot be separated from their path before the run, or they are JMeter's. Give the hop an address with a path, such as http://10.0.0.2:8080/orders; that request is then sent.
hops-unreachable = The hop “{ $name }” ({ $address }) cannot be reached. It must be reachable from here directly, bypassing what stands in front of it.
hops-interrupted = Interrupted: the hops have no times.
hops-warming = Loading { $name } alone, to warm it up
hops-measuring = Loading { $name } alone, round { $number } of { $count }
hops-kept = Kept in run { $run }: plimsoll diagnose and its reports use them.
hops-title = Hops, each loaded alone
hops-name = Hop
hops-address = Address
hops-requests = Requests
hops-time = Mean, ms
hops-own = Adds, ms
hops-share = Adds, %
hops-slowest = { $name } adds most: { $ms } ms, { $percent } % of the time of the outermost hop.
hops-slowest-unclear = { $name } seems to add most: { $ms } ms, { $percent } % of the time of the outermost hop; another hop may add as much. More rounds tell them apart.
hops-not-nested = { $name } was faster than the hop that is said to be behind it: the order of the hops differs, or it responds without them.
hops-failed = { $name } mostly failed: neither its time nor what the hop in front of it adds is known.
hops-note = A hop's time includes that of all hops behind it; what it adds is its time minus that of the next hop. Users of each scenario: { $users }; rounds: { $rounds }, of { $seconds } s per hop; ±: 95 % confidence interval.
