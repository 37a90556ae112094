# plimsoll hops: the hops of a chain, each loaded alone

hops-none = No hop is named. Name each, the outermost first: --hop gateway=http://10.0.0.2:8080 --hop stock=http://10.0.0.3:8081, or under “hops” in the plan.
hops-needs-path = The plan's requests cannot be sent to the hop “{ $name }”: their address is not told apart from their path before the run, or they are JMeter's. Give its address with a path, as http://10.0.0.2:8080/orders: that request is sent then.
hops-unreachable = The hop “{ $name }” ({ $address }) cannot be reached. Its address must be reachable from here, past what stands before it.
hops-interrupted = Interrupted: the hops have no times.
hops-warming = Loading { $name } alone, to warm it up
hops-measuring = Loading { $name } alone, round { $number } of { $count }
hops-kept = Kept in run { $run }: plimsoll diagnose and its reports use them.
hops-title = Hops, each loaded alone
hops-name = Hop
hops-address = Address
hops-requests = Requests
hops-time = Mean, ms
hops-own = Adds itself, ms
hops-share = Adds, %
hops-slowest = { $name } adds most: { $ms } ms, { $percent } % of the time of the outermost hop.
hops-slowest-unclear = { $name } seems to add most: { $ms } ms, { $percent } % of the time of the outermost hop; another may add as much. More rounds tell them apart.
hops-not-nested = { $name } was quicker than what is told to be behind it: the order of the hops is another, or it answers without them.
hops-failed = { $name } mostly failed: nothing is known of its time, nor of what the hop before it adds.
hops-note = A hop's time holds that of all behind it; what it adds itself is its time less that of the next. Users of each scenario: { $users }; rounds: { $rounds }, of { $seconds } s for each hop; ±: 95 % interval.
