# JMeter plans: reading, translating, running them.

## Reading a .jmx file

jmeter-xml-too-long = the file is longer than { $limit_mib } MiB
    .remedy = Move bodies and data into files of their own.
jmeter-xml-encoding = the encoding “{ $encoding }” is not known
    .remedy = Save the plan as UTF-8 and write encoding="UTF-8" into its first line.
jmeter-xml-empty = no XML element in this file
    .remedy = A JMeter plan begins with <jmeterTestPlan>. Look whether this is the right file.
jmeter-xml-syntax = not understood as XML: { $detail }
    .remedy = Open the plan in JMeter and save it again, or mend this place by hand.
jmeter-xml-not-closed = <{ $name }> is not closed: the file ends within it
    .remedy = The file may be cut off: fetch it again.
jmeter-xml-too-deep = elements are nested more than { $limit } levels deep
    .remedy = Write the plan flatter: put parts of it into test fragments.
jmeter-xml-second-root = a second element at the top: an XML document has one
    .remedy = Remove what follows </jmeterTestPlan>.
jmeter-xml-entity = the entity &{ $name }; is not expanded
    .remedy = Write the text itself. Only &lt; &gt; &amp; &quot; &apos; and character numbers are read, for safety.
jmeter-xml-no-plan = <{ $name }> is not the beginning of a JMeter plan
    .remedy = A plan begins with <jmeterTestPlan>. Look whether this is the right file.
jmeter-xml-old-format = a plan in the format JMeter had before version 2.1
    .remedy = JMeter 5 does not read it either. Open it in JMeter 2.1 to 2.9, save it, and use that file.
jmeter-xml-no-elements = the plan holds no elements
    .remedy = Look whether this is the right file.

## Listeners
jmeter-listener-delimiter = the property jmeter.save.saveservice.default_delimiter is "{ $found }" but must be one printable character that is no letter, digit or double quote (\t for a tab)
jmeter-listener-file = the result file { $path } cannot be opened: { $reason } (name another in the listener, or make its folder writable)
jmeter-listener-file-broken = { $path } is not complete: { $reason }
jmeter-table-server = the Simple Table Server cannot listen on { $address }: { $reason } (jmeterPlugin.sts.port and jmeterPlugin.sts.listen name another port and address; without jmeterPlugin.sts.loadAndRunOnStartup there is none)
jmeter-backend-class = the backend listener's class { $class } is not known (known: GraphiteBackendListenerClient with TextGraphiteMetricsSender, InfluxdbBackendListenerClient and InfluxDBRawBackendListenerClient with HttpMetricsSender or UdpMetricsSender); disable the listener, or use one of these
jmeter-backend-window = the property backend_metrics_window_mode is "{ $found }" but must be fixed or timed
jmeter-backend-filter = the backend listener's filter { $pattern } is not a regular expression: { $reason }
jmeter-backend-host = the backend listener would send to { $host }, which is not allowed: add --allow-host { $host }, or disable the listener
jmeter-backend-address = the backend listener's address "{ $address }" is none: it must be http://HOST:PORT/write?db=NAME, or HOST:PORT for UDP
jmeter-backend-lost = { $lost } of { $sent } reports to { $target } were lost, the last one because: { $reason }

## packages at run time
jmeter-log = JMeter's log: { $text }
jmeter-failed = { $reason }
jmeter-listeners-lost = The thread that writes result files crashed: what the plan's listeners wrote is incomplete.

## the command line
jmeter-properties-unreadable = the properties file { $path } cannot be read: { $reason }
    .remedy = Name a file of JMeter properties: lines of name=value.
jmeter-properties-not-obeyed = { $count ->
        [one] the property { $names } would change this test in JMeter and is not obeyed here
       *[other] { $count } properties would change this test in JMeter and are not obeyed here: { $names }
    }
    .remedy = docs/jmeter-properties.md says why, and what to use instead.

## The JVM companion (crates/companion)

