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
jmeter-backend-class = the backend listener's class { $class } is not known (known: GraphiteBackendListenerClient with TextGraphiteMetricsSender, InfluxdbBackendListenerClient and InfluxDBRawBackendListenerClient with HttpMetricsSender or UdpMetricsSender); disable the listener, or use one of these
jmeter-backend-window = the property backend_metrics_window_mode is "{ $found }" but must be fixed or timed
jmeter-backend-filter = the backend listener's filter { $pattern } is no regular expression: { $reason }
jmeter-backend-host = the backend listener would send to { $host }, which is not allowed: add --allow-host { $host }, or disable the listener
jmeter-backend-address = the backend listener's address "{ $address }" is none: it must be http://HOST:PORT/write?db=NAME, or HOST:PORT for UDP
jmeter-backend-lost = { $lost } of { $sent } reports to { $target } were lost, the last one because: { $reason }

## packages at run time
jmeter-log = JMeter's log: { $text }
jmeter-waits = waits for the JVM companion
jmeter-failed = { $reason }
jmeter-listeners-lost = The thread that writes result files broke down: what the listeners of the plan wrote is not complete.
