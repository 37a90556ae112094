# shellcheck shell=bash
# The part of check.sh that builds the image, looks into it and runs it. It needs no registry: the
# Dockerfile's first stage only brings a compiler, so what that stage does is done here.

store=(buildah --root "$work/containers" --runroot "$work/containers-run" --storage-driver vfs)
run_in() { "${store[@]}" run --isolation chroot "$container" -- "$@"; }

# The last stage as it stands in the Dockerfile, with the folder of this host for that of the first.
built() {
    # What is checked is the image, not its speed; what debuggers need would only make it large.
    CARGO_PROFILE_DEV_DEBUG=0 ./static.sh "$work/context" dev || return 1
    sed -n '/^FROM scratch$/,$p' Dockerfile | sed 's| --from=build||; s| /out/| |' >"$work/context/Dockerfile"
    "${store[@]}" build --isolation chroot --quiet --tag plimsoll-check "$work/context"
}

static() { ! readelf --program-headers "$work/context/image/plimsoll" | grep INTERP; }

# Nothing but the binary and the certificates, and folders of its user's.
contents() {
    (cd "$root" && find . -mindepth 1 ! -type d -printf '%p %U\n' -o -type d -path ./work -printf '%p %U\n' \
        -o -type d -path ./tmp -printf '%p %U\n') | sort >"$work/found"
    diff "$work/found" - <<'FOUND'
./etc/ssl/certs/ca-certificates.crt 0
./plimsoll 0
./tmp 65532
./work 65532
FOUND
}

settings() {
    local found
    found="$("${store[@]}" inspect --type image \
        --format '{{.OCIv1.Config.User}} {{.OCIv1.Config.WorkingDir}} {{.OCIv1.Config.Entrypoint}}' plimsoll-check)"
    [[ "$found" == "65532:65532 /work [/plimsoll]" ]] || { echo "$found" && return 1; }
}

# A load of a server of this host, whose result its user can write.
load() {
    run_in /plimsoll run "http://localhost:$1/" --users 2 --iterations 20 --quiet --summary-json summary.json ||
        [[ $? == 4 ]] || return 1
    python3 - "$root/work/summary.json" <<'PYTHON'
import json, os, sys
total = json.load(open(sys.argv[1]))["total"]
assert (total["samples"], total["errors"]) == (40, 0), total
assert os.stat(sys.argv[1]).st_uid == 65532
PYTHON
}

# Names of NATS servers are resolved by the C library, which is in the binary.
named_nats() { run_in /plimsoll workers --nats "nats://localhost:$1" --json; }

no_other_name() { ! run_in /plimsoll workers --nats "nats://plimsoll.invalid:$1" --json; }

free_port() { python3 -c 'import socket
with socket.socket() as s:
    s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

ends=()
end_all() {
    local pid
    for pid in "${ends[@]}"; do kill "$pid" 2>/dev/null || true; done
    rm -rf "$work"
}
trap end_all EXIT

# reachable PORT: waits until somebody listens there
reachable() {
    local tries
    for tries in {1..100}; do
        if (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; then return 0; fi
        sleep 0.1
    done
    echo "nobody listens on port $1 after $tries tries" && return 1
}

check "the image: built from a static binary, without a base image" built
if [[ -e "$work/context/Dockerfile" ]] && container="$("${store[@]}" from plimsoll-check)"; then
    root="$("${store[@]}" mount "$container")"
    check "the image: its binary needs no library" static
    check "the image: nothing but the binary, certificates, and two folders" contents
    check "the image: its user, folder and command" settings
    check "the image: it runs" run_in /plimsoll --version
    port="$(free_port)"
    mkdir -p "$work/page" && echo hello >"$work/page/index.html"
    python3 -m http.server --bind 127.0.0.1 --directory "$work/page" "$port" >/dev/null 2>&1 &
    ends+=($!)
    reachable "$port" && check "the image: a load of a server, by a user without rights" load "$port"
    if command -v nats-server >/dev/null; then
        nats="$(free_port)"
        nats-server -a 127.0.0.1 -p "$nats" -js -sd "$work/nats" >/dev/null 2>&1 &
        ends+=($!)
        reachable "$nats" && check "the image: a NATS server by its name" named_nats "$nats"
        check "the image: a name that there is not" no_other_name "$nats"
    else
        left_out "the image with NATS (no nats-server)"
    fi
fi