jmeter-companion-not-built = this plan needs the JVM companion, which was not found (looked in { $looked }). Install the package plimsoll-companion, or build it in the source: make companion; or name its folder: PLIMSOLL_COMPANION=DIR
jmeter-companion-not-there = PLIMSOLL_COMPANION names { $folder }, which holds no companion.jar. Install the package plimsoll-companion or build it (make companion), or unset PLIMSOLL_COMPANION
jmeter-companion-no-java = this plan needs the JVM companion, and no Java was found (looked for { $looked }, by { $variable }). Install Java 17 or newer, or name its folder: PLIMSOLL_JVM_HOME=DIR
jmeter-companion-no-version = { $java } does not say which Java it is. Its output: { $said }. Name another: PLIMSOLL_JVM_HOME=DIR
jmeter-companion-old-java = { $java } is Java { $found }; the JVM companion needs { $least } or newer. Name another: PLIMSOLL_JVM_HOME=DIR
jmeter-companion-other-version = the JVM companion speaks version { $found } of the protocol, this program version { $wanted }. Take both of one release, or build it again: make companion
jmeter-companion-ended = the JVM companion ended while starting. Its output: { $said }
jmeter-companion-slow = the JVM companion was not ready after { $seconds } s. Its output: { $said }
jmeter-companion-system = the JVM companion cannot be started: { $what }: { $why }
jmeter-companion-gone = the JVM companion ended during the run, so everything that needs it failed. Its last output: { $said }
jmeter-companion-late = the JVM companion has not responded for { $seconds } s
jmeter-companion-unreadable = a response of the JVM companion cannot be read ({ $why }). Build it again: make companion

## Translating a plan

jmeter-no-test-plan = the file holds no test plan
    .remedy = A plan has a <TestPlan> at its top. A file of fragments can only be included.
jmeter-outside-of-thread-groups = “{ $name }” stands where nothing runs it
    .remedy = Move it into a thread group.
jmeter-second-test-plan = the file has a second test plan, “{ $name }”: it is not run
    .remedy = Put it into a file of its own.
jmeter-strange-property = JMeter has no property of the kind “{ $name }” and does not open the file
    .remedy = Take the line out, or write the kind that is meant, such as stringProp.
jmeter-not-fixed = { $what } is “{ $text }”, which only the run could tell
    .remedy = Write a number, a variable of the plan or a property (${"{"}__P(name,default){"}"}, set with -Jname=value).
jmeter-not-a-number = { $what } is “{ $text }”, which is not a number
    .remedy = Write a number.
jmeter-counts-as-zero = { $name }: { $what } is “{ $text }”, which is no whole number of 32 bits: as in JMeter it counts as 0
    .remedy = Write a whole number without blanks, a variable of the plan or a property (${"{"}__P(name,default){"}"}, set with -Jname=value).
jmeter-perfmon-address = { $name }: no agent is at “{ $address }”: as in JMeter its metrics stay without values
    .remedy = Write the host and the port (4444) of the agent, or take the line out.
jmeter-too-many = the plan has more than { $limit } elements after modules and includes are put in
    .remedy = Let modules and includes lead to less.
jmeter-too-deep = elements are nested more than { $limit } levels deep after modules and includes are put in
    .remedy = Write the plan flatter.
jmeter-if-condition = the brackets in the condition “{ $condition }” do not pair
    .remedy = Tick “Interpret Condition as Variable Expression” and write the condition with __jexl3 or __groovy.
jmeter-module-in-include = the Module Controller “{ $name }” in an included file does nothing, as in JMeter
    .remedy = Put what it leads to into the included file, or include it from there.
jmeter-module-target = nothing stands at { $path }, where this Module Controller leads
    .remedy = Choose its target again: an element on the path may have been renamed.
jmeter-module-in-itself = the Module Controller leads to { $path }, which holds it
    .remedy = Let it lead elsewhere.
jmeter-include-missing = the included file “{ $file }” cannot be read; looked for from here and from { $folder }
    .remedy = Correct the path, or set its beginning with -Jincludecontroller.prefix=FOLDER/
jmeter-include-in-itself = { $file } includes itself
    .remedy = Include another file.
jmeter-include-no-fragment = no test fragment in “{ $file }”: nothing of it is run, as in JMeter
    .remedy = Put what is to be included below a Test Fragment.
jmeter-no-duration = the scheduler of “{ $name }” is on without a duration above 0 and a delay of 0 or more
    .remedy = Write the duration in seconds, or switch the scheduler off.
jmeter-no-threads = “{ $name }” is left out: it has no threads, no loops or no schedule
    .remedy = If that is meant, disable it.
jmeter-feedback-users = the number of users follows a Throughput Shaping Timer: all { $users } that it may ask for are there from the start, and the timer keeps the rate
    .remedy = To have fewer of them, lower the third argument of __tstFeedback.
jmeter-schedule = the schedule is not understood at “{ $rest }”
    .remedy = It is made of rate(2/sec), random_arrivals(1 min), even_arrivals(1 min) and pause(10 s), with ms, s, m, h, d.

## What does not run

jmeter-unsupported-element = { $class } “{ $name }” is not supported: { $lost }
jmeter-unsupported-function = the function { $name } is not supported: { $lost }
jmeter-unsupported =
    .remedy = { $instead } Or disable it, or start with --allow-unsupported.
