#!/usr/bin/env bash
# Builds (if sources are newer), starts and awaits one instance of the lab service.
# Prints URL=…, MANAGEMENT_URL=… and PID=… on standard output. See README.md.
set -euo pipefail

# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

service_dir="$lab_dir/service"
start_timeout_s="${PLIMSOLL_LAB_START_TIMEOUT_S:-90}"
log_lines=30

usage() {
    cat <<'USAGE'
usage: lab/start.sh [--name NAME] [--server SERVER] [--build-only] [-- SPRING_ARGUMENT…]
  --name NAME    name of the instance (default: default); several run at once under different names
  --server       web server: tomcat (default), undertow or jetty
  --build-only   build the jar if sources are newer, start nothing
  example: lab/start.sh --name f01 -- --server.tomcat.threads.max=800
environment: PLIMSOLL_LAB_STATE (directory for logs and pid files; default lab/.state),
  PLIMSOLL_LAB_JAVA_OPTS (default -Xmx512m), PLIMSOLL_LAB_START_TIMEOUT_S (default 90)
USAGE
}

name=default
server=tomcat
build_only=false
while (($#)); do
    case "$1" in
    --name)
        (($# >= 2)) || fail "--name needs a value"
        name="$2"
        shift 2
        ;;
    --server)
        (($# >= 2)) || fail "--server needs a value"
        server="$2"
        shift 2
        ;;
    --build-only) build_only=true && shift ;;
    -h | --help) usage && exit 0 ;;
    --) shift && break ;;
    *) usage >&2 && exit 2 ;;
    esac
done
spring_args=("$@")
require_name "$name"
[[ "$server" =~ ^(tomcat|undertow|jetty)$ ]] || fail "the server '$server' is not known: use tomcat, undertow or jetty"
built_jar="$service_dir/target/lab-service-$server.jar"
[[ "$start_timeout_s" =~ ^[0-9]+$ ]] || fail "PLIMSOLL_LAB_START_TIMEOUT_S must be whole seconds, not '$start_timeout_s'"
for arg in "${spring_args[@]}"; do
    case "$arg" in
    --server.address* | --management.server.address* | --management.server.ssl* | --server.ssl*)
        fail "'$arg' is not allowed: this script starts the lab as plain HTTP on 127.0.0.1"
        ;;
    esac
done

find_java() {
    if [[ -n "${JAVA_HOME:-}" && -x "$JAVA_HOME/bin/java" ]]; then
        echo "$JAVA_HOME/bin/java"
    else
        command -v java || fail "no java found: run tools/setup.sh lab"
    fi
}

# Maven without the network first: quicker, and enough once everything was fetched.
build_jar() {
    if [[ -f "$built_jar" && -z "$(find "$service_dir/pom.xml" "$service_dir/src/main" -newer "$built_jar" -print -quit)" ]]; then
        return
    fi
    command -v mvn >/dev/null || fail "no mvn found: run tools/setup.sh lab"
    echo "lab: building the service" >&2
    (
        cd "$service_dir"
        mvn -q -B -o -DskipTests package >/dev/null 2>&1 || mvn -q -B -DskipTests package >&2
    ) || fail "the build failed"
    # Maven leaves an unchanged jar alone; its time must still pass that of the sources.
    touch "$service_dir"/target/lab-service-*.jar
}

mkdir -p "$state_base"
state_base="$(cd "$state_base" && pwd)"
dir="$state_base/$name"
java="$(find_java)"

# One build at a time, even from several state directories. The lock is held until the process is
# known, so that two starts of one name cannot both go on.
mkdir -p "$service_dir/target"
exec 8>"$service_dir/target/.build-lock"
flock 8
build_jar
$build_only && exit 0

require_own "$dir"
is_running "$dir" && fail "'$name' runs already: lab/stop.sh $name ends it"
rm -rf "$dir"
mkdir "$dir"
# A copy, since a jar must not change under a running JVM.
cp --reflink=auto "$built_jar" "$dir/lab-service.jar"

started=false
give_up() {
    $started && return
    stop_instance "$dir"
}
trap give_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

read -r -a java_opts <<<"${PLIMSOLL_LAB_JAVA_OPTS:--Xmx512m}"
# Ports come from the kernel and are read back from a file: no race for a free port. Defaults are
# set by environment, which arguments overrule. The lock is not inherited.
SERVER_PORT=0 MANAGEMENT_SERVER_PORT=0 LOGGING_FILE_NAME="$dir/lab.log" LOGGING_THRESHOLD_CONSOLE=OFF \
    setsid "$java" "${java_opts[@]}" "-Dlab.port-file=$dir/app.port" "-Djava.io.tmpdir=$dir" \
    -jar "$dir/lab-service.jar" "${spring_args[@]}" \
    </dev/null >"$dir/console.log" 2>&1 8>&- &
pid=$!
echo "$pid $(process_start_time "$pid")" >"$dir/pid" || fail "the service ended at once"
# Known from the moment the JVM's own command line stands.
until is_running "$dir" || ! kill -0 "$pid" 2>/dev/null; do sleep 0.01; done
exec 8>&-

show_log() {
    local file
    for file in "$dir/console.log" "$dir/lab.log"; do
        [[ -s "$file" ]] || continue
        echo "--- last lines of $(basename "$file")" >&2
        tail -n "$log_lines" "$file" >&2
    done
}

answers() {
    curl --noproxy '*' -fsS -o /dev/null --max-time 2 "$1" 2>/dev/null
}

deadline=$((SECONDS + start_timeout_s))
while true; do
    if ! kill -0 "$pid" 2>/dev/null; then
        show_log
        fail "the service ended while starting"
    fi
    url="http://127.0.0.1:$(cat "$dir/app.port" 2>/dev/null || true)"
    management_url="http://127.0.0.1:$(cat "$dir/app-management.port" 2>/dev/null || true)"
    if [[ "$url" =~ :[0-9]+$ && "$management_url" =~ :[0-9]+$ ]] &&
        answers "$management_url/actuator/health" && answers "$url/status/200"; then
        break
    fi
    if ((SECONDS >= deadline)); then
        show_log
        fail "the service did not answer within $start_timeout_s s"
    fi
    sleep 0.1
done

started=true
printf 'URL=%s\nMANAGEMENT_URL=%s\nPID=%s\n' "$url" "$management_url" "$pid" | tee "$dir/env"
