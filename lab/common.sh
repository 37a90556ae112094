# Shared by start.sh and stop.sh; sourced, not run.
# shellcheck shell=bash

lab_dir="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck disable=SC2034 # used by the scripts that source this file
state_base="${PLIMSOLL_LAB_STATE:-$lab_dir/.state}"

fail() {
    echo "lab: $*" >&2
    exit 1
}

# A name becomes a directory: no slash, no leading dot.
require_name() {
    [[ "$1" =~ ^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$ ]] ||
        fail "the name '$1' is not allowed: use up to 64 letters, digits or . _ - and begin with a letter or digit"
}

# What plimsoll-lab started, plimsoll-lab ends.
require_own() {
    [[ ! -f "$1/instance.json" ]] || fail "'$(basename "$1")' is a case: plimsoll-lab down $(basename "$1") ends it"
}

# Start time in clock ticks since boot of a process that is not gone; with the pid it identifies a
# process even after the pid was given to another. A zombie is gone: reaping it is up to its parent.
process_start_time() {
    local stat
    stat="$(cat "/proc/$1/stat" 2>/dev/null)" || return 1
    # The command name is in parentheses and may hold blanks: count fields behind it.
    local -a fields
    read -r -a fields <<<"${stat##*) }"
    [[ "${fields[0]}" != [ZXx] ]] && echo "${fields[19]}"
}

# Whether the process in a state directory still runs: same pid, same start time, our jar, no zombie.
is_running() {
    local dir="$1" pid start
    [[ -f "$dir/pid" ]] || return 1
    read -r pid start <"$dir/pid" || return 1
    [[ "$pid" =~ ^[0-9]+$ && "$(process_start_time "$pid")" == "$start" ]] || return 1
    tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF -- "-jar $dir/lab-service.jar"
}

# Waits until a process is gone; gives up after that many tenths of a second. Its command line says
# nothing here: it is empty a while before the process ends.
wait_until_gone() {
    local pid="$1" start="$2" tenths="$3"
    while [[ "$(process_start_time "$pid")" == "$start" ]]; do
        ((tenths-- > 0)) || return 1
        sleep 0.1
    done
}

# Ends the process of a state directory, gently first, and removes the directory.
stop_instance() {
    local dir="$1" pid start
    if is_running "$dir"; then
        read -r pid start <"$dir/pid"
        kill -TERM "$pid" 2>/dev/null || true
        if ! wait_until_gone "$pid" "$start" 100; then
            echo "lab: process $pid did not end within 10 s: killing it" >&2
            kill -KILL "$pid" 2>/dev/null || true
            wait_until_gone "$pid" "$start" 50 || fail "process $pid cannot be killed"
        fi
    fi
    rm -rf "$dir"
}