jmeter-dropped-element = { $class } “{ $name }” does nothing: JMeter itself dropped it
    .remedy = Use what JMeter has in its place (an HTTP Request for SOAP and web services, User Parameters for parameters).
jmeter-lost-tool = it has no part in a test
jmeter-lost-dropped = JMeter dropped it, and so does nothing with it
jmeter-instead-jexl = Use a Groovy function (${"{"}__groovy(…){"}"}), which runs in the companion.
jmeter-instead-dropped = Use what JMeter has in its place.
jmeter-lost-threads = its users and requests do not run.
jmeter-instead-threads = Use a Thread Group, Open Model, Stepping, Ultimate, Concurrency or Arrivals Thread Group.
jmeter-lost-controller = its order is lost; what is below it runs once, one after the other.
jmeter-instead-controller = Use one of JMeter’s own controllers.
jmeter-lost-sampler = its requests are not sent.
jmeter-instead-sampler = Use an HTTP Request or another sampler of JMeter’s own.
jmeter-lost-timer = it does not wait.
jmeter-instead-timer = Use one of JMeter’s own timers.
jmeter-lost-assertion = it checks nothing.
jmeter-lost-processor = its values are not set.
jmeter-instead-script = Use one of JMeter’s own, or a JSR223 element.
jmeter-lost-listener = it shows and writes nothing; the results are the same.
jmeter-instead-listener = Use Plimsoll’s report, -l results.jtl, or a Simple Data Writer.
jmeter-lost-unknown = what it does is not known.
jmeter-instead-unknown = Use elements of JMeter’s own.
jmeter-instead-jar = Maven Central has it: { $coordinates }. Put the jar into lib/ext of the JVM companion, or name its folder with --plugins.
jmeter-instead-jar-with-libraries = Maven Central has it: { $coordinates }, and the libraries that it needs: { $libraries }. Put all of these jars into lib/ext of the JVM companion, or name their folder with --plugins.
jmeter-lost-jexl = Java’s classes (“new”, “class”, “pragma”) are not there, and the script has no value.
jmeter-lost-function = its text stays as it is written.
jmeter-instead-function = Use one of JMeter’s own functions, such as __groovy.
jmeter-instead-native-function = Use { $native }, which runs natively.
jmeter-instead-native-element = Use JMeter’s own { $native }, which runs natively.
jmeter-check-what = element or function
jmeter-check-name = name
jmeter-check-at = line:column
jmeter-check-where = runs
jmeter-check-note = note
jmeter-check-native = natively
jmeter-check-companion = in the JVM companion
jmeter-check-unsupported = NOT SUPPORTED
jmeter-check-disabled = disabled in the plan
jmeter-check-sum = { $native } run natively, { $companion } in the JVM companion, { $unsupported } are not supported.
jmeter-check-no-companion = The JVM companion cannot be started here, and this plan needs it: { $reason }
jmeter-listeners-start = The thread for result files cannot be started: { $reason }

## Client certificates
jmeter-keystore-missing = the keystore { $path } is not there: correct -Djavax.net.ssl.keyStore=FILE (relative names start from the current folder)
jmeter-keystore-no-password = the keystore { $path } needs its password: add -Djavax.net.ssl.keyStorePassword=PASSWORD
jmeter-keystore-password = the password does not open the keystore { $path }, or not one of its keys: correct -Djavax.net.ssl.keyStorePassword=PASSWORD (the keys must have the same one)
jmeter-keystore-kind = the keystore { $path } is of the kind { $kind }; PKCS12 and JKS can be read. Convert it: keytool -importkeystore -srckeystore { $path } -destkeystore clients.p12 -deststoretype PKCS12
jmeter-keystore-damaged = the keystore { $path } cannot be read: { $reason }
jmeter-keystore-empty = none of the { $keys } private keys of the keystore { $path } is used: the Keystore Configuration asks for those from { $first } to { $last } (counted from 0; -1: to the last)
jmeter-keystore-key = the private key of the alias { $alias } cannot be used for TLS: { $reason } (RSA, ECDSA and Ed25519 can)
jmeter-keystore-indices = the Keystore Configuration asks for keys from { $first } to { $last }: the first must be 0 or more, the last must not be before it (-1: to the last)
jmeter-keystore-none = The plan has a Keystore Configuration, and no keystore is named: no client certificate is sent. Name one: -Djavax.net.ssl.keyStore=FILE -Djavax.net.ssl.keyStorePassword=PASSWORD
jmeter-keystore-expired = The client certificate of the alias { $alias } expired on { $date }: servers will refuse it.
