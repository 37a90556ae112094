#!/usr/bin/env bash
# Ends an instance that start.sh started, by its process id, and removes its state.
# Ending what does not run is no error.
set -euo pipefail

# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

if (($# != 1)) || [[ "$1" == -h || "$1" == --help ]]; then
    echo "usage: lab/stop.sh NAME | --all" >&2
    exit 2
fi
[[ -d "$state_base" ]] || exit 0
state_base="$(cd "$state_base" && pwd)"

if [[ "$1" == --all ]]; then
    for dir in "$state_base"/*/; do
        if [[ -d "$dir" && ! -f "$dir/instance.json" ]]; then stop_instance "${dir%/}"; fi
    done
else
    require_name "$1"
    require_own "$state_base/$1"
    stop_instance "$state_base/$1"
fi
