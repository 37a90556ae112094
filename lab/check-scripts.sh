#!/usr/bin/env bash
# Tests start.sh and stop.sh with real instances, in a state directory of its own.
set -uo pipefail

lab="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
work="$(mktemp -d)"
export PLIMSOLL_LAB_STATE="$work/the state" # a blank, on purpose
# Other tests may have the machine: what is asked is whether it starts, not how soon.
export PLIMSOLL_LAB_START_TIMEOUT_S=600
sleeper=
clean_up() {
    "$lab/stop.sh" --all
    [[ -z "$sleeper" ]] || kill "$sleeper" 2>/dev/null
    rm -rf "$work"
}
trap clean_up EXIT

passed=0
failed=0
check() {
    local what="$1"
    shift
    if "$@"; then
        ((passed++))
    else
        ((failed++))
        echo "FAILED: $what"
    fi
}
value() { sed -n "s/^$2=//p" "$work/$1.env"; }
# A zombie counts as dead: reaping it is up to the system's first process.
alive() { grep -q '^State:[[:space:]][^ZX]' "/proc/$1/status" 2>/dev/null; }
dead() { ! alive "$1"; }
start() {
    local name="$1"
    shift
    "$lab/start.sh" --name "$name" "$@" >"$work/$name.env" 2>"$work/$name.err"
}
fetch() { curl --noproxy '*' -fsS --max-time 60 "$1"; }
max_threads() { fetch "$(value "$1" MANAGEMENT_URL)/actuator/metrics/tomcat.threads.config.max"; }

# Two at once, one with a setting.
start a &
start_a=$!
check "the second of two starts works" start b -- --server.tomcat.threads.max=17 --lab.hello.sleep-ms=1
[[ -s "$work/b.env" ]] || cat "$work/b.err"
check "the first of two starts works" wait "$start_a"
check "a has Tomcat's default of 200 threads" grep -q '"value":200.0' <(max_threads a)
check "b has the setting given" grep -q '"value":17.0' <(max_threads b)
check "b answers" grep -q "after 1 ms" <(fetch "$(value b URL)/hello")
check "PID is the service's" grep -qa lab-service.jar "/proc/$(value a PID)/cmdline"
check "the output is three lines" test "$(wc -l <"$work/a.env")" = 3

# What must not work.
check "a name in use is refused" test "$(start a; echo $?)" = 1
"$lab/start.sh" --name a >"$work/a2.env" 2>"$work/a2.err"
check "the refusal says what to do" grep -q "stop.sh a" "$work/a2.err"
check "nothing of it reaches standard output" test ! -s "$work/a2.env"
check "a name that leaves the directory is refused" test "$("$lab/start.sh" --name ../x 2>/dev/null; echo $?)" = 1
check "another address is refused" test "$(start c -- --server.address=0.0.0.0; echo $?)" = 1
check "an unknown server is refused" test "$(start c --server iis; echo $?)" = 1
check "a setting that cannot work fails" test "$(start c -- --lab.hello.sleep-ms=-5; echo $?)" = 1
check "the reason is shown" grep -q "lab.hello.sleep-ms is -5" "$work/c.err"
check "a failed start leaves nothing" test ! -e "$PLIMSOLL_LAB_STATE/c"

# An interrupted start leaves nothing.
"$lab/start.sh" --name d >/dev/null 2>&1 &
starter=$!
for ((i = 0; i < 300; i++)); do [[ -s "$PLIMSOLL_LAB_STATE/d/pid" ]] && break; sleep 0.1; done
read -r pid_d _ <"$PLIMSOLL_LAB_STATE/d/pid"
kill -TERM "$starter"
wait "$starter"
check "an interrupted start ends the service" dead "$pid_d"
check "an interrupted start leaves no state" test ! -e "$PLIMSOLL_LAB_STATE/d"

# Stopping.
pid_a="$(sed -n 's/^PID=//p' "$PLIMSOLL_LAB_STATE/a/env")"
check "stop works" "$lab/stop.sh" a
check "stop ends the process" dead "$pid_a"
check "stop leaves no state" test ! -e "$PLIMSOLL_LAB_STATE/a"
check "a second stop is no error" "$lab/stop.sh" a

# The other web servers.
for server in undertow jetty; do
    check "$server starts" start "$server" --server "$server" -- --lab.hello.sleep-ms=1
    check "$server answers" grep -q "after 1 ms" <(fetch "$(value "$server" URL)/hello")
    check "$server has its own threads and no Tomcat's" test "$(fetch "$(value "$server" MANAGEMENT_URL)/actuator/threaddump" |
        grep -oE '"threadName":"(XNIO-1 task|qtp|http-nio)' | sort -u | grep -oE 'XNIO|qtp|http' | tr -d '\n')" = "$(
        [[ $server == undertow ]] && echo XNIO || echo qtp)"
    check "$server stops" "$lab/stop.sh" "$server"
done

# A process that got the pid of a dead instance is not ours to end.
sleep 300 &
sleeper=$!
mkdir "$PLIMSOLL_LAB_STATE/foreign"
echo "$sleeper 1" >"$PLIMSOLL_LAB_STATE/foreign/pid"
check "stop works on a stale pid file" "$lab/stop.sh" foreign
check "a foreign process lives on" alive "$sleeper"

# One that does not react is killed.
pid_b="$(value b PID)"
kill -STOP "$pid_b"
check "stop --all ends a frozen service" "$lab/stop.sh" --all 2>/dev/null
check "the frozen service is gone" dead "$pid_b"
check "stop --all leaves no state" test -z "$(ls -A "$PLIMSOLL_LAB_STATE")"
check "stop --all with nothing to stop is no error" "$lab/stop.sh" --all

echo "$passed passed, $failed failed"
((failed == 0))
