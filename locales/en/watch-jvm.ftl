# Watching JVMs from the outside: hsperfdata, attach, GC logs, dumps.
