#!/usr/bin/env bash
# Builds the newest nats-server that the tests are run with, next to the system's own, which may
# be years older: tools/nats-server.sh [--check]. Prints its path. With --check it builds nothing.
# Exit code: 0 it is there, or there is no Go to build it with; 1 it could not be built.
set -euo pipefail
version=v2.15.2
root_dir="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
PATH="$PATH:/usr/local/go/bin:/usr/lib/go/bin"

binary="$root_dir/target/tools/nats-server-$version"
if [[ ! -x "$binary" ]]; then
    if ! command -v go >/dev/null; then
        echo "tools/nats-server.sh: no Go: the tests use the system's nats-server only" >&2
        exit 0
    fi
    [[ "${1:-}" != --check ]] || exit 1
    mkdir -p "${binary%/*}"
    partial="$(mktemp -d "${binary%/*}/building.XXXXXX")"
    trap 'rm -rf "$partial"' EXIT
    GOBIN="$partial" GOFLAGS=-modcacherw CGO_ENABLED=0 \
        nice go install "github.com/nats-io/nats-server/v2@$version" >&2
    mv "$partial/nats-server" "$binary"
fi
echo "$binary"
